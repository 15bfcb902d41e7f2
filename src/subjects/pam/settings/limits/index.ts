import { dropInsIn } from '../../../../host/paths-in.ts'
import { withBlanksOfC } from '../../../../settings/blanks.ts'
import { known, type Reading, unknown } from '../../../../model/observation.ts'
import { RISKS } from '../../../../model/risk.ts'
import { ANY_KEY, type Assignment } from '../../../../settings/assignment.ts'
import { anyExists, parseAll } from '../../../../settings/reading.ts'
import { type ConfigFiles, type Effective, OWN_HEAD, type Surface } from '../../../../settings/surface.ts'
import { byNumber, decimalOf } from '../../../../settings/values.ts'
import { limitsFormat, ROOT_STANDS_ALONE, UNLIMITED } from './format.ts'
import { openPamTexts } from '../../stack/files.ts'
import { expandPam, originOf, type PamEntry } from '../../stack/stack.ts'
import { whyNoPam } from '../../use-pam.ts'
import { wayUncalled } from '../../ways.ts'
import { namedFile } from '../pam-lines.ts'
import { defined } from '../../../../model/defined.ts'
import { byScopes } from '../../../../settings/effective.ts'

interface LimitedUser {
  readonly user: string
  readonly groups: readonly string[]
}

/** Services that open user sessions. */
const SERVICES = 'login sshd su su-l sudo sudo-i gdm-password lightdm sddm cron crond atd'.split(' ')

interface Sessions {
  /** The file that each line sets instead of the default files. */
  readonly named: string | undefined
  /** The services whose sessions may not call pam_limits. */
  readonly unlimited: readonly Assignment[]
}

const MAIN = '/etc/security/limits.conf'
const DIRECTORY = '/etc/security/limits.d'

/** Only the pam_limits of Debian and its derivatives exempts root from the limits for `*` and for groups. */
const DEBIAN = '/etc/debian_version'

export const limits: Surface = {
  name: 'limits',
  summary:
    'Session limits: `/etc/security/limits.conf`, then `limits.d/*.conf` in name order, or only the file in the argument `conf=` of pam_limits. Sessions of a service whose stack does not call pam_limits have no such limits. A line for a user overrides a line for a group, which overrides `*`; the last of equal lines wins. On Debian, `*` and groups do not apply to root. A fix writes its own file for `*` and root. Services are not sessions: systemd sets their limits.',
  risk: RISKS.login,
  installed: (files) => anyExists(files, [MAIN, DIRECTORY]),
  keyOf(text) {
    const isKey = /^(?:hard|soft)\.[a-z]+$/.test(text)
    return isKey ? { section: '', key: text } : { problem: 'must name a kind and an item, such as hard.core' }
  },
  rulesOf: () => ({
    order: byNumber((text) => (/^(?:unlimited|infinity|-1)$/.test(text) ? Number.POSITIVE_INFINITY : decimalOf(text))),
    wins: 'last',
    takes: isLimit,
  }),
  matchProblem: (match) =>
    parseUser(match) === undefined ? 'match must name a user, such as user=bob,group=staff' : undefined,
  read,
  resolve: (assignments, _rules, { match }) => {
    return resolveLimits(assignments.filter(isTaken), parseUser(match ?? ''))
  },
  writes(files) {
    const sessions = readSessions(files)
    const named = sessions.kind === 'known' ? sessions.value.named : undefined
    return { file: named ?? `${DIRECTORY}/zz-driftgate.conf`, format: limitsFormat, head: OWN_HEAD }
  },
  activation: { kind: 'none' },
}

function isLimit(value: string): boolean {
  return /^(?:unlimited|infinity|[+-]?\d+)$/.test(value)
}

/** pam_limits ignores lines with another value. */
function isTaken({ key, value }: Assignment): boolean {
  return key === ANY_KEY || isLimit(value)
}

function read(files: ConfigFiles): Reading<readonly Assignment[]> {
  const sessions = readSessions(files)
  if (sessions.kind === 'unknown') return sessions
  const { named, unlimited } = sessions.value
  const written = named === undefined ? readUsual(files) : parseAll(files, [named], limitsFormat)
  if (written.kind === 'unknown') return written
  const debian = files.exists(DEBIAN)
  if (debian.kind === 'unknown') return debian
  const all = [...written.value, ...passedOver(written.value.filter(isTaken)), ...unlimited]
  return known(debian.value ? [ROOT_STANDS_ALONE, ...all] : all)
}

function readUsual(files: ConfigFiles): Reading<readonly Assignment[]> {
  const dropIns = dropInsIn(files, [DIRECTORY], (name) => name.endsWith('.conf') && !name.startsWith('.'))
  return dropIns.kind === 'unknown' ? dropIns : parseAll(files, [MAIN, ...dropIns.value], limitsFormat)
}

/** Reads the stacks of the installed services. */
function readSessions(files: ConfigFiles): Reading<Sessions> {
  const pamFiles = openPamTexts(files)
  const unlimited: Assignment[] = []
  const lines: PamEntry[] = []
  for (const service of SERVICES) {
    const stack = expandPam(pamFiles, service, 'session')
    if (stack.kind === 'unknown') return stack
    if (stack.value === null) continue
    const { entries } = stack.value
    const isMeant = ({ kind, name }: PamEntry): boolean => kind === 'module' && name === 'pam_limits'
    const way = wayUncalled({ entries, type: 'session', isMeant })
    lines.push(...entries.filter(isMeant))
    if (way !== undefined) unlimited.push(withoutLimits(service, `call pam_limits in the sessions of ${service}`))
  }
  const passedBy = readWhySshdAsksNone(files)
  if (passedBy.kind === 'unknown') return passedBy
  if (passedBy.value !== undefined) unlimited.push(withoutLimits('sshd', passedBy.value))
  const [first, ...others] = lines
  const named = first === undefined ? undefined : namedFile(first)
  const other = others.find((line) => namedFile(line) !== named)
  if (first === undefined || other === undefined) return known({ named, unlimited })
  return unknown('not-observable', `${originOf(first)} and ${originOf(other)} have pam_limits read different files`)
}

function readWhySshdAsksNone(files: ConfigFiles): Reading<string | undefined> {
  const service = files.exists('/etc/pam.d/sshd')
  return service.kind === 'unknown' || !service.value ? known(undefined) : whyNoPam(files)
}

function withoutLimits(service: string, remedy: string): Assignment {
  const scope = `sessions of ${service}, which have no limits`
  return { section: UNLIMITED, key: ANY_KEY, value: remedy, file: `/etc/pam.d/${service}`, line: 1, scope }
}

/** Parses `user=bob,group=staff`; `group=` may occur several times. Undefined without a user. */
function parseUser(text: string): LimitedUser | undefined {
  const parts = text.split(',').map((part) => withBlanksOfC(/^\s*(user|group)=(\S+)\s*$/).exec(part))
  const named = (name: string): readonly string[] =>
    parts.flatMap((part) => (part?.[1] === name ? [part[2] ?? ''] : []))
  const [user, ...others] = named('user')
  return user === undefined || others.length > 0 || parts.includes(null) ? undefined : { user, groups: named('group') }
}

/**
 * The effective limit of a user, or of all users and of each domain with a line; root counts as a domain if it is exempt.
 */
function resolveLimits(
  assignments: readonly Assignment[],
  asked: LimitedUser | undefined,
): readonly [Effective, ...Effective[]] {
  const lines = assignments.filter((each) => each !== ROOT_STANDS_ALONE && each.section !== UNLIMITED)
  const isRootAlone = assignments.includes(ROOT_STANDS_ALONE)
  const others = assignments
    .filter(({ section }) => section === UNLIMITED)
    .map(({ scope, value }): Effective => {
      return { ...defined({ scope }), standsAlone: true, remedy: value, winners: [], losers: [] }
    })
  const byScope = byScopes(lines)
  const own = (scope: string | undefined): readonly Assignment[] => byScope.get(scope) ?? []
  const effective = (counting: readonly Assignment[], rivals: readonly Assignment[], scope?: string): Effective => {
    const exempt = counting.filter(({ key }) => key === ANY_KEY).slice(0, 1)
    const winners = exempt.length > 0 ? exempt : counting.slice(-1)
    const alone = scope === 'root' && isRootAlone ? { standsAlone: true as const } : {}
    return { ...defined({ scope }), ...alone, winners, losers: rivals.filter((each) => !winners.includes(each)) }
  }
  if (asked !== undefined) {
    const range = lines.find(({ scope }) => scope?.includes(':'))
    if (range !== undefined)
      return [effective([{ ...range, unclear: `cannot tell whether ${asked.user} is in ${range.scope}` }], lines)]
    const reaches = asked.user !== 'root' || !isRootAlone
    const ofGroups = lines.filter(({ scope }) => reaches && asked.groups.some((group) => scope === `@${group}`))
    const ranks = [own(asked.user), ofGroups, reaches ? own(undefined) : []]
    const exempting = ranks.flat().filter(({ key }) => key === ANY_KEY)
    const rank = exempting.length > 0 ? exempting : ranks.find((each) => each.length > 0)
    return [effective(rank ?? [], ranks.flat()), ...others]
  }
  const scopes = new Set(lines.flatMap(({ scope }) => (scope === undefined ? [] : [scope])))
  if (isRootAlone) scopes.add('root')
  return [
    effective(own(undefined), own(undefined)),
    ...[...scopes].map((scope) => effective(own(scope), own(scope), scope)),
    ...others,
  ]
}

/**
 * Lines for both types that pam_limits skips: if a soft limit for a user, or for a group before `*`, precedes such a line
 * of a weaker domain, the hard limit of that line does not apply either.
 */
function passedOver(assignments: readonly Assignment[]): readonly Assignment[] {
  const limited = new Set(assignments.map(({ key, scope }) => nameOf(key, scope)))
  const softened = new Map<string, Set<string | undefined>>()
  const passed: Assignment[] = []
  for (const [index, hard] of assignments.entries()) {
    const soft = assignments[index + 1]
    if (hard.key.startsWith('soft.')) softened.set(hard.key, (softened.get(hard.key) ?? new Set()).add(hard.scope))
    if (!hard.key.startsWith('hard.') || soft?.line !== hard.line || soft.file !== hard.file) continue
    for (const scope of softened.get(soft.key) ?? []) {
      const name = nameOf(hard.key, scope)
      if (rankOf(scope) >= rankOf(hard.scope) || limited.has(name)) continue
      // If the effective limit of a user is unclear, later lines do not resolve it.
      limited.add(name)
      const unclear = `pam_limits skips this line for ${scope}, which has a soft limit before it`
      passed.push({ ...hard, ...defined({ scope }), unclear })
    }
  }
  return passed
}

function nameOf(key: string, scope: string | undefined): string {
  return `${key} ${scope ?? ''}`
}

/** A user takes precedence over a group, and a group over `*`. */
function rankOf(scope: string | undefined): number {
  if (scope === undefined) return 3
  return /^[@%]/.test(scope) ? 2 : 1
}
