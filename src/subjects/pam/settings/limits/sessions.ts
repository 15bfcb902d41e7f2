import { known, type Reading, unknown } from '../../../../model/observation.ts'
import { ANY_KEY, type Assignment } from '../../../../settings/assignment.ts'
import type { ConfigFiles } from '../../../../settings/surface.ts'
import { openPamTexts } from '../../stack/files.ts'
import { expandPam, originOf, type PamEntry } from '../../stack/stack.ts'
import { whyNoPam } from '../../use-pam.ts'
import { wayUncalled } from '../../ways.ts'
import { namedFile } from '../pam-lines.ts'
import { UNLIMITED } from './format.ts'

/** Services that open user sessions. */
const SERVICES = 'login sshd su su-l sudo sudo-i gdm-password lightdm sddm cron crond atd'.split(' ')

/** The use of pam_limits in sessions. */
interface Sessions {
  /** The file that each line sets instead of the default files. */
  readonly named: string | undefined
  /** The services whose sessions may not call pam_limits. */
  readonly unlimited: readonly Assignment[]
}

/** Reads the stacks of the installed services. */
export function readSessions(files: ConfigFiles): Reading<Sessions> {
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
