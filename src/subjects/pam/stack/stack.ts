import { known, type Reading, unknown } from '../../../model/observation.ts'
import { type Actions, actionsOf, ALL_BAD } from './control.ts'
import { type LogicalLine, logicalLines } from './lines.ts'
import { nextToken, tokensOf } from './tokens.ts'

/** The management groups of PAM. */
export const PAM_TYPES = ['auth', 'account', 'password', 'session'] as const

export type PamType = (typeof PAM_TYPES)[number]

export interface PamFile {
  readonly path: string
  readonly text: string
}

export interface PamFiles {
  /** The file of a service, as libpam finds it; null if absent. Debian's `@include` searches only /etc/pam.d. */
  readonly find: (name: string, places: 'all' | 'etc') => Reading<PamFile | null>
  /** Whether the file of a module exists; lines name it with or without its directory. */
  readonly hasModule: (module: string) => Reading<boolean>
}

export interface PamEntry {
  /** `substack` is the line that starts one; `fails` is an invalid line, which denies access. */
  readonly kind: 'module' | 'substack' | 'fails'
  /** As written on the line. */
  readonly module: string
  /** Without directory and `.so`. */
  readonly name: string
  readonly arguments: readonly string[]
  readonly actions: Actions
  /** The nesting depth of substacks. */
  readonly level: number
  readonly file: string
  readonly line: number
  /** Whether the file of the module exists; libpam treats a missing one as a module that returns `module_unknown`. */
  readonly exists: boolean
}

/** The expanded stack of a service for one type, and the service that owns the lines. */
export interface PamStack {
  readonly entries: readonly PamEntry[]
  readonly from: 'service' | 'other'
}

/** The maximum include depth of libpam. */
const DEEPEST = 16

/** More lines than any service calls; repeated includes can exceed it even in short files. */
const MOST_LINES = 1000

type Ending = 'read' | 'failed'

interface Place {
  readonly file: PamFile
  /** The type of the including line, which selects the lines; `any` in the file of the service itself. */
  readonly requested: PamType | 'any'
  readonly level: number
  /** The chain of including files. */
  readonly above: readonly string[]
}

interface Expansion {
  readonly files: PamFiles
  readonly type: PamType
  readonly entries: PamEntry[]
}

/**
 * Expands the lines that libpam calls for a service, in order: those of its file with all includes or, without lines of
 * this type, those of the service `other`. Null without a file.
 */
export function expandPam(files: PamFiles, service: string, type: PamType): Reading<PamStack | null> {
  const own = expandService(files, service, type)
  if (own.kind === 'unknown') return own
  if (own.value === null) return known(null)
  if (isStack(service)) return known({ entries: own.value, from: 'service' })
  // libpam always reads this one, too, and refuses the service if it cannot.
  const other = expandService(files, 'other', type)
  if (other.kind === 'unknown') return other
  return known(
    own.value.length > 0 ? { entries: own.value, from: 'service' } : { entries: other.value ?? [], from: 'other' },
  )
}

/** Whether the name is a shared stack rather than a service. */
export function isStack(name: string): boolean {
  return /^(?:common-|(?:system|password|smartcard|fingerprint)-auth|postlogin)/.test(name)
}

function expandService(files: PamFiles, service: string, type: PamType): Reading<readonly PamEntry[] | null> {
  const file = files.find(service, 'all')
  if (file.kind === 'unknown') return file
  if (file.value === null) return known(null)
  const expansion: Expansion = { files, type, entries: [] }
  const ending = expandFile(expansion, { file: file.value, requested: 'any', level: 0, above: [] })
  if (ending.kind === 'unknown') return ending
  if (ending.value === 'read') return known(expansion.entries)
  return unknown('invalid', `${file.value.path} names a missing file with @include: libpam refuses the service`)
}

function expandFile(expansion: Expansion, place: Place): Reading<Ending> {
  const { file, above, level } = place
  if (above.includes(file.path)) {
    return unknown('invalid', `${file.path} includes itself: libpam refuses it or crashes`)
  }
  if (above.length >= DEEPEST && level < DEEPEST) {
    return unknown(
      'invalid',
      `${file.path} is included through more than ${DEEPEST} files: some versions of libpam refuse`,
    )
  }
  if (level >= DEEPEST) return known('failed')
  const lines = logicalLines(file.text, file.path)
  if (lines.kind === 'unknown') return lines
  for (const line of lines.value) {
    const ending = expandLine(expansion, place, line)
    if (ending.kind === 'unknown' || ending.value === 'failed') return ending
  }
  return known('read')
}

const READ: Reading<Ending> = known('read')

function expandLine(expansion: Expansion, place: Place, { text, line }: LogicalLine): Reading<Ending> {
  const { type, entries } = expansion
  if (entries.length > MOST_LINES)
    return unknown('invalid', `${place.file.path} comes to more than ${MOST_LINES} lines`)
  const first = nextToken(text)
  const word = (first?.word ?? '').replace(/^-/, '').toLowerCase()
  const rest = first?.rest ?? ''
  if (word === '@include') return includeFile(expansion, place, rest)
  const isType = (PAM_TYPES as readonly string[]).includes(word)
  // A line with an invalid type denies access for the requested type, or else for auth.
  const typeOfLine = isType ? word : place.requested === 'any' ? 'auth' : place.requested
  if (typeOfLine !== type) return READ
  const control = nextToken(rest)
  const keyword = control?.word.toLowerCase()
  const target = nextToken(control?.rest ?? '')
  const entry: PamEntry = {
    kind: 'module',
    module: target?.word ?? '',
    name: moduleName(target?.word ?? ''),
    arguments: tokensOf(target?.rest ?? ''),
    actions: control === undefined ? ALL_BAD : actionsOf(control.word),
    level: place.level,
    file: place.file.path,
    line,
    exists: true,
  }
  if (keyword === 'include' || keyword === 'substack') return includeStack(expansion, place, { entry, keyword })
  if (!isType || control === undefined || target === undefined) {
    entries.push({ ...entry, kind: 'fails' })
    return READ
  }
  const exists = expansion.files.hasModule(entry.module)
  if (exists.kind === 'unknown') return exists
  entries.push({ ...entry, exists: exists.value })
  return READ
}

/** Debian's `@include` inserts all lines of the file, of every type. */
function includeFile({ files, ...expansion }: Expansion, place: Place, rest: string): Reading<Ending> {
  const target = nextToken(rest)
  if (target === undefined) return unknown('invalid', `${place.file.path} has an @include without a name: give it one`)
  const file = files.find(target.word, 'etc')
  if (file.kind === 'unknown') return file
  if (file.value === null) return known('failed')
  return expandFile({ files, ...expansion }, { ...place, file: file.value, above: [...place.above, place.file.path] })
}

function includeStack(
  expansion: Expansion,
  place: Place,
  { entry, keyword }: { readonly entry: PamEntry; readonly keyword: 'include' | 'substack' },
): Reading<Ending> {
  const { files, type, entries } = expansion
  if (keyword === 'substack') entries.push({ ...entry, kind: 'substack' })
  const ending = entry.module === '' ? known<Ending>('failed') : endingOf()
  if (ending.kind === 'unknown') return ending
  if (ending.value === 'failed') entries.push({ ...entry, kind: 'fails', actions: ALL_BAD })
  return READ

  function endingOf(): Reading<Ending> {
    const file = files.find(entry.module, 'all')
    if (file.kind === 'unknown') return file
    if (file.value === null) return known('failed')
    const level = place.level + (keyword === 'substack' ? 1 : 0)
    return expandFile(expansion, { file: file.value, requested: type, level, above: [...place.above, place.file.path] })
  }
}

/** The name of a module without `.so`; one that is not from a directory of modules keeps its path. */
export function moduleName(module: string): string {
  return module.replace(MODULE_DIRECTORY, '').replace(/\.so$/, '')
}

const MODULE_DIRECTORY = /^(?:\/(?:usr\/)?lib[^/]*\/(?:[^/]+\/)?security\/|\$ISA\/)?(?=[^/]*$)/

export function originOf({ file, line }: Pick<PamEntry, 'file' | 'line'>): string {
  return `${file}:${line}`
}
