import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { provesAbsence } from '../target/local/system-error.ts'
import { JOURNAL_SCHEMA, type JournalHead, type Step } from './step.ts'

/** The journal of a fix, as it was left. */
export interface WrittenJournal {
  readonly directory: string
  readonly head: JournalHead
  readonly steps: readonly Step[]
  /** Whether the fix came to its end: it was neither killed nor broken off. */
  readonly isWhole: boolean
}

/** Reads the journal in a directory; a text says what is wrong with it. Throws the system's error. */
export function readJournal(directory: string): WrittenJournal | string {
  const path = join(directory, 'journal')
  // What is after the last line feed was not finished, so what it announces was not begun.
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  const [first, ...rest] = lines.map(parseLine)
  if (!isHead(first)) return `${path} is no journal of a fix that this version reads`
  const steps = new Map<number, Step>()
  let isWhole = false
  for (const line of rest) {
    if (isBegin(line)) steps.set(line.number, { ...line, isOver: false })
    else if (isEnd(line)) addEnd(steps, line)
    else if (isLast(line)) isWhole = true
    else return `${path} has a line that is none of a journal`
  }
  return { directory, head: first, steps: [...steps.values()], isWhole }
}

/** As much as the first line of a journal with many policies has. */
const LARGEST_HEAD_BYTES = 256 * 1024

/** The first line of the journal in a directory; undefined where there is none that this version reads. Throws the system's error. */
export function readHead(directory: string): JournalHead | undefined {
  const start = readIfThere(join(directory, 'journal'), LARGEST_HEAD_BYTES) ?? ''
  const head = parseLine(start.split('\n', 1)[0] ?? '')
  return isHead(head) ? head : undefined
}

/** The text of a file, or its beginning; undefined where there is none. Throws the system's error. */
export function readIfThere(path: string, maxBytes: number = LARGEST_HEAD_BYTES): string | undefined {
  try {
    const descriptor = openSync(path, 'r')
    try {
      const buffer = Buffer.alloc(maxBytes)
      return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, maxBytes, 0))
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (provesAbsence(error)) return undefined
    throw error
  }
}

interface End {
  readonly number: number
  readonly after: readonly unknown[]
}

function addEnd(steps: Map<number, Step>, { number, after }: End): void {
  const step = steps.get(number)
  if (step === undefined) return
  const things = step.things.map((thing, index) => {
    const state = after[index] ?? undefined
    return state === undefined ? thing : { ...thing, after: state }
  })
  steps.set(number, { ...step, things, isOver: true })
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

// Only the owner of the directory can write there, and does with `startJournal`, so the shape below these marks is known.

function isHead(value: unknown): value is JournalHead {
  return typeof value === 'object' && value !== null && 'schema' in value && value.schema === JOURNAL_SCHEMA
}

function isBegin(value: unknown): value is Omit<Step, 'isOver'> {
  return typeof value === 'object' && value !== null && 'things' in value && Array.isArray(value.things)
}

function isEnd(value: unknown): value is End {
  return typeof value === 'object' && value !== null && 'after' in value && Array.isArray(value.after)
}

function isLast(value: unknown): value is { readonly isWhole: true } {
  return typeof value === 'object' && value !== null && 'isWhole' in value
}
