import { known, type Reading } from '../../../model/observation.ts'
import type { UnitEnablement } from '../services.ts'
import type { MachineFiles } from '../../../host/live/machine-files.ts'
import { provesAbsence, unreadable } from '../../../host/live/system-error.ts'

/** Runlevels whose links enable a script, as in systemd-sysv-install. */
const STARTING = ['/etc/rc5.d', '/etc/rcS.d']

/** The enablement of an init script: enabled if a runlevel starts it. `null` without a script. */
export function readInitScript(files: MachineFiles, unit: string): Reading<UnitEnablement | null> {
  const script = unit.endsWith('.service') ? unit.slice(0, -'.service'.length) : undefined
  if (script === undefined) return known(null)
  const path = `/etc/init.d/${script}`
  try {
    if (files.lstat(path) === undefined) return known(null)
    const isEnabled = STARTING.some((directory) => startsScript(files, directory, script))
    return known({ state: isEnabled ? 'enabled' : 'disabled', isInstallable: true })
  } catch (error) {
    return provesAbsence(error) ? known(null) : unreadable(error, path)
  }
}

function startsScript(files: MachineFiles, directory: string, script: string): boolean {
  try {
    return files.names(directory).some((name) => name.startsWith('S') && name.slice(3) === script)
  } catch (error) {
    if (provesAbsence(error)) return false
    throw error
  }
}
