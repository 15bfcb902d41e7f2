import { type Acceptance, acceptedFor, isAccepted, type ValueOrder } from '../../model/acceptance.ts'
import type { Reading } from '../../model/observation.ts'
import { DEBIAN_VERSIONS, RPM_VERSIONS } from '../../model/value-orders.ts'
import { matchesWhole } from '../../resource-type/text-order.ts'
import type { PackageCandidate } from './packages.ts'

/** The package managers, each with an order of versions of its own. */
export type Manager = 'apt' | 'dnf'

const ORDERS: Readonly<Record<Manager, ValueOrder<string>>> = {
  apt: { ...DEBIAN_VERSIONS, isMatch: matchesWhole },
  dnf: { ...RPM_VERSIONS, isMatch: matchesWhole },
}

/** Whether all versions that are installed are accepted: of several, the one that is not may be the one in use. */
export function areAccepted(manager: Manager, accepted: Acceptance<string>, versions: readonly string[]): boolean {
  return versions.every((version) => isAccepted(ORDERS[manager], accepted, version))
}

/** Whether an acceptance names the version that a fix installs. A bound is not one: hardly ever is there such a package. */
export function namesVersion({ is, one_of: oneOf, fix }: Acceptance<string>): boolean {
  return is !== undefined || oneOf !== undefined || fix !== undefined
}

/** The version that a fix installs: the one that is named, else what the package index offers; or why it is missing. */
export function versionToInstall(
  manager: Manager,
  accepted: Acceptance<string>,
  candidate: Reading<PackageCandidate> | undefined,
): { readonly version: string } | { readonly problem: string } {
  const order = ORDERS[manager]
  if (namesVersion(accepted)) {
    const version = acceptedFor(order, accepted, undefined)
    return version === undefined ? { problem: 'the condition accepts none of the versions it names' } : { version }
  }
  if (candidate === undefined) throw new Error('no candidate was looked up for a package that is not accepted')
  if (candidate.kind === 'unknown') return { problem: candidate.detail }
  const { version } = candidate.value
  if (version === null) return { problem: 'the package index does not contain the package' }
  if (isAccepted(order, accepted, version)) return { version }
  const advice = 'set "fix" to the version to install'
  return { problem: `the package index offers ${version}, which is not accepted: ${advice}` }
}
