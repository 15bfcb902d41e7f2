import { ftruncateSync } from 'node:fs'
import type { Journal } from './journal.ts'
import { readWhole } from './read-whole.ts'
import { errorCode } from './system-error.ts'
import { appendWhole, writeWhole } from './write-whole.ts'

/** Far above the need: a fix records a few paths at a time. */
const LARGEST_JOURNAL_BYTES = 64 * 1024 * 1024

/** A journal that lists its current records. */
export interface FileJournal extends Journal {
  readonly outstanding: () => readonly string[]
}

/** A journal appended to an open file. Records survive the death of the process; a power failure may lose the last ones. */
export function openJournal(fd: number, startBytes: number): FileJournal {
  const recorded = new Set<string>()
  let size = startBytes
  return {
    record(path) {
      size = appendWhole(fd, journalLine(path), size)
      recorded.add(path)
    },
    forget(path) {
      recorded.delete(path)
      const rest = Buffer.from([...recorded].map(journalLine).join(''))
      try {
        // Shorter than the old content and written over it, so it fits on a full disk; a remaining partial line is
        // ignored.
        writeWhole(fd, rest, startBytes)
        ftruncateSync(fd, startBytes + rest.length)
        size = startBytes + rest.length
      } catch (error) {
        // Stale records are ignored later.
        if (errorCode(error) === undefined) throw error
      }
    },
    outstanding: () => [...recorded],
  }
}

/** The header of a journal file, undefined before it is written, and the recorded paths. */
export function readJournal(path: string): { readonly header: string | undefined; readonly paths: readonly string[] } {
  // Text after the last line feed is incomplete, so its path was not created.
  const [header, ...lines] = readText(path).split('\n').slice(0, -1)
  return { header, paths: lines.flatMap(parseLine) }
}

function journalLine(path: string): string {
  return `${JSON.stringify(path)}\n`
}

function parseLine(text: string): string[] {
  try {
    const path: unknown = JSON.parse(text)
    return typeof path === 'string' ? [path] : []
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}

function readText(path: string): string {
  try {
    return readWhole(path, LARGEST_JOURNAL_BYTES).toString('utf8')
  } catch (error) {
    // Its owner removed it meanwhile.
    if (errorCode(error) === 'ENOENT') return ''
    throw error
  }
}
