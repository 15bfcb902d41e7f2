import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openRegularFile, readDescriptor } from '../../host/live/read-whole.ts'
import { formatLine, type IndexLine, parseLine } from './entry.ts'
import { INDEX_NAME } from './file-name.ts'
import { putFile } from './put-file.ts'

// About 500,000 runs; strings cannot be much longer.
const LARGEST_INDEX_BYTES = 256 * 1024 * 1024

export interface Index {
  readonly lines: ReadonlyMap<string, IndexLine>
  /** True if every line is valid and describes a different file. */
  readonly isSound: boolean
}

const NOTHING: Index = { lines: new Map(), isSound: false }

/** Reads the index of a history. It is only a cache: an unusable index counts as empty. */
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
    return undefined // Fall back to the files.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/**
 * Appends a line in a single write, which is atomic with concurrent writers. The preceding line feed ends a line
 * truncated by an interrupted run. The next reader restores a missing line.
 */
export function appendToIndex(directory: string, line: IndexLine): void {
  const flags =
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const descriptor = openSync(join(directory, INDEX_NAME), flags, 0o600)
  try {
    const stats = fstatSync(descriptor)
    // Another hard link could belong to another user's file.
    if (stats.isFile() && stats.nlink === 1) writeSync(descriptor, `\n${formatLine(line)}\n`)
  } finally {
    closeSync(descriptor)
  }
}

/** Replaces the index. The next reader restores a line that another run adds meanwhile. */
export function rewriteIndex(directory: string, lines: readonly IndexLine[]): void {
  putFile(directory, INDEX_NAME, lines.map((line) => `${formatLine(line)}\n`).join(''))
}
