import { known, type Reading } from '../../model/observation.ts'
import { RISKS } from '../../model/risk.ts'
import type { Assignment } from '../assignment.ts'
import { anyExists, parseAll } from '../reading.ts'
import { type ConfigFiles, OWN_HEAD, type Surface } from '../surface.ts'
import { byNumber, decimalOf } from '../values.ts'
import { limitsFormat, ROOT_STANDS_ALONE } from './format.ts'
import { passedOver } from './passed-over.ts'
import { parseUser, resolveLimits } from './resolve.ts'

const MAIN = '/etc/security/limits.conf'
const DIRECTORY = '/etc/security/limits.d'

/** Only Debian's pam_limits, and that of its relatives, leaves root out of what is for all and for groups. */
const DEBIAN = '/etc/debian_version'

/** What pam_limits sets for a session. */
export const limits: Surface = {
  name: 'limits',
  summary:
    'The limits of sessions: `/etc/security/limits.conf`, then `limits.d/*.conf` by name. A line of a user wins over one of a group, that over `*`, of equals the last; on Debian `*` and groups leave root out. A fix writes a file of its own for `*` and root. Services are no sessions: systemd has their limits.',
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
      assignments.filter(({ value }) => rules.takes?.(value) ?? true),
      parseUser(match ?? ''),
    )
  },
  writes: () => ({ file: `${DIRECTORY}/zz-driftgate.conf`, format: limitsFormat, head: OWN_HEAD }),
  activation: { kind: 'none' },
}

function read(files: ConfigFiles): Reading<readonly Assignment[]> {
  const names = files.names(DIRECTORY)
  if (names.kind === 'unknown') return names
  const dropIns = (names.value ?? []).filter((name) => name.endsWith('.conf') && !name.startsWith('.'))
  const paths = dropIns
    .toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    .map((name) => `${DIRECTORY}/${name}`)
  const assignments = parseAll(files, [MAIN, ...paths], limitsFormat)
  if (assignments.kind === 'unknown') return assignments
  const debian = files.exists(DEBIAN)
  if (debian.kind === 'unknown') return debian
  const all = [...assignments.value, ...passedOver(assignments.value)]
  return known(debian.value ? [ROOT_STANDS_ALONE, ...all] : all)
}
