import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openRegularFile, readDescriptor } from '../../host/live/read-whole.ts'
import { formatLine, type IndexLine, parseLine } from './entry.ts'
import { INDEX_NAME } from './file-name.ts'
import { putFile } from './put-file.ts'

// Some 500,000 runs; a longer text than this cannot be a string anyway.
const LARGEST_INDEX_BYTES = 256 * 1024 * 1024

/** What an index says. */
export interface Index {
  readonly lines: ReadonlyMap<string, IndexLine>
  /** Whether every line of it says something, each about a file of its own. */
  readonly isSound: boolean
}

const NOTHING: Index = { lines: new Map(), isSound: false }

/** Reads the index of a history. It is only there to be fast: one that cannot be used says nothing. */
export function readIndex(directory: string): Index {
  const text = readText(join(directory, INDEX_NAME))
  if (text === undefined) return NOTHING
  const lines = new Map<string, IndexLine>()
  let isSound = true
  for (const each of text.split('\n')) {
    if (each === '') continue
    const line = parseLine(each)
    if (line === undefined || lines.has(line.file)) isSound = false
    if (line !== undefined) lines.set(line.file, line)
  }
  return { lines, isSound }
}

function readText(path: string): string | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openRegularFile(path, constants.O_NOFOLLOW)
    return readDescriptor(descriptor, LARGEST_INDEX_BYTES).toString('utf8')
  } catch {
    return undefined // If it is damaged, the files are there to be read.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/**
 * Adds a line in one write, which the system puts at the end even with concurrent writers. The line feed before it ends a line
 * that a killed run has cut off. A line that is not added is restored by the next reader of the history.
 */
export function appendToIndex(directory: string, line: IndexLine): void {
  const flags =
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const descriptor = openSync(join(directory, INDEX_NAME), flags, 0o600)
  try {
    const stats = fstatSync(descriptor)
    // Another name of it would be another file of another user.
    if (stats.isFile() && stats.nlink === 1) writeSync(descriptor, `\n${formatLine(line)}\n`)
  } finally {
    closeSync(descriptor)
  }
}

/** Replaces the index. A line that another run adds meanwhile is lost, and restored by the next reader. */
export function rewriteIndex(directory: string, lines: readonly IndexLine[]): void {
  putFile(directory, INDEX_NAME, lines.map((line) => `${formatLine(line)}\n`).join(''))
}
