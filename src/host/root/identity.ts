import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { defined } from '../../model/defined.ts'

/** The identity of a root directory, since another disk may later be mounted at its path. */
export interface RootIdentity {
  readonly path: string
  readonly inode: string
  /** Changes when a disk is mounted again, so it is used only without `born`. */
  readonly device: string
  /** Creation time in nanoseconds since 1970; undefined if the file system does not have it. */
  readonly born?: string
  /** @see machine-id(5) */
  readonly machineId?: string
}

/** Reads the identity of a root directory. Throws the error of the system. */
export function identifyRoot(path: string, machineId: string | undefined): RootIdentity {
  const { ino, dev, birthtimeNs } = statSync(path, { bigint: true })
  const born = birthtimeNs === 0n ? undefined : String(birthtimeNs)
  return { path, inode: String(ino), device: String(dev), ...defined({ born, machineId }) }
}

/** Name of the state directory of a root directory, independent of the path to it. */
export function stateNameOf({ inode, device, born }: RootIdentity): string {
  return createHash('sha256')
    .update(`${inode} ${born ?? device}`)
    .digest('hex')
    .slice(0, NAME_CHARACTERS)
}

const NAME_CHARACTERS = 32

/** Why a root directory is not the same as before, as the end of a sentence about it; undefined if it is. */
export function whyAnother(was: RootIdentity, is: RootIdentity): string | undefined {
  if (was.inode !== is.inode || was.born !== is.born || (was.born === undefined && was.device !== is.device)) {
    return 'is now another directory, possibly on another disk'
  }
  if (was.machineId === is.machineId) return undefined
  return `now has ${describeMachineId(is.machineId)} instead of ${describeMachineId(was.machineId)}`
}

function describeMachineId(machineId: string | undefined): string {
  return machineId === undefined ? 'no machine-id' : `the machine-id ${machineId}`
}
