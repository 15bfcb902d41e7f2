import type { PackageInstance } from '../../target/packages.ts'

/** Whether an installation is complete. */
export function isInstalled({ state }: PackageInstance): boolean {
  return state === 'installed'
}

/** Whether more of it is left than its configuration. */
export function isThere({ state }: PackageInstance): boolean {
  return state !== 'config-files'
}

/** The installations that count: of the machine's own architecture or, where there is none, of any. */
export function countedInstances(instances: readonly PackageInstance[]): readonly PackageInstance[] {
  const there = instances.filter(isThere)
  const own = there.filter(({ native }) => native)
  return [own, there, instances].find(({ length }) => length > 0) ?? []
}
