import { unreadable } from '../../model/differences.ts'
import type { UnknownProperty } from '../../model/drift.ts'
import { unknown } from '../../model/observation.ts'
import type { Captured, ResourceCapture } from '../../resource-type/capture.ts'
import type { Process } from '../processes/processes.ts'
import { oneOrSeveral } from '../shared/one-or-several.ts'
import { lastingUnits } from '../shared/lasting-units.ts'
import { nameOfProcess } from '../processes/identity.ts'
import type { PortState } from './decide.ts'

/** Captures the addresses and owners of a listening port. */
export const portCapture: ResourceCapture<PortState, undefined> = {
  look: {},
  describe(seen, { name }): Captured {
    if (seen.kind === 'absent') return { kind: 'absent', properties: { ensure: 'closed' } }
    const { sockets, users, undecided } = seen.state
    if (undecided !== undefined) return undecided
    if (name.endsWith('*')) return unknown('invalid', `${name} is not a single port: name one, such as tcp:22`)
    const unread: UnknownProperty[] = []
    const processes: Process[] = []
    const units: string[] = []
    for (const { owner } of sockets) {
      if (owner.kind === 'unknown') {
        unread.push(unreadable('process', owner))
        continue
      }
      processes.push(...owner.value.processes)
      if (owner.value.units.kind === 'unknown') unread.push(unreadable('unit', owner.value.units))
      else units.push(...unitsThatCount(owner.value.units.value))
    }
    const isSeen = (property: string): boolean =>
      unread.every((each) => each.property === 'unit' && property !== 'unit')
    const owned = {
      ...(isSeen('process') ? { ...oneOrSeveral('process', processes.map(programOf)) } : {}),
      ...(isSeen('user')
        ? oneOrSeveral(
            'user',
            processes.map(({ effectiveUid: uid }) => users.get(uid) ?? String(uid)),
          )
        : {}),
      ...(isSeen('unit') ? oneOrSeveral('unit', lastingUnits(units)) : {}),
    }
    const addresses = oneOrSeveral(
      'addresses',
      sockets.map(({ address }) => address),
    )
    return { kind: 'present', properties: { ensure: 'listening', ...addresses, ...owned }, unread: unread.slice(0, 1) }
  },
}

/** A socket unit stands for its service, which also holds the socket once it runs. */
function unitsThatCount(units: readonly string[]): readonly string[] {
  const services = units.filter((unit) => !unit.endsWith('.socket'))
  return services.length > 0 ? services : units
}

/** The path of the program; without one, the kernel's name of the process. */
function programOf(process: Process): string {
  const { executable } = process
  return executable.kind === 'known' && executable.value !== null ? executable.value.path : nameOfProcess(process)
}
