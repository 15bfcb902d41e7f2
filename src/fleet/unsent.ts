import { activeOf, type FleetHost } from './census.ts'
import type { SenderInfo } from './messages/sender.ts'

/** A host that says that the server does not have all of its runs. */
export interface UnsentHost extends FleetHost {
  readonly sender: SenderInfo
}

/** The hosts that have lost runs, or have runs that wait, as they said last; the most that is lost first, then the most that waits. */
export function unsentIn(hosts: readonly FleetHost[]): readonly UnsentHost[] {
  return activeOf(hosts)
    .filter(isUnsent)
    .toSorted(
      (left, right) =>
        right.sender.lost - left.sender.lost ||
        right.sender.spool - left.sender.spool ||
        (left.name < right.name ? -1 : 1),
    )
}

function isUnsent(host: FleetHost): host is UnsentHost {
  return host.sender !== undefined && host.sender.lost + host.sender.spool > 0
}
