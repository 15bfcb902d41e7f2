import { unknown } from '../../model/observation.ts'
import type { Captured, ResourceCapture } from '../../resource-type/capture.ts'
import type { PackageContext, PackageStateObserved } from './model.ts'
import { decidePackages, type PackageOrGroupObserved } from './group.ts'
import { countedInstances, installedVersions } from './instances.ts'

/** The version that is installed. */
export const packageCapture: ResourceCapture<PackageOrGroupObserved, PackageContext> = {
  look: { ensure: 'absent' },
  describe(seen, { name }): Captured {
    // Configuration files that a removal has left are no package.
    const isAbsent = decidePackages({ name, ensure: 'absent' }, seen).drift.length === 0
    if (seen.kind === 'absent' || isAbsent) return { kind: 'absent', properties: { ensure: 'absent' } }
    // The look is at one package, and not at a group.
    const { instances } = seen.state as PackageStateObserved
    const [version] = installedVersions(countedInstances(instances))
    if (version === undefined) return unknown('not-observable', `${name} is not completely installed`)
    return { kind: 'present', properties: { ensure: version } }
  },
}
