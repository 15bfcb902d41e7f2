import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  absent,
  cannot,
  defineExports,
  defineProperties,
  defineResource,
  differences,
  known,
  type ApplyOutcome,
  type Observation,
  present,
  type Reading,
  type ResourceExample,
  type ResourceType,
  type Target,
  unknown,
} from '../../src/index.ts'
import type { ContractScene } from '../../src/testing/index.ts'

/** What can be wrong with the type of these tests. */
export interface Defects {
  /** What becomes of a note that cannot be read. */
  readonly unreadable?: 'absent' | 'as wanted'
  /** Whether it reads by itself what it has asked the target for. */
  readonly ownEyes?: boolean
  /** Whether a text that cannot be read, of a note that is there, is taken for none. */
  readonly deaf?: boolean
  readonly alsoOnLook?: (path: string) => void
  readonly drift?: string
  /** Whether it says that its text takes acceptances, and does not look into them. */
  readonly accepting?: boolean
  readonly examples?: readonly ResourceExample[]
  readonly exported?: Readonly<Record<string, unknown>>
  /** How many characters it says that there will be. */
  readonly foreseen?: number
  /** Whether it acts on what is right already. */
  readonly restless?: boolean
  /** Whether a fix only says that it did something. */
  readonly lazy?: boolean
  /** Whether it promises to fix what it cannot. */
  readonly boastful?: boolean
}

const properties = defineProperties({
  name: { kind: 'text', required: true, absolutePath: true, summary: 'Where the note lies.' },
  text: { kind: 'text', required: true, aliases: ['says'], summary: 'What it says.' },
})

/** Known to nothing but the reader of policies, as in a type without a compiler. */
const ACCEPTING: object = { accepts: 'text' }

const EXAMPLES: readonly ResourceExample[] = [
  { title: 'A note', yaml: ['demo.note:', '  - /etc/note:', '      text: hello'].join('\n') },
]

/** A file with a text, as a typical first resource type, with the given defects. */
export function noteType(defects: Defects = {}): ResourceType {
  const { unreadable, alsoOnLook, drift = 'text', restless = false, lazy = false, boastful = false } = defects
  return defineResource({
    type: 'demo.note',
    summary: 'A note.',
    properties: defects.accepting === true ? { ...properties, text: { ...properties.text, ...ACCEPTING } } : properties,
    exports: defineExports({ length: { kind: 'integer', summary: 'How many characters it has.' } }),
    drifts: ['text'],
    examples: defects.examples ?? EXAMPLES,
    observe(target, desired): Observation<string, string> {
      alsoOnLook?.(desired.name)
      const asked = readNote(target, desired.name, defects)
      const read = defects.ownEyes === true && asked.kind === 'known' ? known(readByItself(desired.name)) : asked
      if (read.kind === 'known') return read.value === null ? absent('') : present(read.value, '')
      if (unreadable === 'as wanted') return present(desired.text, '')
      return unreadable === 'absent' ? absent('') : read
    },
    decide(desired, observed) {
      const original = observed.kind === 'present' ? observed.state : undefined
      const isTooLong = desired.text.length > 20
      const decision = differences([{ property: drift, original, desired: desired.text, whenEmpty: '(no note)' }], {
        fix: { action: desired.text, text: 'Would have written the note' },
        obstacles: isTooLong && !boastful ? [cannot('the note is too long')] : [],
      })
      if (!restless) return decision
      return { ...decision, plan: { kind: 'act', action: desired.text, text: 'Would have written', obstacles: [] } }
    },
    async apply(remediator, desired, action): Promise<ApplyOutcome> {
      if (lazy) return { kind: 'done' }
      return remediator.writeFile(
        desired.name,
        { kind: 'bytes', bytes: Buffer.from(action.slice(0, 20)) },
        { defaultMode: 0o644 },
      )
    },
    // What a type without a compiler may do.
    exportsOf: (_desired, observed) =>
      (defects.exported ?? { length: observed.kind === 'present' ? observed.state.length : undefined }) as {
        length?: number
      },
    exportsAfter: (_desired, _observed, action) => ({ length: defects.foreseen ?? action.length }),
  })
}

function readByItself(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}

function readNote(target: Target, path: string, { deaf = false }: Defects): Reading<string | null> {
  const seen = target.files.stat(path)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent') return known(null)
  if (seen.state.kind !== 'file') return unknown('not-observable', `${path} is no file`)
  const head = target.files.readHead(path, 1000)
  if (deaf && head.kind === 'unknown') return known('')
  return head.kind === 'unknown' ? head : known(Buffer.from(head.value).toString())
}

/** The directory of a scene, from the path of its note. */
export const besides = (path: string): string => join(dirname(path), 'trace')

export const SCENES: readonly ContractScene[] = [
  {
    title: 'a note that is right',
    state: 'compliant',
    arrange(directory) {
      writeFileSync(join(directory, 'note'), 'hello')
      return { name: join(directory, 'note'), text: 'hello' }
    },
  },
  {
    title: 'a note that says something else',
    state: 'fixable',
    arrange(directory) {
      writeFileSync(join(directory, 'note'), 'goodbye')
      return { name: join(directory, 'note'), says: 'hello' }
    },
  },
  {
    title: 'a note that is missing',
    state: 'fixable',
    arrange: (directory) => ({ name: join(directory, 'note'), text: 'hello' }),
  },
  {
    title: 'a note that is too long',
    state: 'unfixable',
    arrange: (directory) => ({ name: join(directory, 'note'), text: 'x'.repeat(21) }),
  },
]
