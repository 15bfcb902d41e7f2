import { basename, extname, join } from 'node:path'
import { countOf } from '../../../model/count-of.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import type { Target } from '../../../host/target.ts'
import { checkText } from '../../capture/check-text.ts'
import { type CapturedResource, type Desired, gather, type Gathered } from '../../capture/gather.ts'
import { policyText } from '../../capture/policy-text.ts'
import { loadExtensions } from '../../options/extension.ts'
import { targetOf } from '../../options/target.ts'
import type { Io } from '../../output/io.ts'
import { refuseExisting, writeNew } from '../../output/write-new.ts'
import type { CaptureInvocation } from './index.ts'
import { wantedBy } from './words.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'

/** Objects that a name expands to, and omissions. */
interface Members {
  readonly wanted: readonly Desired[]
  readonly notes: readonly string[]
}

/** More than a readable policy holds. */
const MOST_FILES = 5000

const MOST_NOTES = 10

/** Writes a policy of the current state, reports omissions, and returns the exit code. */
export async function runCapture({ operands, options }: CaptureInvocation, io: Io): Promise<number> {
  if (options.output !== undefined) refuseExisting(options.output, options)
  const { types } = await loadExtensions(options, io)
  const words = wantedBy(operands, types)
  const target = await targetOf(options)
  const log = startLog(io)
  const wanted = await expandWords(words, { target, isRecursive: options.recursive, log })
  const gathered = await gather(wanted, {
    target,
    signal: new AbortController().signal,
    contents: options.content ? 'text' : 'digest',
    isPrivateTaken: options.private,
  })
  const resources = gathered.flatMap((each) => selectCaptured(each, options.absent, log))
  if (resources.length === 0) {
    io.say('driftgate: nothing captured, no policy written\n')
    return EXIT.undecided
  }
  const text = policyText({
    head: headOf(
      [...operands, ...(options.target === undefined ? [] : ['--target', options.target])],
      target,
      options.output ?? 'FILE',
    ),
    id: idOf(options.output),
    title: 'Captured state',
    sections: [{ resources }],
  })
  await checkText(text, types)
  if (options.output === undefined) await io.print(text)
  else {
    await writeNew(options.output, text, options)
    io.say(`driftgate: wrote ${options.output} with ${countOf(resources.length, 'resource')}\n`)
  }
  return log.isComplete() ? EXIT.ok : EXIT.undecided
}

interface Log {
  readonly trouble: (wanted: Desired, text: string) => void
  readonly note: (wanted: Desired, text: string) => void
  readonly isComplete: () => boolean
}

function startLog(io: Io): Log {
  let isComplete = true
  const note = ({ type, name }: Desired, text: string): void =>
    io.say(`driftgate: ${escapeForTerminal(`${type.type}#${name}: ${text}`)}\n`)
  return {
    note,
    trouble(wanted, text) {
      isComplete = false
      note(wanted, text)
    },
    isComplete: () => isComplete,
  }
}

interface Means {
  readonly target: Target
  readonly isRecursive: boolean
  readonly log: Log
}

async function expandWords(words: readonly Desired[], { log, ...how }: Means): Promise<readonly Desired[]> {
  const found = new Map<string, Desired>()
  for (const word of words) {
    const members = await membersOf(word, how)
    if (members.kind === 'unknown') {
      log.trouble(word, members.detail)
      continue
    }
    const { wanted, notes } = members.value
    for (const note of notes) log.note(word, note)
    if (wanted.length === 0) log.trouble(word, 'does not exist')
    for (const each of wanted) found.set(`${each.type.type}:${each.name}`, each)
  }
  return [...found.values()]
}

function selectCaptured(
  { wanted, resource, isAbsent, troubles, notes }: Gathered,
  takesAbsent: boolean,
  log: Log,
): readonly CapturedResource[] {
  for (const trouble of troubles) log.trouble(wanted, trouble)
  for (const note of notes) log.note(wanted, note)
  if (!isAbsent) return resource === undefined ? [] : [resource]
  if (resource !== undefined && takesAbsent) return [resource]
  const hint = resource === undefined ? ', which this resource type does not support' : '; --absent records that'
  log.trouble(wanted, `does not exist${hint}`)
  return []
}

function headOf(operands: readonly string[], { system: { hostname, os } }: Target, file: string): readonly string[] {
  const words = operands.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)))
  return [
    `State of ${hostname} (${os.id} ${os.version}), written by`,
    `  driftgate capture ${words.join(' ')}`,
    `Compare a host with it: driftgate scan ${file}`,
    '',
  ].map((line) => escapeForTerminal(line))
}

function idOf(output: string | undefined): string {
  if (output === undefined) return 'captured'
  return basename(output, extname(output)).replaceAll(/[^A-Za-z0-9_.-]+/g, '-')
}

/** Expands an object: the settings of a surface and, with `isRecursive`, the contents of a directory. */
async function membersOf(
  wanted: Desired,
  { target, isRecursive }: { readonly target: Target; readonly isRecursive: boolean },
): Promise<Reading<Members>> {
  const { type, name } = wanted
  const members = await type.capture.members?.(name, target)
  if (members !== undefined) {
    if ('kind' in members) return members
    return known({ wanted: members.map((member) => ({ type, name: member })), notes: [] })
  }
  const isDirectory = type.type === 'file' && kindAt(target, name) === 'directory'
  return isDirectory ? withEntries(wanted, target, isRecursive) : known({ wanted: [wanted], notes: [] })
}

function withEntries(wanted: Desired, target: Target, isRecursive: boolean): Reading<Members> {
  const { type, name } = wanted
  if (!isRecursive) {
    const isEmpty = target.files.isDirectoryEmpty(name)
    const hasMore = isEmpty.kind === 'known' && !isEmpty.value
    return known({
      wanted: [wanted],
      notes: hasMore ? ['only the directory itself; --recursive includes its contents'] : [],
    })
  }
  const tree = target.files.listTree(name)
  if (tree.kind === 'unknown') return tree
  if (tree.value.length > MOST_FILES) {
    const count = countOf(tree.value.length, 'entry', 'entries')
    return unknown('invalid', `${name} has ${count}, more than ${MOST_FILES}: name its subdirectories instead`)
  }
  const entries = tree.value.map(({ path, kind }) => ({ path: join(name, path), kind }))
  const taken = entries.filter(({ path, kind }) => {
    return kind === 'file' || kind === 'directory' || (kind === 'symlink' && kindAt(target, path) === 'file')
  })
  const others = entries.filter((entry) => !taken.includes(entry))
  const notes = others.map(({ path, kind }) => `${path} omitted: a ${kind.replace('-', ' ')}`)
  const rest = notes.length > MOST_NOTES ? [`${notes.length - MOST_NOTES} more omitted that are not files`] : []
  return known({
    wanted: [wanted, ...taken.map(({ path }) => ({ type, name: path }))],
    notes: [...notes.slice(0, MOST_NOTES), ...rest],
  })
}

function kindAt(target: Target, path: string): string | undefined {
  const seen = target.files.stat(path)
  return seen.kind === 'present' ? seen.state.kind : undefined
}
