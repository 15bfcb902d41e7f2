import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { defined } from '../../model/defined.ts'

/** What a root directory is recognised by later, when another disk may be mounted at its path. */
export interface RootIdentity {
  readonly path: string
  readonly inode: string
  /** Changes when a disk is mounted again, so it counts only where `born` is absent. */
  readonly device: string
  /** When the directory was made, in nanoseconds since 1970; absent where its file system does not tell. */
  readonly born?: string
  /** @see machine-id(5) */
  readonly machineId?: string
}

/** Recognises a root directory. Throws the system's error. */
export function identifyRoot(path: string, machineId: string | undefined): RootIdentity {
  const { ino, dev, birthtimeNs } = statSync(path, { bigint: true })
  const born = birthtimeNs === 0n ? undefined : String(birthtimeNs)
  return { path, inode: String(ino), device: String(dev), ...defined({ born, machineId }) }
}

/** A name for the state of fixes below a root directory, the same by every path to it. */
export function stateNameOf({ inode, device, born }: RootIdentity): string {
  return createHash('sha256')
    .update(`${inode} ${born ?? device}`)
    .digest('hex')
    .slice(0, NAME_CHARACTERS)
}

const NAME_CHARACTERS = 32

/** What says that a root directory is another one than it was, as the end of a sentence about it; undefined where nothing does. */
export function whyAnother(was: RootIdentity, is: RootIdentity): string | undefined {
  if (was.inode !== is.inode || was.born !== is.born || (was.born === undefined && was.device !== is.device)) {
    return 'is another directory now, perhaps of another disk'
  }
  if (was.machineId === is.machineId) return undefined
  return `has ${called(is.machineId)} now and had ${called(was.machineId)}`
}

function called(machineId: string | undefined): string {
  return machineId === undefined ? 'no machine-id' : `the machine-id ${machineId}`
}
