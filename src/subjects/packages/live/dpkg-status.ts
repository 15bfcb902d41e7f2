import type { PackageState } from '../packages.ts'

/** A package as dpkg's database describes it. */
export interface DpkgPackage {
  readonly name: string
  readonly version: string
  readonly architecture: string
  readonly state: PackageState | 'not-installed'
  readonly held: boolean
}

/** A parsed database, or what is wrong with it and where. */
export type DpkgStatus =
  | { readonly kind: 'parsed'; readonly packages: readonly DpkgPackage[] }
  | { readonly kind: 'damaged'; readonly detail: string }

/** What a stanza without a status means: packages of images built without dpkg are there, others cannot be. */
export interface DpkgDialect {
  readonly missingStatus: 'installed' | 'damaged'
}

const SELECTIONS: ReadonlySet<string> = new Set(['unknown', 'install', 'hold', 'deinstall', 'purge'])
const FLAGS: ReadonlySet<string> = new Set(['ok', 'reinstreq', 'hold', 'hold-reinstreq'])

const STATES: ReadonlyMap<string, DpkgPackage['state']> = new Map(
  (
    [
      'not-installed',
      'config-files',
      'half-installed',
      'unpacked',
      'half-configured',
      'triggers-awaited',
      'triggers-pending',
      'installed',
    ] as const
  ).map((state) => [state, state]),
)

/** The states in which a package need not have a version. */
const VERSIONLESS: ReadonlySet<string> = new Set(['not-installed', 'config-files', 'half-installed'])

const LINE_FEED = 10
const SPACE = 32
const TAB = 9

/** The names of the fields that are read, by their length: most fields of a database are passed over by it. */
const FIELDS: ReadonlyMap<number, readonly string[]> = new Map([
  [6, ['status']],
  [7, ['package', 'version']],
  [12, ['architecture']],
])

/**
 * Parses the text of dpkg's status file. It has to be whole: text that ends within a line, lines that are no fields, and
 * stanzas without name or state mean damage, because a package that cannot be seen must not count as absent.
 *
 * @see deb-control(5) and dpkg(1)
 */
export function parseDpkgStatus(text: string, { missingStatus }: DpkgDialect): DpkgStatus {
  if (text.includes('\0')) return damagedStatus('NUL characters', text, text.indexOf('\0'))
  if (text !== '' && text.charCodeAt(text.length - 1) !== LINE_FEED) {
    return damagedStatus('the last line is incomplete', text, text.length)
  }
  const packages: DpkgPackage[] = []
  let fields = new Map<string, string>()
  let start = 0
  let isOpen = false
  for (let position = 0; position <= text.length;) {
    const end = endOfLine(text, position)
    const first = text.charCodeAt(position)
    if (end === position) {
      const found = isOpen ? describePackage(fields, missingStatus) : undefined
      if (typeof found === 'string') return damagedStatus(found, text, start)
      if (found !== undefined) packages.push(found)
      if (isOpen) fields = new Map()
      isOpen = false
    } else if (first !== SPACE && first !== TAB) {
      if (!isOpen) start = position
      isOpen = true
      if (!readField(fields, text, position, end)) return damagedStatus('a line is not a field', text, position)
    } else if (!isOpen) {
      return damagedStatus('a continuation line without a field', text, position)
    }
    position = end + 1
  }
  return { kind: 'parsed', packages }
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return end < 0 ? text.length : end
}

function damagedStatus(what: string, text: string, position: number): DpkgStatus {
  const line = text.slice(0, position).split('\n').length
  return { kind: 'damaged', detail: `line ${line}: ${what}` }
}

/** Keeps a field that matters; false if the line has no field. */
// oxlint-disable-next-line max-params -- runs for every line of a large file, where objects for arguments would count
function readField(fields: Map<string, string>, text: string, start: number, end: number): boolean {
  const colon = text.indexOf(':', start)
  if (colon <= start || colon >= end) return false
  const candidates = FIELDS.get(colon - start)
  if (candidates === undefined) return true
  const name = text.slice(start, colon).toLowerCase()
  if (candidates.includes(name)) fields.set(name, text.slice(colon + 1, end).trim())
  return true
}

/** The package of a stanza, or what is wrong with it. */
function describePackage(
  fields: ReadonlyMap<string, string>,
  missingStatus: DpkgDialect['missingStatus'],
): DpkgPackage | string {
  const name = fields.get('package')
  if (name === undefined || name === '') return 'a package has no name'
  const status = fields.get('status') ?? (missingStatus === 'installed' ? 'install ok installed' : undefined)
  if (status === undefined) return `package ${name} has no status`
  const [selection = '', flag = '', word = '', ...rest] = status.split(/\s+/)
  const state = STATES.get(word)
  if (state === undefined || !SELECTIONS.has(selection) || !FLAGS.has(flag) || rest.length > 0) {
    return `package ${name} has the invalid status "${status}"`
  }
  const isBroken = flag.endsWith('reinstreq') && state === 'installed'
  const version = fields.get('version') ?? ''
  if (version === '' && !VERSIONLESS.has(state)) return `package ${name} has no version`
  return {
    name,
    version,
    architecture: fields.get('architecture') ?? '',
    state: isBroken ? 'reinst-required' : state,
    held: selection === 'hold',
  }
}
