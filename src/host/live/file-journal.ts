import { ftruncateSync } from 'node:fs'
import type { Journal } from './journal.ts'
import { readWhole } from './read-whole.ts'
import { errorCode } from './system-error.ts'
import { appendWhole, writeWhole } from './write-whole.ts'

/** A fix records a handful of paths at a time. */
const LARGEST_JOURNAL_BYTES = 64 * 1024 * 1024

/** A journal that can tell what is still recorded. */
export interface FileJournal extends Journal {
  readonly outstanding: () => readonly string[]
}

/**
 * A journal in an open file, after the bytes that are there already. What is written survives the death of the process;
 * a power failure may lose the last entries.
 */
export function openJournal(fd: number, startBytes: number): FileJournal {
  const recorded = new Set<string>()
  let size = startBytes
  return {
    record(path) {
      size = appendWhole(fd, line(path), size)
      recorded.add(path)
    },
    forget(path) {
      recorded.delete(path)
      const rest = Buffer.from([...recorded].map(line).join(''))
      try {
        // It is shorter than what is there, and written over that, so a full disk has space for it; the end of a line that stays says nothing.
        writeWhole(fd, rest, startBytes)
        ftruncateSync(fd, startBytes + rest.length)
        size = startBytes + rest.length
      } catch (error) {
        // What is gone and still recorded is passed over.
        if (errorCode(error) === undefined) throw error
      }
    },
    outstanding: () => [...recorded],
  }
}

/** The first line of a journal's file, undefined before it is written, and the paths recorded after it. */
export function readJournal(path: string): { readonly header: string | undefined; readonly paths: readonly string[] } {
  // What is after the last line feed was not finished, so what it names was not created.
  const [header, ...lines] = readText(path).split('\n').slice(0, -1)
  return { header, paths: lines.flatMap(parseLine) }
}

function line(path: string): string {
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
    // Its owner took it away in the meantime.
    if (errorCode(error) === 'ENOENT') return ''
    throw error
  }
}
