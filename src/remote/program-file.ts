import { createHash } from 'node:crypto'
import { closeSync, createReadStream, fstatSync, readSync } from 'node:fs'
import process from 'node:process'
import { pipeline } from 'node:stream/promises'
import { OperatorError } from '../model/operator-error.ts'
import { systemReason } from '../model/system-reason.ts'
import { isOneFile } from '../policy/fetch/one-file.ts'
import { openRegularFile } from '../host/live/read-whole.ts'

/** The program file that is copied to targets without driftgate. */
export interface ProgramFile {
  readonly path: string
  /** Lower-case hex. */
  readonly sha256: string
  readonly size: number
  /** Machine type as in `uname -m`; `any` for a script. */
  readonly machine: string
}

/** @see elf(5), e_machine, at this place in a file that begins with the magic */
const ELF_MAGIC = Buffer.from('7f454c46', 'hex')
const ELF_MACHINE_AT = 18
const MACHINES: Readonly<Record<number, string>> = { 0x3e: 'x86_64', 0xb7: 'aarch64' }

/**
 * File to copy: the one named by the operator, or this program if it is a single file. Undefined without either. Throws
 * an `OperatorError` for an unreadable file or an unknown machine type.
 */
export async function programFile(named: string | undefined): Promise<ProgramFile | undefined> {
  const path = named ?? (isOneFile() ? process.execPath : undefined)
  if (path === undefined) return undefined
  try {
    const { size, head } = headOf(path)
    const machine = machineOf(head)
    if (machine === undefined) throw new OperatorError(`${path} is a program for neither x86_64 nor aarch64`)
    const hash = createHash('sha256')
    await pipeline(createReadStream(path), hash)
    return { path, size, machine, sha256: hash.digest('hex') }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot read ${path}, the program to copy: ${systemReason(error)}`, { cause: error })
  }
}

function headOf(path: string): { readonly size: number; readonly head: Buffer } {
  const descriptor = openRegularFile(path)
  try {
    const head = Buffer.alloc(ELF_MACHINE_AT + 2)
    readSync(descriptor, head)
    return { size: fstatSync(descriptor).size, head }
  } finally {
    closeSync(descriptor)
  }
}

function machineOf(head: Buffer): string | undefined {
  if (!head.subarray(0, ELF_MAGIC.length).equals(ELF_MAGIC)) return 'any'
  return MACHINES[head.readUInt16LE(ELF_MACHINE_AT)]
}
