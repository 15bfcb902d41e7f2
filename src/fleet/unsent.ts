import { activeOf, type FleetHost } from './census.ts'
import type { SenderInfo } from './messages/sender.ts'

/** A host with runs that the server does not have, according to the host. */
export interface UnsentHost extends FleetHost {
  readonly sender: SenderInfo
}

/** Hosts with lost or queued runs, according to their last message; most lost runs first, then most queued ones. */
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
