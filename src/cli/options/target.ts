import { OperatorError } from '../../model/operator-error.ts'
import type { Position } from '../../model/problem.ts'
import type { TargetKind } from '../../model/run.ts'
import type { Layer } from '../../policy/data/merge.ts'
import type { Connection } from '../../remote/inventory/inventory.ts'
import { REMOTE_KINDS } from '../../remote/spec.ts'
import { type KindOfTarget, NEAR_KINDS, type NearKind, type OpenedTarget, parseTarget } from '../../host/open-target.ts'
import type { Target } from '../../host/target.ts'
import type { OptionsOf, OptionSpecs } from '../command.ts'

/** One way to name a target; those that driftgate is carried to are not opened from here. */
type WrittenKind = KindOfTarget & Partial<Pick<NearKind, 'open'>>

/** Every way to name a target, in the order help lists them. */
const KINDS: readonly WrittenKind[] = [
  ...NEAR_KINDS,
  ...REMOTE_KINDS.map(({ kind, form, summary, parse }) => ({
    kind,
    form,
    summary,
    rest: 'name' as const,
    accepts: (rest: string) => parse(rest) !== undefined,
  })),
]

/** A target as it was named. */
export interface TargetSpec {
  /** All of it: `root:/mnt/disk`. */
  readonly text: string
  readonly kind: TargetKind
  /** What stands behind the colon. */
  readonly rest: string
}

/** One of several targets. */
export interface ChosenTarget {
  /** No other target of the scan has the same. */
  readonly name: string
  readonly spec: TargetSpec
  /** What a text of it has no words for. */
  readonly way: Connection
  readonly labels: Readonly<Record<string, string>>
  /** Data for its policies, over that of files. */
  readonly data: readonly Layer[]
  /** Where it is named. */
  readonly position: Position
  /** Why it cannot be reached as its inventory has it; absent where it can. */
  readonly refused?: string
}

/** What the option of every command says. */
export const TARGET_SUMMARY = `Scan this target instead of this host: ${KINDS.map(({ form }) => form).join(', ')}`

/** The forms of a target with what each is, for help. */
export const TARGET_FORMS = KINDS.map(({ form, summary }) => `  ${form.padEnd(36)} ${summary}`).join('\n')

/** The option of commands with one target of any kind. */
export const TARGET_OPTIONS = {
  target: {
    kind: 'value',
    group: 'Target:',
    placeholder: 'SPEC',
    holds: 'target',
    complain: (text) => targetComplaint(text),
    summary: TARGET_SUMMARY,
  },
} as const satisfies OptionSpecs

/** The text of a target in the schemas of editors; `targetComplaint` says more. */
export function targetSchema(): Readonly<Record<string, unknown>> {
  const forms = KINDS.map(({ kind, rest }) => (rest === 'none' ? `${kind}$` : `${kind}:.`))
  return {
    pattern: `^(?:${forms.join('|')})`,
    description: KINDS.map(({ form, summary }) => `${form}: ${summary}`).join('\n'),
  }
}

/** What is wrong with the name of a target, as the end of a sentence; undefined where nothing is. */
export function targetComplaint(text: string): string | undefined {
  const found = parseSpec(text)
  return 'message' in found ? found.message : undefined
}

/** Takes the name of a target apart; `message` is the end of a sentence about it. */
export function parseSpec(text: string): TargetSpec | { readonly message: string } {
  const parsed = parseTarget(text, KINDS)
  return 'message' in parsed ? parsed : { text, kind: parsed.of.kind, rest: parsed.rest }
}

/** The target of a text that `targetComplaint` has nothing against. */
export function specOf(text: string): TargetSpec {
  const spec = parseSpec(text)
  // Parsing has complained of every other.
  if ('message' in spec) throw new Error(`"${text}" is no target: ${spec.message}`)
  return spec
}

/** What is known of the text of a target that is refused anyway. */
export function refusedSpec(text: string): TargetSpec {
  const spec = parseSpec(text)
  if (!('message' in spec)) return spec
  return { text, kind: KINDS.find(({ kind }) => text.startsWith(`${kind}:`))?.kind ?? 'ssh', rest: '' }
}

/** The same target, its path starting from a directory. */
export function locateTarget(text: string, locate: (path: string) => string): string {
  const spec = parseSpec(text)
  if ('message' in spec) return text
  const isPath = KINDS.some(({ kind, rest }) => kind === spec.kind && rest === 'path')
  return isPath ? `${spec.kind}:${locate(spec.rest)}` : text
}

/** Opens what was named. */
export async function openSpec({ kind, rest }: TargetSpec): Promise<OpenedTarget> {
  const { open } = KINDS.find((each) => each.kind === kind) ?? {}
  if (open !== undefined) return open(rest)
  return { kind: 'refused', message: `${kind}: is not looked at from here, only a scan gets there` }
}

/** What is to be looked at, this machine where nothing is named. Throws an `OperatorError` for a target that cannot be opened. */
export async function targetOf({ target }: OptionsOf<typeof TARGET_OPTIONS>): Promise<Target> {
  const spec = parseSpec(target ?? 'local')
  const opened = 'message' in spec ? { kind: 'refused' as const, message: spec.message } : await openSpec(spec)
  if (opened.kind === 'refused') throw new OperatorError(`--target: ${opened.message}`)
  return opened.target
}
