import { closeSync, constants, fdatasync, lstatSync, mkdirSync, openSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { replaceFile } from '../target/local/own-file.ts'
import { makeDirectories } from '../target/local/state-directory.ts'
import { flush } from '../target/local/flush.ts'
import type { JournalHead, Step } from './step.ts'

const fdatasyncAsync = promisify(fdatasync)

const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | constants.O_NOFOLLOW

/** The journal of a fix while it runs. Every method throws the system's error. */
export interface OpenJournal {
  /** Where the next thing is kept. */
  readonly keptPath: (number: number) => string
  /** Writes that a step begins, and waits until that is on the disk. */
  readonly begin: (step: Omit<Step, 'isOver'>) => Promise<void>
  /** Writes what was there after the step, for each of its things in turn. A power failure may lose that. */
  readonly end: (number: number, after: readonly unknown[]) => void
  /** With `isWhole` it is written down that nothing was left to do. */
  readonly close: (isWhole: boolean) => void
}

/** Where the journals of fixes are, below the state directory. */
export function journalsIn(stateDirectory: string): string {
  return join(stateDirectory, 'undo')
}

/**
 * Starts the journal of a fix: a directory of its own, for its owner alone, with `journal`, whose lines are JSON, and `kept/`. Nothing is
 * made before the first step, so a fix that changes nothing leaves nothing. Throws the system's error.
 */
export function startJournal(directory: string, head: JournalHead): OpenJournal {
  let descriptor: number | undefined
  const open = (): number => {
    if (descriptor !== undefined) return descriptor
    makeDirectories(directory)
    mkdirSync(join(directory, 'kept'), { mode: 0o700 })
    descriptor = openSync(join(directory, 'journal'), FLAGS, 0o600)
    writeLine(descriptor, head)
    for (const path of [directory, join(directory, '..'), join(directory, '../..')]) flush({ handle: path })
    return descriptor
  }
  return {
    keptPath(number) {
      open()
      return join(directory, 'kept', String(number))
    },
    async begin(step) {
      const fd = open()
      writeLine(fd, step)
      await fdatasyncAsync(fd)
    },
    end: (number, after) => writeLine(open(), { number, after: after.map((each) => each ?? null) }),
    close(isWhole) {
      if (descriptor === undefined) return
      if (isWhole) writeLine(descriptor, { isWhole })
      closeSync(descriptor)
      descriptor = undefined
      replaceFile(join(directory, SIZE_FILE), String(bytesBelow(directory)), { mode: 0o600 })
    },
  }
}

/** Notes how much of the disk a journal takes, so that later fixes need not count. */
export const SIZE_FILE = 'size'

/** How much of the disk everything below a directory takes. Throws the system's error. */
export function bytesBelow(directory: string): number {
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true })
  return entries.reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).blocks * BLOCK_BYTES, 0)
}

/** @see stat(2), st_blocks */
const BLOCK_BYTES = 512

function writeLine(descriptor: number, value: unknown): void {
  writeSync(descriptor, `${JSON.stringify(value)}\n`)
}
