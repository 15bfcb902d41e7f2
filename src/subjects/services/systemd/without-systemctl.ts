import { absent, type Observation, unknown } from '../../../model/observation.ts'
import type { MachineFiles } from '../../../host/live/machine-files.ts'
import { provesAbsence, unreadable } from '../../../host/live/system-error.ts'
import type { ServiceStatus, UnitPlaces } from '../services.ts'
import type { UnitFiles } from './enablement.ts'

/** The program that the kernel starts, of systemd or another init. */
const INIT = ['/sbin/init', '/usr/sbin/init', '/etc/init', '/bin/init']

/**
 * The status of a unit where systemd is not installed. A unit without a file or init script does not exist, unless another
 * init may know the service under its name.
 */
export function statusWithoutSystemctl(
  { units, machine }: { readonly units: UnitFiles; readonly machine: MachineFiles },
  places: UnitPlaces,
): Observation<ServiceStatus, UnitPlaces> {
  const found = units.lookUp(places.unit)
  if (found.kind === 'unknown') return found
  if (found.value !== null)
    return unknown('no-provider', `systemctl is not installed, and cannot tell what starts ${places.unit}`)
  for (const path of INIT) {
    try {
      if (machine.lstat(path) !== undefined)
        return unknown('no-provider', `systemctl is not installed, and ${path} of another init may start the service`)
    } catch (error) {
      if (!provesAbsence(error)) return unreadable(error, path)
    }
  }
  return absent(places)
}
