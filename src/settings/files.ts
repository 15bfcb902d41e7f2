import { known, type Reading, unknown } from '../model/observation.ts'
import type { FileKind } from '../host/file-kind.ts'
import type { FileAttributes } from '../host/remediator.ts'
import type { HasFiles, Target, TargetFiles } from '../host/target.ts'
import { type FileProbe, lookAt } from './look.ts'
import type { ConfigFiles } from './surface.ts'

/** Recorded answers of a machine, which can be read again without it. */
export interface ConfigSnapshot extends ConfigFiles {
  /** The snapshot with other texts of some files; `null` removes a file. */
  with(changed: ReadonlyMap<string, string | null>): ConfigFiles
}

interface Recorded {
  readonly files: ConfigFiles
  readonly snapshot: ConfigSnapshot
}

/** The recorded files of a machine, shared by all settings until the machine's cache is dropped. */
export function recordFiles(machine: FileProbe & Partial<Pick<Target, 'open'>>): Recorded {
  const look = lookAt(machine)
  if (look === machine) return recordOf(machine)
  const recorded = RECORDED.get(look) ?? recordOf(look)
  RECORDED.set(look, recorded)
  return recorded
}

const RECORDED = new WeakMap<FileProbe, Recorded>()

/** Reads from the machine and records the answers. */
function recordOf(machine: FileProbe): Recorded {
  const [texts, reals, lists, inPrograms, things] = [
    new Answers<string | null>(),
    new Answers<string | null>(),
    new Answers<readonly string[] | null>(),
    new Answers<readonly string[] | null>(),
    new Answers<RecordedFile | null>(),
  ]
  const files: ConfigFiles = {
    text: (path) => texts.keep(path, () => readText(machine, path)),
    textsIn: (program, words) =>
      inPrograms.keep([program, ...words].join(' '), () => readTextsIn(machine, program, words)),
    names: (directory) => lists.keep(directory, () => machine.probe.list(directory)),
    real: (path) => reals.keep(path, () => machine.files.realPath(path)),
    ...openThings((path) => things.keep(path, () => readThing(machine, path))),
  }
  const kept: ConfigFiles = {
    text: (path) => texts.recall(path),
    textsIn: (program, words) => inPrograms.recall([program, ...words].join(' ')),
    names: (directory) => lists.recall(directory),
    real: (path) => reals.recall(path),
    ...openThings((path) => things.recall(path)),
  }
  return { files, snapshot: { ...kept, with: (changed) => overlay(kept, changed) } }
}

interface RecordedFile {
  readonly kind: FileKind
  readonly attributes: FileAttributes
}

function openThings(
  look: (path: string) => Reading<RecordedFile | null>,
): Pick<ConfigFiles, 'exists' | 'kind' | 'attributes'> {
  const ask = <T>(path: string, say: (thing: RecordedFile | null) => T): Reading<T> => {
    const seen = look(path)
    return seen.kind === 'unknown' ? seen : known(say(seen.value))
  }
  return {
    exists: (path) => ask(path, (thing) => thing !== null),
    kind: (path) => ask(path, (thing) => thing?.kind ?? null),
    attributes: (path) => ask(path, (thing) => thing?.attributes ?? null),
  }
}

function readThing({ files: { stat } }: HasFiles<'stat'>, path: string): Reading<RecordedFile | null> {
  const seen = stat(path)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent') return known(null)
  const { kind, uid, gid, mode } = seen.state
  return known({ kind, attributes: { uid, gid, mode } })
}

class Answers<Value> {
  readonly #answers = new Map<string, Reading<Value>>()

  keep(path: string, ask: () => Reading<Value>): Reading<Value> {
    const kept = this.#answers.get(path)
    if (kept !== undefined) return kept
    const answer = ask()
    this.#answers.set(path, answer)
    return answer
  }

  recall(path: string): Reading<Value> {
    return this.#answers.get(path) ?? unknown('not-observable', `${path} was not examined`)
  }
}

/** In configuration, a link to /dev/null is an empty file, and a directory in place of a file is ignored. */
function readText(
  { probe, files: { realPath, stat } }: Pick<Target, 'probe'> & HasFiles<'realPath' | 'stat'>,
  path: string,
): Reading<string | null> {
  const text = probe.readText(path)
  if (text.kind === 'known') return text
  const seen = stat(path)
  if (seen.kind === 'present' && seen.state.kind === 'directory') return known('')
  const leadsTo = realPath(path)
  return leadsTo.kind === 'known' && leadsTo.value === '/dev/null' ? known('') : text
}

const LARGEST_PROGRAM_BYTES = 16 * 1024 * 1024

function readTextsIn(
  { files: { stat, readHead } }: HasFiles<'stat' | 'readHead'>,
  program: string,
  words: readonly string[],
): Reading<readonly string[] | null> {
  const seen = stat(program)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent') return known(null)
  const { device, inode, sizeBytes, changedMs } = seen.state
  const version = [program, device, inode, sizeBytes, changedMs, ...words].join(' ')
  const kept = textsOf(stat)
  const earlier = kept.get(version)
  if (earlier !== undefined) return earlier
  const head = readHead(program, LARGEST_PROGRAM_BYTES)
  if (head.kind === 'unknown') return head
  const bytes = Buffer.from(head.value.buffer, head.value.byteOffset, head.value.byteLength)
  const texts = new Set<string>()
  for (const word of words) {
    for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + 1)) {
      const end = bytes.indexOf(0, at)
      texts.add(bytes.toString('latin1', bytes.lastIndexOf(0, at) + 1, end === -1 ? bytes.length : end))
    }
  }
  const found = known([...texts])
  kept.set(version, found)
  return found
}

/** Caches the texts of programs, since every setting searches the same megabytes. The key changes when a program is replaced. */
function textsOf(stat: TargetFiles['stat']): Map<string, Reading<readonly string[]>> {
  const kept = TEXTS.get(stat) ?? new Map<string, Reading<readonly string[]>>()
  TEXTS.set(stat, kept)
  return kept
}

const TEXTS = new WeakMap<TargetFiles['stat'], Map<string, Reading<readonly string[]>>>()

/** Attributes of a file that a fix creates. */
const OURS: FileAttributes = { uid: 0, gid: 0, mode: 0o644 }

function overlay(files: ConfigFiles, changed: ReadonlyMap<string, string | null>): ConfigFiles {
  return {
    text(path) {
      const text = changed.get(path)
      return text === undefined ? files.text(path) : known(text)
    },
    textsIn: (program, words) => files.textsIn(program, words),
    names(directory) {
      const seen = files.names(directory)
      if (seen.kind === 'unknown') return seen
      const names = new Set(seen.value)
      for (const [path, text] of changed) {
        const slash = path.lastIndexOf('/')
        if (path.slice(0, slash) !== directory) continue
        const name = path.slice(slash + 1)
        if (text === null) names.delete(name)
        else names.add(name)
      }
      if (seen.value === null && names.size === 0) return seen
      return known([...names].toSorted((left, right) => (left < right ? -1 : 1)))
    },
    real(path) {
      const text = changed.get(path)
      return text === undefined ? files.real(path) : known(text === null ? null : path)
    },
    exists(path) {
      const text = changed.get(path)
      return text === undefined ? files.exists(path) : known(text !== null)
    },
    kind(path) {
      const text = changed.get(path)
      return text === undefined ? files.kind(path) : known(text === null ? null : 'file')
    },
    attributes(path) {
      const before = files.attributes(path)
      if (changed.get(path) === null) return known(null)
      const isMade = [...changed].some(([each, text]) => text !== null && `${each}/`.startsWith(`${path}/`))
      const isNew = before.kind === 'unknown' || before.value === null
      return isNew && isMade ? known(changed.has(path) ? OURS : { ...OURS, mode: 0o755 }) : before
    },
  }
}
