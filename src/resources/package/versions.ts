import { compareDebianVersions } from '../../core/versions/debian.ts'
import { compareRpmVersions, compareToWantedRpmVersion } from '../../core/versions/rpm.ts'
import type { PackageContext } from './state.ts'

/** How the versions of one package manager are ordered. */
export interface VersionOrder {
  /** Two whole versions. */
  readonly compare: (left: string, right: string) => number
  /** An installed version relative to one a policy wants, which may leave something out. */
  readonly compareToWanted: (installed: string, wanted: string) => number
}

export const VERSION_ORDERS: Readonly<Record<PackageContext['manager'], VersionOrder>> = {
  apt: { compare: compareDebianVersions, compareToWanted: compareDebianVersions },
  dnf: { compare: compareRpmVersions, compareToWanted: compareToWantedRpmVersion },
}
