import { defined } from '../../../model/defined.ts'
import { known, type Reading, type Unknown, unknown } from '../../../model/observation.ts'
import { RISKS } from '../../../model/risk.ts'
import { ANY_KEY, type Assignment } from '../../../settings/assignment.ts'
import { resolveByRules } from '../../../settings/effective.ts'
import type { PamEntry } from '../stack/stack.ts'
import { words } from '../../../settings/formats/words.ts'
import { assignmentsOfLines, markUnused, namedFile, readPamLines, resolveModule } from './pam-lines.ts'
import { anyExists, parseAll } from '../../../settings/reading.ts'
import type { ConfigFiles, Effective, KeyRules, Surface } from '../../../settings/surface.ts'
import { byNumber, decimalOf, VALUES } from '../../../settings/values.ts'

const MAIN = '/etc/security/faillock.conf'

/** The number at the start of a value, which is all that sscanf(3) reads of it. */
const leadingNumber = (value: string): number | undefined => decimalOf(/^[+-]?\d+/.exec(value)?.[0] ?? '')

/** An unsigned short: -1 is 65535, and 65536 is 0. */
const ATTEMPTS = byNumber((value) => {
  const number = leadingNumber(value)
  if (number === undefined) return undefined
  const attempts = ((number % 65_536) + 65_536) % 65_536
  return attempts === 0 ? Number.POSITIVE_INFINITY : attempts
})

const SECONDS = byNumber(leadingNumber)

/** Seconds; `0` and `never` disable the timeout. */
const TIMES = byNumber((value) => {
  const seconds = value === 'never' ? 0 : leadingNumber(value)
  return seconds === 0 ? Number.POSITIVE_INFINITY : seconds
})

/** MAX_TIME_INTERVAL of pam_faillock, seven days: it ignores longer times. */
const LONGEST_SECONDS = 604_800

const isTime = (value: string): boolean => {
  const seconds = leadingNumber(value)
  return seconds !== undefined && seconds >= 0 && seconds <= LONGEST_SECONDS
}

const FLAG: KeyRules = { order: VALUES, wins: 'last', isFlag: true }

const KEYS: Readonly<Record<string, KeyRules>> = {
  dir: { order: VALUES, wins: 'last', default: '/var/run/faillock' },
  deny: { order: ATTEMPTS, wins: 'last', default: '3', takes: (value) => leadingNumber(value) !== undefined },
  fail_interval: { order: SECONDS, wins: 'last', default: '900', takes: isTime },
  unlock_time: { order: TIMES, wins: 'last', default: '600', takes: (value) => value === 'never' || isTime(value) },
  root_unlock_time: { order: TIMES, wins: 'last', takes: (value) => value === 'never' || isTime(value) },
  admin_group: { order: VALUES, wins: 'last' },
  audit: FLAG,
  silent: FLAG,
  no_log_info: FLAG,
  local_users_only: FLAG,
  nodelay: FLAG,
  even_deny_root: FLAG,
}

/** Account lockout after failed logins. */
export const faillock: Surface = {
  name: 'faillock',
  summary:
    '`/etc/security/faillock.conf`, or the file in the argument `conf=` of pam_faillock; the last line wins. Arguments of pam_faillock in `/etc/pam.d` override the file. Without a service that runs pam_faillock, `deny` has no default. If only `even_deny_root` is set, `root_unlock_time` equals `unlock_time`. A fix edits the effective line. 0 and `never` exceed every duration; pam_faillock ignores more than 604800 seconds. A `deny` of 0 disables the lockout and exceeds every number.',
  risk: RISKS.login,
  installed: (files) => anyExists(files, [MAIN, '/usr/sbin/faillock']),
  keyOf: (text) =>
    Object.hasOwn(KEYS, text)
      ? { section: '', key: text }
      : { problem: `is unknown: use one of ${Object.keys(KEYS).join(', ')}` },
  rulesOf: ({ key }) => KEYS[key] ?? FLAG,
  read: readFaillock,
  resolve(assignments, rules) {
    const [forAll, ...scoped] = resolveModule(assignments, (written) => resolveLines(written, rules))
    // The other settings only say how a lock works.
    return rules === KEYS['deny'] ? [forAll, ...scoped] : [{ ...forAll, unused: undefined }, ...scoped]
  },
  writes: (files) => ({ file: fileForAll(files), format: words }),
  activation: { kind: 'none' },
}

/** Lines of the module that read the same file. */
interface Group {
  readonly file: string
  readonly lines: readonly PamEntry[]
}

/** Groups lines by file, the default file first. Without lines, the default file is the only group. */
function readGroups(files: ConfigFiles): Reading<readonly [Group, ...Group[]]> {
  const lines = readPamLines(files, 'pam_faillock', 'auth')
  if (lines.kind === 'unknown') return lines
  const fileOf = (line: PamEntry): string => namedFile(line) ?? MAIN
  const groups = [...new Set(lines.value.map(fileOf))]
    .toSorted((left, right) => Number(right === MAIN) - Number(left === MAIN))
    .map((file) => ({ file, lines: lines.value.filter((line) => fileOf(line) === file) }))
  const [first, ...others] = groups
  return known([first ?? { file: MAIN, lines: [] }, ...others])
}

function fileForAll(files: ConfigFiles): string {
  const groups = readGroups(files)
  return groups.kind === 'unknown' ? MAIN : groups.value[0].file
}

function readFaillock(files: ConfigFiles): Reading<readonly Assignment[]> {
  const groups = readGroups(files)
  if (groups.kind === 'unknown') return groups
  const all = [...markUnused(groups.value[0].lines, 'pam_faillock')]
  for (const [index, { file, lines }] of groups.value.entries()) {
    const broken = whyBroken(files, file)
    if (broken !== undefined) return broken
    const written = parseAll(files, [file], words)
    if (written.kind === 'unknown') return written
    const scope = index === 0 ? {} : { scope: `lines with conf=${file}` }
    if (index > 0) all.push({ section: '', key: ANY_KEY, value: file, file, line: 0, ...scope })
    const own = [...written.value.map((each) => ({ ...each, ...scope })), ...assignmentsOfLines(lines, scope.scope)]
    all.push(...own, ...impliedBy(own, scope.scope))
  }
  return known(all)
}

/** The longest line that pam_faillock reads, in bytes. */
const LONGEST_LINE = 1023

/** Why pam_faillock fails instead of counting: without the file that its line names, and at a line that is too long. */
function whyBroken(files: ConfigFiles, file: string): Unknown | undefined {
  const text = files.text(file)
  if (text.kind === 'unknown') return text
  if (text.value === null)
    return file === MAIN ? undefined : unknown('invalid', `${file} does not exist, so pam_faillock fails`)
  const long = text.value.split('\n').findIndex((line) => Buffer.byteLength(line) >= LONGEST_LINE)
  return long === -1
    ? undefined
    : unknown('invalid', `${file}:${long + 1}: the line is too long, so pam_faillock fails`)
}

/** Without root_unlock_time, even_deny_root implies unlock_time for root. */
function impliedBy(own: readonly Assignment[], scope: string | undefined): readonly Assignment[] {
  const last = (key: string): Assignment | undefined =>
    own.findLast((each) => each.key === key && each.scope === scope && (KEYS[key]?.takes?.(each.value) ?? true))
  const flag = last('even_deny_root')
  if (flag === undefined || last('root_unlock_time') !== undefined) return []
  const time = last('unlock_time')?.value ?? KEYS['unlock_time']?.default ?? ''
  return [{ ...flag, key: 'root_unlock_time', value: time }]
}

/**
 * The effective values of lines with the default file, and of lines with another file, which ignore the default file.
 */
function resolveLines(assignments: readonly Assignment[], rules: KeyRules): readonly [Effective, ...Effective[]] {
  const apart = new Map(assignments.flatMap(({ key, scope, value }) => (key === ANY_KEY ? [[scope, value]] : [])))
  const [forAll, ...scoped] = resolveByRules(
    assignments.filter(({ key }) => key !== ANY_KEY),
    rules,
  )
  const alone = [...apart].map(([scope, file]): Effective => {
    const own = scoped.find((each) => each.scope === scope) ?? { ...defined({ scope }), winners: [], losers: [] }
    return { ...own, standsAlone: true, remedy: `set it in ${file}, too` }
  })
  return [forAll, ...scoped.filter(({ scope }) => !apart.has(scope)), ...alone]
}
