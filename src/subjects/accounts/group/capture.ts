import type { Captured, ResourceCapture } from '../../../resource-type/capture.ts'
import type { GroupState } from './decide.ts'

/** Its number, its members, and whose primary group it is. */
export const groupCapture: ResourceCapture<GroupState, undefined> = {
  look: {},
  describe(seen): Captured {
    if (seen.kind === 'absent') return { kind: 'absent', properties: { ensure: 'absent' } }
    const { group, primaryOf } = seen.state
    const properties = {
      gid: group.gid,
      members: group.members.toSorted(),
      primary_of: primaryOf.toSorted(),
      if_absent: 'drift',
    }
    return { kind: 'present', properties }
  },
}
