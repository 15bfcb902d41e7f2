import type { ExportsOf } from '../../core/exported.ts'
import type { Observation, Unknown } from '../../core/observation.ts'
import { defineExports, type ResourceStatus } from '../../resource-type/define.ts'
import { countedInstances, isInstalled } from './instances.ts'
import type { PackageProperties } from './properties.ts'
import type { PackageContext, PackageStateSeen } from './state.ts'

/** What later resources can read of a package. */
export const packageExports = defineExports({
  installed: { kind: 'boolean', summary: 'Whether it is completely installed.' },
  version: {
    kind: 'text',
    summary: 'The installed version with epoch and revision or release; of several the one that is listed first.',
  },
  versions: { kind: 'list', items: { kind: 'text', summary: 'One.' }, summary: 'All installed versions.' },
  architecture: { kind: 'text', summary: 'The architecture of the installation that `version` is of.' },
  held: { kind: 'boolean', summary: 'Whether the package manager was told not to touch that installation.' },
  candidate: {
    kind: 'text',
    summary: 'The version that the local package index offers, where the resource is `ensure: latest`.',
  },
  manager: { kind: 'text', summary: 'The package manager: `apt` or `dnf`.' },
})

/** The values of a package as its database has it. */
export function exportsOfPackage(
  _: PackageProperties,
  observed: Exclude<Observation<PackageStateSeen, PackageContext>, Unknown>,
): ExportsOf<typeof packageExports> {
  const { manager, candidate } = observed.context
  const instances = observed.kind === 'present' ? observed.state.instances : []
  const installed = countedInstances(instances).filter(isInstalled)
  const [first] = installed
  return {
    installed: first !== undefined,
    version: first?.version,
    versions: [...new Set(installed.map(({ version }) => version))],
    architecture: first?.architecture,
    held: first?.held,
    candidate: candidate?.kind === 'known' ? (candidate.value.version ?? undefined) : undefined,
    manager,
  }
}

/** The version that is installed. */
export const packageStatus: ResourceStatus<ExportsOf<typeof packageExports>> = {
  look: { ensure: 'absent' },
  describe({ installed, version }, isAbsent) {
    if (isAbsent) return { ensure: 'absent' }
    return installed === true ? { ensure: version } : 'is not completely installed'
  },
}
