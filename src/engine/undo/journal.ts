import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../host/live/own-file.ts'
import { makeDirectories } from '../../host/live/state-directory.ts'
import { flush } from '../../host/live/flush.ts'
import { createJournalFile, type JournalFile } from './journal-file.ts'
import type { JournalHead, Step } from './step.ts'

/** The journal of a fix while it runs. Every method throws the system's error. */
export interface OpenJournal {
  /** Where the next thing is kept. */
  readonly keptPath: (number: number) => string
  /** Writes that a step begins, and waits until that is on the disk. */
  readonly begin: (step: Omit<Step, 'isOver'>) => Promise<void>
  /** Writes what came of a step. A power failure may lose that. */
  readonly end: (number: number, end: StepEnd) => void
  /** With `isWhole` it is written down that nothing was left to do. */
  readonly close: (isWhole: boolean) => void
}

/** What came of a step: what was there after it, for each of its things in turn. */
export interface StepEnd {
  readonly after: readonly unknown[]
  readonly hasFailed: boolean
}

/** Where the journals of fixes are, below the state directory. */
export function journalsIn(stateDirectory: string): string {
  return join(stateDirectory, 'undo')
}

/** The last line of a journal. */
const LAST_LINE_BYTES = 64

/** What a step becomes is about as long as what it was; the rest is for what appears anew, such as records of accounts. */
function roomForEnd(beginBytes: number): number {
  return 2 * beginBytes + 4096 + LAST_LINE_BYTES
}

/**
 * Starts the journal of a fix: a directory of its own, for its owner alone, with `journal`, whose lines are JSON, and `kept/`. Nothing is
 * made before the first step, so a fix that changes nothing leaves nothing. Before a step begins there is space for all that is to be
 * written of it. Throws the system's error.
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
      // Nothing is kept yet.
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

/** Notes how much of the disk a journal takes, so that later fixes need not count. */
export const SIZE_FILE = 'size'

/** How much of the disk everything below a directory takes. Names are bytes here. Throws the system's error. */
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
