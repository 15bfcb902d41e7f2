import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '../../model/defined.ts'
import { provesAbsence } from '../../host/live/system-error.ts'
import { JOURNAL_SCHEMA, type JournalHead, type Step } from './step.ts'

/** Journal of a fix, as written. */
export interface WrittenJournal {
  readonly directory: string
  readonly head: JournalHead
  readonly steps: readonly Step[]
  /** True if the fix was completed without interruption. */
  readonly isWhole: boolean
}

/** Reads the journal in a directory; returns a text if it is invalid. Throws the system's error. */
export function readJournal(directory: string): WrittenJournal | string {
  const path = join(directory, 'journal')
  const [first, ...rest] = parseLines(readFileSync(path, 'utf8'))
  const head = headOf(first?.value)
  if (head === undefined) return `${path} is not a fix journal that this version supports`
  const steps = new Map<number, Step>()
  let isWhole = false
  let torn: number | undefined
  for (const { number, value } of rest) {
    // Each step flushes the lines before it, so a power failure can only truncate lines after the last step.
    if (isBegin(value) && torn !== undefined) return `${path}:${torn} is not a journal entry`
    if (isBegin(value)) steps.set(value.number, { ...value, isOver: false })
    else if (isEnd(value)) addEnd(steps, value)
    else if (isLast(value)) isWhole = true
    else torn ??= number
  }
  return { directory, head, steps: [...steps.values()], isWhole }
}

/** Allows for the first line of a journal with many policies. */
const LARGEST_HEAD_BYTES = 256 * 1024

/** First line of a journal; undefined if this version cannot read it. Throws the system's error. */
export function readHead(directory: string): JournalHead | undefined {
  const start = readIfThere(join(directory, 'journal'), LARGEST_HEAD_BYTES) ?? ''
  return headOf(parseLine(start.split('\n', 1)[0] ?? ''))
}

/** Text of a file, or its beginning; undefined if absent. Throws the system's error. */
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
  readonly hasFailed?: boolean
}

function addEnd(steps: Map<number, Step>, { number, after, hasFailed }: End): void {
  const step = steps.get(number)
  if (step === undefined) return
  const things = step.things.map((thing, index) => ({ ...thing, ...defined({ after: after[index] ?? undefined }) }))
  steps.set(number, { ...step, things, isOver: true, ...defined({ hasFailed }) })
}

/** Parses complete lines; the space reserved at the end consists of empty lines. */
function parseLines(text: string): readonly { readonly number: number; readonly value: unknown }[] {
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line, index) => (line === '' ? [] : [{ number: index + 1, value: parseLine(line) }]))
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

// Only `startJournal` writes to this private directory, so the structure after these marks is known.

function isHead(value: unknown): value is Omit<JournalHead, 'sequence'> & { readonly sequence?: number } {
  return hasMember(value, 'schema') && value.schema === JOURNAL_SCHEMA
}

function headOf(value: unknown): JournalHead | undefined {
  return isHead(value) ? { ...value, sequence: value.sequence ?? 0 } : undefined
}

function isBegin(value: unknown): value is Omit<Step, 'isOver'> {
  return hasMember(value, 'things')
}

function isEnd(value: unknown): value is End {
  return hasMember(value, 'after')
}

function isLast(value: unknown): value is { readonly isWhole: true } {
  return hasMember(value, 'isWhole')
}

function hasMember<Name extends string>(value: unknown, name: Name): value is Readonly<Record<Name, unknown>> {
  return typeof value === 'object' && value !== null && name in value
}
