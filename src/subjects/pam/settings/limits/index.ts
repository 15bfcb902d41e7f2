import { known, type Reading } from '../../../../model/observation.ts'
import { RISKS } from '../../../../model/risk.ts'
import { ANY_KEY, type Assignment } from '../../../../settings/assignment.ts'
import { anyExists, parseAll } from '../../../../settings/reading.ts'
import { type ConfigFiles, OWN_HEAD, type Surface } from '../../../../settings/surface.ts'
import { byNumber, decimalOf } from '../../../../settings/values.ts'
import { limitsFormat, ROOT_STANDS_ALONE } from './format.ts'
import { passedOver } from './passed-over.ts'
import { readSessions } from './sessions.ts'
import { parseUser, resolveLimits } from './resolve.ts'

const MAIN = '/etc/security/limits.conf'
const DIRECTORY = '/etc/security/limits.d'

/** Only the pam_limits of Debian and its derivatives exempts root from the limits for `*` and for groups. */
const DEBIAN = '/etc/debian_version'

/** The limits that pam_limits sets for a session. */
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
    takes: (value) => /^(?:unlimited|infinity|[+-]?\d+)$/.test(value),
  }),
  matchProblem: (match) =>
    parseUser(match) === undefined ? 'match must name a user, such as user=bob,group=staff' : undefined,
  read,
  resolve: (assignments, rules, { match }) => {
    return resolveLimits(
      assignments.filter(({ key, value }) => key === ANY_KEY || (rules.takes?.(value) ?? true)),
      parseUser(match ?? ''),
    )
  },
  writes(files) {
    const sessions = readSessions(files)
    const named = sessions.kind === 'known' ? sessions.value.named : undefined
    return { file: named ?? `${DIRECTORY}/zz-driftgate.conf`, format: limitsFormat, head: OWN_HEAD }
  },
  activation: { kind: 'none' },
}

function read(files: ConfigFiles): Reading<readonly Assignment[]> {
  const sessions = readSessions(files)
  if (sessions.kind === 'unknown') return sessions
  const { named, unlimited } = sessions.value
  const written = named === undefined ? readUsual(files) : parseAll(files, [named], limitsFormat)
  if (written.kind === 'unknown') return written
  const debian = files.exists(DEBIAN)
  if (debian.kind === 'unknown') return debian
  const all = [...written.value, ...passedOver(written.value), ...unlimited]
  return known(debian.value ? [ROOT_STANDS_ALONE, ...all] : all)
}

function readUsual(files: ConfigFiles): Reading<readonly Assignment[]> {
  const names = files.names(DIRECTORY)
  if (names.kind === 'unknown') return names
  const dropIns = (names.value ?? []).filter((name) => name.endsWith('.conf') && !name.startsWith('.'))
  const paths = dropIns
    .toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    .map((name) => `${DIRECTORY}/${name}`)
  return parseAll(files, [MAIN, ...paths], limitsFormat)
}
