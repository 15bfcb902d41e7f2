import { KERNEL_MODULES } from '../kernel-modules/subject.ts'
import { INTERFACES } from './subject.ts'
import { absent, known, type Observation, present, type Reading } from '../../model/observation.ts'
import type { Target } from '../../host/target.ts'
import { type Availability, availabilityOf } from '../kernel-modules/module-availability.ts'
import { ALL, type InterfaceDesired, type ObservedInterface } from './decide.ts'

type Machine = Pick<Target, 'open'>

/** Finds the selected interfaces and, if required by the policy, the availability of their drivers. */
export async function observeInterface(
  { open }: Machine,
  { name, where_kind: kind, driver_available: asked }: Omit<InterfaceDesired, 'ensure' | 'if_absent'>,
): Promise<Observation<readonly ObservedInterface[]>> {
  const list = await open(INTERFACES).list()
  if (list.kind === 'unknown') return list
  const meant = list.value.filter(
    (each) => (name === ALL || each.name === name) && (kind === undefined || each.kind === kind),
  )
  if (meant.length === 0) return absent()
  const driverOf = (driver: string | undefined): Reading<Availability> => {
    // A built-in driver has no module; a missing driver looks the same.
    if (driver === undefined) return known({ kind: 'built-in' })
    const status = open(KERNEL_MODULES).status(driver)
    return status.kind === 'unknown' ? status : availabilityOf(status.value.place, status.value.configuration)
  }
  return present(meant.map((each) => (asked === undefined ? each : { ...each, availability: driverOf(each.driver) })))
}
