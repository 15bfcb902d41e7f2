import { unreadable } from '../../model/differences.ts'
import { unknown } from '../../model/observation.ts'
import type { Captured, ResourceCapture } from '../../resource-type/capture.ts'
import { lastingUnits } from '../shared/lasting-units.ts'
import { oneOrSeveral } from '../shared/one-or-several.ts'
import type { ProcessState } from './decide.ts'

/** Captures users and units. Arguments may contain secrets, and the number of processes varies. */
export const processCapture: ResourceCapture<ProcessState, undefined> = {
  look: {},
  describe(seen, { name }): Captured {
    if (seen.kind === 'absent') return { kind: 'absent', properties: { ensure: 'absent' } }
    const { processes, unseen } = seen.state
    if (unseen !== undefined) {
      const others = unknown(unseen.reason, `more processes of ${name} may be hidden: ${unseen.detail}`)
      return { kind: 'present', properties: { ensure: 'running' }, unread: [unreadable('user', others)] }
    }
    const unread = processes.flatMap(({ unit }) => (unit.kind === 'unknown' ? [unreadable('unit', unit)] : []))
    const units = processes.map(({ unit }) => (unit.kind === 'known' ? (unit.value ?? '') : ''))
    const properties = {
      ensure: 'running',
      ...oneOrSeveral(
        'user',
        processes.map(({ user }) => user),
      ),
      ...(unread.length === 0 ? oneOrSeveral('unit', lastingUnits(units)) : {}),
    }
    return { kind: 'present', properties, unread: unread.slice(0, 1) }
  },
}
