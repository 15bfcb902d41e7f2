import { ifThere } from '../../host/if-there.ts'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../../model/operator-error.ts'
import { isUuid } from '../orders/order.ts'
import type { Envelope } from '../../host/signing/envelope.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'

/** State of an order that was begun or answered. */
interface Entry {
  /** Answer of the host; absent while the order is being carried out. */
  readonly answer?: Envelope
  /** True if the server has the answer. */
  readonly isTold: boolean
}

/**
 * Journal of orders, so that each is carried out once, however the agent ends. Every method throws an `OperatorError`.
 */
export interface OrderJournal {
  readonly knows: (id: string) => boolean
  /** Call before the first change. */
  readonly begin: (id: string) => void
  readonly answer: (id: string, answer: Envelope) => void
  readonly told: (id: string) => void
  /** Answers that the server does not have yet. */
  readonly untold: () => readonly { readonly id: string; readonly answer: Envelope }[]
  /** Orders that were begun without an answer. */
  readonly brokenOff: () => readonly string[]
}

const LARGEST_BYTES = 64 * 1024

/** Opens the journal in a directory, with one file per order. Throws an `OperatorError` if it cannot be read. */
export function openOrderJournal(directory: string): OrderJournal {
  const keeping = <Value>(work: () => Value): Value => {
    return attempt(`cannot store the results of orders in ${directory}`, work)
  }
  const entries = keeping(() => readEntries(directory))
  const keep = (id: string, entry: Entry): void =>
    keeping(() => {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      replaceFile(join(directory, `${id}.json`), `${JSON.stringify(entry)}\n`, { mode: 0o600 })
      entries.set(id, entry)
    })
  return {
    knows: (id) => entries.has(id),
    begin: (id) => keep(id, { isTold: false }),
    answer: (id, answer) => keep(id, { answer, isTold: false }),
    told(id) {
      const entry = entries.get(id)
      if (entry !== undefined) keep(id, { ...entry, isTold: true })
    },
    untold: () =>
      [...entries].flatMap(([id, { answer, isTold }]) => (answer === undefined || isTold ? [] : [{ id, answer }])),
    brokenOff: () => [...entries].flatMap(([id, { answer }]) => (answer === undefined ? [id] : [])),
  }
}

/** An unreadable entry counts as begun, so its order is not repeated. */
function readEntries(directory: string): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  for (const name of namesIn(directory)) {
    const id = name.replace(/\.json$/, '')
    if (isUuid(id) && name !== id) entries.set(id, readEntry(join(directory, name)))
  }
  return entries
}

function namesIn(directory: string): readonly string[] {
  return ifThere(() => readdirSync(directory)) ?? []
}

function readEntry(path: string): Entry {
  try {
    // Only driftgate writes there.
    return JSON.parse(readWhole(path, LARGEST_BYTES).toString('utf8')) as Entry
  } catch (error) {
    if (error instanceof SyntaxError) return { isTold: false }
    throw error
  }
}
