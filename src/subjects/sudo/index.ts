import { defined } from '../../model/defined.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { RISKS } from '../../model/risk.ts'
import { ANY_KEY, type Assignment, type KeyName } from '../../settings/assignment.ts'
import type { Edited, EditPlace, Format } from '../../settings/formats/format.ts'
import { anyExists } from '../../settings/reading.ts'
import { type ConfigFiles, type Effective, type KeyRules, OWN_HEAD, type Surface } from '../../settings/surface.ts'
import { byNumber, FOLDED } from '../../settings/values.ts'
import { sudoersLines } from './lines.ts'
import { readSources } from './sources.ts'
import { NO_AUTHENTICATE, NOPASSWD, readStatement, SWITCHES } from './statements.ts'
import { explainVisudo } from './visudo.ts'
import { askSudo } from './witness.ts'

const OWN_FILE = '/etc/sudoers.d/zz-driftgate'

/** Exists on Debian, where one default of sudo differs. */
const DEBIAN = '/etc/debian_version'

export const sudoers: Surface = {
  name: 'sudoers',
  summary:
    '`/etc/sudoers`, or the file that `sudo.conf` names, with its includes in order. Files that sudo rejects because of their owner or mode do not count. The last `Defaults` line wins within its scope. `NOPASSWD` and `!authenticate` are the rules that require no password. Rules of a directory service in `nsswitch.conf` are unknown. A fix writes `/etc/sudoers.d/zz-driftgate` and does not change user rules.',
  risk: RISKS.root,
  installed: (files) => anyExists(files, ['/usr/bin/sudo', '/bin/sudo', '/usr/local/bin/sudo']),
  keyOf(text) {
    if (text === NOPASSWD || text === NO_AUTHENTICATE || /^Defaults\.[a-z]\w*$/.test(text))
      return { section: '', key: text }
    return { problem: 'must be NOPASSWD, !authenticate, or an option such as Defaults.use_pty' }
  },
  rulesOf,
  read: (files) => readSudoers(files).assignments,
  resolve(assignments, { wins }) {
    const own = assignments.filter(({ key }) => key !== ANY_KEY)
    const resolved = (): readonly [Effective, ...Effective[]] => {
      if (wins === 'last') return resolveDefaults(own)
      return own[0]?.key === NOPASSWD ? resolvePlaces(own) : resolveUnasked(own)
    }
    const [first, ...others] = resolved()
    const services = assignments
      .filter(({ key }) => key === ANY_KEY)
      .map((each): Effective => ({
        scope: each.value,
        winners: [each],
        losers: [],
        ...defined({ doubt: each.unclear }),
      }))
    return [first, ...others, ...services]
  },
  writes: () => ({
    file: OWN_FILE,
    format: sudoersFormat,
    head: OWN_HEAD,
    mode: 0o440,
    // With `-q` visudo would report neither the error nor the file with the wrong owner or mode.
    check: (candidate) => ['sh', '-c', 'visudo -cf "$1" && visudo -c', 'sh', candidate],
    explain: explainVisudo,
  }),
  witness: askSudo,
  activation: { kind: 'none' },
}

/** Minutes, with or without digits on each side of the point; a negative value means until the next boot. */
const MINUTES = byNumber((text) => {
  const [, sign, digits] = /^([-+]?)(\d*\.?\d*)$/.exec(text) ?? []
  const minutes = digits === undefined ? undefined : Number(`0${digits}`)
  return minutes !== undefined && minutes > 0 && sign === '-' ? Number.POSITIVE_INFINITY : minutes
})

/** @see sudoers(5) */
const PRESETS: Readonly<Record<string, string>> = {
  'Defaults.log_allowed': 'true',
  'Defaults.pam_service': 'sudo',
  'Defaults.pam_login_service': 'sudo-i',
}

function rulesOf({ key }: KeyName, files?: ConfigFiles): KeyRules {
  if (key === NOPASSWD || key === NO_AUTHENTICATE) return { order: FOLDED, wins: 'all', between: '; ' }
  const isSwitch = SWITCHES.has(key.replace('Defaults.', ''))
  const plain: KeyRules = { order: FOLDED, wins: 'last', ...(isSwitch && { switch: ['true', 'false'] }) }
  if (Object.hasOwn(PRESETS, key)) return { ...plain, ...defined({ default: PRESETS[key] }) }
  if (key !== 'Defaults.timestamp_timeout') return plain
  const debian = files?.exists(DEBIAN)
  const builtIn = debian?.kind === 'known' ? (debian.value ? '15' : '5') : undefined
  return { order: MINUTES, wins: 'last', ...defined({ default: builtIn }) }
}

type Problem = ReturnType<typeof unknown>

export interface SudoersRead {
  readonly assignments: Reading<readonly Assignment[]>
  /** The files with their includes and directories, those that sudo rejects included. */
  readonly paths: readonly string[]
}

/** The rules and options with their sources. */
export function readSudoers(files: ConfigFiles): SudoersRead {
  const sources = readSources(files)
  if (sources.kind === 'unknown') return { assignments: sources, paths: [] }
  const { main, service } = sources.value
  const reader: Reader = { files, all: service === undefined ? [] : [service], paths: new Set() }
  const problem = readFile(reader, { file: main, depth: 0 })
  return { assignments: problem ?? known(reader.all), paths: [...reader.paths] }
}

interface Reader {
  readonly files: ConfigFiles
  readonly all: Assignment[]
  readonly paths: Set<string>
}

interface Inclusion {
  readonly file: string
  readonly depth: number
}

/** Maximum include depth of sudo. */
const MAX_DEPTH = 128

function readFile(reader: Reader, { file, depth }: Inclusion): Problem | undefined {
  const { files, all } = reader
  if (depth > MAX_DEPTH) return unknown('invalid', `${file}: includes are nested more than ${MAX_DEPTH} levels deep`)
  const isRead = isTrusted(reader, file)
  if (isRead.kind === 'unknown') return isRead
  if (!isRead.value) {
    return depth > 0
      ? undefined
      : unknown('invalid', `${file} does not exist or users other than root can write to it, so sudo does not work`)
  }
  const text = files.text(file)
  if (text.kind === 'unknown') return text
  if (text.value?.includes('\0') === true)
    return unknown('invalid', `${file} has a NUL byte, at which sudo ends a line`)
  for (const line of sudoersLines(text.value ?? '')) {
    const statement = readStatement(line, file)
    if (statement.kind === 'assignments') {
      all.push(...statement.assignments)
      continue
    }
    const { path } = statement
    if (path.includes('%h')) return unknown('not-observable', `${file}:${line.line}: ${path} contains the host name`)
    const absolute = path.startsWith('/') ? path : `${file.slice(0, file.lastIndexOf('/'))}/${path}`
    const paths = statement.kind === 'include' ? known([absolute]) : filesIn(reader, absolute)
    if (paths.kind === 'unknown') return paths
    for (const each of paths.value) {
      const problem = readFile(reader, { file: each, depth: depth + 1 })
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

function filesIn(reader: Reader, directory: string): Reading<readonly string[]> {
  const { files } = reader
  const isRead = isTrusted(reader, directory)
  if (isRead.kind === 'unknown') return isRead
  const names = files.names(directory)
  if (names.kind === 'unknown') return names
  const read = (isRead.value ? (names.value ?? []) : []).filter((name) => !name.includes('.') && !name.endsWith('~'))
  return known(read.map((name) => `${directory.replace(/\/$/, '')}/${name}`).filter((path) => isRegular(files, path)))
}

/** sudo reads only regular files of a directory. Unreadable entries are kept, and are unknown when read. */
function isRegular(files: ConfigFiles, path: string): boolean {
  const kind = files.kind(path)
  return kind.kind === 'unknown' || kind.value === 'file'
}

/** Whether sudo accepts a file: owned by root, and writable by no other user. @see sudo_secure_path of sudo */
function isTrusted({ files, paths }: Reader, path: string): Reading<boolean> {
  const seen = files.attributes(path)
  if (seen.kind === 'unknown' || seen.value !== null) paths.add(path)
  if (seen.kind === 'unknown' || seen.value === null) return seen.kind === 'unknown' ? seen : known(false)
  const { uid, gid, mode } = seen.value
  return known(uid === 0 && (mode & 0o002) === 0 && ((mode & 0o020) === 0 || gid === 0))
}

/** The last line of each scope is effective; a later line for all overrides one for a scope. Command scopes are applied last. */
function resolveDefaults(assignments: readonly Assignment[]): readonly [Effective, ...Effective[]] {
  const forAll = assignments.filter(({ scope }) => scope === undefined)
  const scopes = new Set(assignments.flatMap(({ scope }) => (scope === undefined ? [] : [scope])))
  const within = [...scopes].flatMap((scope): Effective[] => {
    const isLater = scope.startsWith('Defaults!')
    const own = assignments.filter((each) => each.scope === scope || (!isLater && each.scope === undefined))
    const winner = own.at(-1)
    return winner?.scope === scope ? [{ scope, winners: [winner], losers: own.slice(0, -1) }] : []
  })
  return [{ winners: forAll.slice(-1), losers: forAll.slice(0, -1) }, ...within]
}

/** Scopes that need no password; lines overridden later do not count. */
function resolveUnasked(assignments: readonly Assignment[]): readonly [Effective, ...Effective[]] {
  const places = resolveDefaults(assignments)
    .filter(({ winners }) => winners.some(({ value }) => value === 'false'))
    .map(({ scope = 'Defaults', ...each }): Effective => ({ scope, ...each }))
  return [{ winners: [], losers: [] }, ...places]
}

/** Each line is effective by itself, as it grants its own rights. */
function resolvePlaces(assignments: readonly Assignment[]): readonly [Effective, ...Effective[]] {
  const places = assignments.map((each): Effective => ({
    scope: each.scope ?? each.value,
    winners: [each],
    losers: [],
  }))
  return [{ winners: [], losers: [] }, ...places]
}

/** Defaults lines with one option each. User rules are never written or removed. */
const sudoersFormat: Format = {
  name: 'sudoers',
  hasSections: false,
  parse: (text, file) => known(assignmentsIn(text, file)),
  set(text, place, [value = '']) {
    if (isGrant(place)) return { kind: 'refused', reason: GRANTS }
    if (/[\n\r\0"\\]/.test(value))
      return { kind: 'refused', reason: `${JSON.stringify(value)} cannot be written to sudoers` }
    const name = place.key.replace(/^Defaults\./, '')
    const option =
      { true: name, false: `!${name}` }[value] ?? `${name}=${/^[\w./-]+$/.test(value) ? value : `"${value}"`}`
    const kept = removeLines(text, place)
    return kept.kind === 'refused' ? kept : { kind: 'edited', text: `${withEnd(kept.text)}Defaults ${option}\n` }
  },
  remove: (text, place) => (isGrant(place) ? { kind: 'refused', reason: GRANTS } : removeLines(text, place)),
}

const GRANTS = 'the rule may be the only access of a user: edit it with visudo'

function isGrant({ key }: EditPlace): boolean {
  return key === NOPASSWD || key === NO_AUTHENTICATE
}

function assignmentsIn(text: string, file: string): readonly Assignment[] {
  return sudoersLines(text).flatMap((line) => {
    const statement = readStatement(line, file)
    return statement.kind === 'assignments' ? statement.assignments : []
  })
}

/** Removes lines with only this option. */
function removeLines(text: string, { isSame }: EditPlace): Edited {
  const all = assignmentsIn(text, '')
  const own = all.filter(isSame)
  const shared = own.find(({ line }) => all.some((each) => each.line === line && !isSame(each)))
  if (shared !== undefined)
    return { kind: 'refused', reason: `line ${shared.line} sets other options, too: change it by hand` }
  const lines = text.split('\n')
  const isContinued = own.some(({ line }) => lines[line - 1]?.endsWith('\\'))
  if (isContinued) return { kind: 'refused', reason: 'a fix does not change continued lines: change it by hand' }
  return { kind: 'edited', text: lines.filter((_, index) => !own.some(({ line }) => line === index + 1)).join('\n') }
}

function withEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
