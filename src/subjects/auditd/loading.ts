import { known, type Reading, unknown } from '../../model/observation.ts'
import { otherServices, readUnit } from '../../settings/service-unit.ts'
import type { ConfigFiles } from '../../settings/surface.ts'

/** Units of audit 3 and 4 that load the rules when the host starts. */
const UNITS = ['auditd.service', 'audit-rules.service'] as const

/** What removes rules, loads others or disables auditing. @see auditctl(8) */
const CHANGE = /\/auditctl\s(?:.*\s)?-(?:[DRWd]|e\s*0)/

/** Whether a unit loads the compiled rules; unknown if the known units do not, or if another unit changes them. */
export function readLoading(files: ConfigFiles): Reading<true> {
  const [other] = otherServices(files, UNITS, ({ key, value }) => key.startsWith('Exec') && CHANGE.test(value))
  if (other !== undefined)
    return unknown('not-observable', `${other} runs auditctl, which removes rules or loads others`)
  let hasUnit = false
  for (const name of UNITS) {
    const unit = readUnit(files, name, { section: 'Service' })
    if (unit.kind === 'unknown') return unit
    hasUnit ||= unit.value !== undefined
    if (unit.value?.some(({ key, value }) => key.startsWith('ExecStart') && /\/(?:augenrules|auditctl)\b/.test(value)))
      return known(true)
  }
  return hasUnit
    ? unknown('not-observable', `${UNITS.join(' and ')} run neither augenrules nor auditctl, so no rules are loaded`)
    : known(true)
}
