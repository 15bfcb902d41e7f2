import type { PackageInstance, PackageState } from './packages.ts'

/** What the words of dpkg mean for the machine. */
const NOTES: Readonly<Record<Exclude<PackageState, 'installed'>, string>> = {
  'config-files': 'the package is removed, but its configuration files remain',
  'half-installed': 'an installation or removal was interrupted',
  unpacked: 'the package is unpacked but not configured',
  'half-configured': 'its configuration failed or was interrupted',
  'triggers-awaited': 'it is waiting for triggers of another package',
  'triggers-pending': 'its triggers are pending',
  'reinst-required': 'dpkg marks it as broken: reinstall it',
}

/** Whether an installation is complete. */
export function isInstalled({ state }: PackageInstance): boolean {
  return state === 'installed'
}

/** Whether more of it is left than its configuration. */
export function isThere({ state }: PackageInstance): boolean {
  return state !== 'config-files'
}

/** The installations that count: of the machine's own architecture or, if absent, of any. */
export function countedInstances(instances: readonly PackageInstance[]): readonly PackageInstance[] {
  const there = instances.filter(isThere)
  const own = there.filter(({ native }) => native)
  return [own, there, instances].find(({ length }) => length > 0) ?? []
}

/** The versions that are completely installed, each once. */
export function installedVersions(counted: readonly PackageInstance[]): readonly string[] {
  return [...new Set(counted.filter(isInstalled).map(({ version }) => version))]
}

/** What is seen of a package in a word: its versions, or the state it is in. */
export function describeInstances(counted: readonly PackageInstance[]): string {
  const versions = installedVersions(counted)
  const words = versions.length > 0 ? versions : counted.map(({ state }) => state)
  return words.length === 0 ? 'absent' : [...new Set(words)].join(', ')
}

/** What is to be said of an installation that is not complete. */
export function noteOf(counted: readonly PackageInstance[]): string | undefined {
  const [unfinished] = counted.flatMap(({ state }) => (state === 'installed' ? [] : NOTES[state]))
  return unfinished
}
