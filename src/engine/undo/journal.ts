import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../host/live/own-file.ts'
import { makeDirectories } from '../../host/live/state-directory.ts'
import { flush } from '../../host/live/flush.ts'
import { createJournalFile, type JournalFile } from './journal-file.ts'
import type { JournalHead, Step } from './step.ts'

/** Journal of a running fix. Every method throws the system's error. */
export interface OpenJournal {
  /** Path for the next backup. */
  readonly keptPath: (number: number) => string
  /** Records the start of a step and flushes it to disk. */
  readonly begin: (step: Omit<Step, 'isOver'>) => Promise<void>
  /** Records the end of a step, unflushed: a power failure may lose it. */
  readonly end: (number: number, end: StepEnd) => void
  /** `isWhole` records that nothing was left to do. */
  readonly close: (isWhole: boolean) => void
}

/** State of each item after a step, in order. */
export interface StepEnd {
  readonly after: readonly unknown[]
  readonly hasFailed: boolean
}

/** Journal directory, below the state directory. */
export function journalsIn(stateDirectory: string): string {
  return join(stateDirectory, 'undo')
}

/** Size of the last line. */
const LAST_LINE_BYTES = 64

/** The state after a step is about as long as before; the rest is for new items, such as account records. */
function roomForEnd(beginBytes: number): number {
  return 2 * beginBytes + 4096 + LAST_LINE_BYTES
}

/**
 * Starts a fix journal: a private directory with `journal` (JSON lines) and `kept/`. Created at the first step, so a
 * fix without changes leaves nothing. Reserves disk space for a step before it begins. Throws the system's error.
 */
export function startJournal(directory: string, head: JournalHead): OpenJournal {
  let file: JournalFile | undefined
  const open = (): JournalFile => {
    if (file !== undefined) return file
    let created: JournalFile | undefined
    try {
      makeDirectories(join(directory, 'kept'))
      created = createJournalFile(join(directory, 'journal'))
      created.append(head, () => LAST_LINE_BYTES)
      for (const path of [directory, join(directory, '..'), join(directory, '../..')]) flush({ handle: path })
      file = created
      return created
    } catch (error) {
      // Nothing is backed up yet.
      created?.abandon()
      rmSync(directory, { recursive: true, force: true })
      throw error
    }
  }
  return {
    keptPath(number) {
      open()
      return join(directory, 'kept', String(number))
    },
    async begin(step) {
      const opened = open()
      opened.append(step, roomForEnd)
      await opened.flush()
    },
    end: (number, { after, hasFailed }) =>
      open().append(
        { number, after: after.map((each) => each ?? null), ...(hasFailed && { hasFailed }) },
        () => LAST_LINE_BYTES,
      ),
    close(isWhole) {
      if (file === undefined) return
      const opened = file
      file = undefined
      if (isWhole) opened.append({ isWhole }, () => 0)
      opened.close()
      replaceFile(join(directory, SIZE_FILE), String(bytesBelow(directory)), { mode: 0o600 })
    },
  }
}

/** Cached disk usage of a journal, so that later fixes need not compute it. */
export const SIZE_FILE = 'size'

/** Disk usage of a directory tree. Names are handled as bytes. Throws the system's error. */
export function bytesBelow(directory: string): number {
  const below = (path: Buffer): number =>
    readdirSync(path, { encoding: 'buffer' }).reduce((sum, name) => {
      const entry = Buffer.concat([path, Buffer.from('/'), name])
      const stats = lstatSync(entry)
      return sum + stats.blocks * BLOCK_BYTES + (stats.isDirectory() ? below(entry) : 0)
    }, 0)
  return below(Buffer.from(directory))
}

/** @see stat(2), st_blocks */
const BLOCK_BYTES = 512
