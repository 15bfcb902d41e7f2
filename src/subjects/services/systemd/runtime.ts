import { setTimeout as sleep } from 'node:timers/promises'
import { known, type Reading } from '../../../model/observation.ts'
import type { ActiveState } from '../services.ts'
import { parseShownUnits, showCommand, type ShownUnit } from './show.ts'
import { runProgram, unansweredQuery } from '../../../host/systemd/systemctl.ts'

/** Queries the running service manager for many units at once. */
export interface Runtime {
  announce(units: readonly string[]): void
  /** The units that were announced or queried. */
  announced(): readonly string[]
  /** Returns a unit by any of its names. Waits a bounded time for a unit that is starting or stopping. */
  look(unit: string, signal: AbortSignal): Promise<Reading<ShownUnit>>
  /** Drops the cache. */
  forget(): void
}

const QUERY_TIMEOUT_MS = 30_000

// Names of up to 255 characters fit into the arguments of a command, and the output fits into the output limit.
const MOST_UNITS_PER_QUERY = 2_000
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** Waiting time for units that are starting or stopping, from the first query, in milliseconds. */
const SETTLE_MS = 10_000

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1000

const UNSETTLED: ReadonlySet<ActiveState> = new Set(['activating', 'deactivating'])

/** Whether the unit has stopped changing. */
export function isSettled({ runtime }: ShownUnit): boolean {
  return !UNSETTLED.has(runtime.activeState)
}

/** The results of one query. */
interface Snapshot {
  readonly units: Map<string, ShownUnit>
  /** End of the wait for units that have not settled; performance.now() milliseconds. */
  readonly deadline: number
}

/** Queries the service manager of this machine; requires a running one. */
export function openRuntime(): Runtime {
  const announced = new Set<string>()
  let snapshot: Promise<Snapshot> | undefined
  return {
    announce(units) {
      for (const unit of units) announced.add(unit)
    },
    announced: () => [...announced],
    async look(unit, signal) {
      announced.add(unit)
      snapshot ??= takeSnapshot([...announced], signal)
      const { units, deadline } = await snapshot
      const shown = units.get(unit)
      if (shown !== undefined && isSettled(shown)) return known(shown)
      const answer = shown === undefined ? await askOne(unit, signal) : await waitUntilSettled(unit, deadline, signal)
      if (answer.kind === 'known') remember(units, answer.value)
      return answer.kind === 'known' && !isSettled(answer.value) ? waitUntilSettled(unit, deadline, signal) : answer
    },
    forget() {
      snapshot = undefined
    },
  }
}

async function takeSnapshot(names: readonly string[], signal: AbortSignal): Promise<Snapshot> {
  const units = new Map<string, ShownUnit>()
  for (let start = 0; start < names.length; start += MOST_UNITS_PER_QUERY) {
    const command = showCommand(names.slice(start, start + MOST_UNITS_PER_QUERY))
    const outcome = await runProgram(command, { ...limits(signal), maxOutputBytes: MAX_ANSWER_BYTES })
    // A unit that is missing from the output is queried alone, which returns the reason.
    if (outcome.kind === 'exited') for (const shown of parseShownUnits(outcome.stdout)) remember(units, shown)
  }
  return { units, deadline: performance.now() + SETTLE_MS }
}

function remember(units: Map<string, ShownUnit>, shown: ShownUnit): void {
  for (const name of shown.names) units.set(name, shown)
}

export async function askOne(unit: string, signal: AbortSignal): Promise<Reading<ShownUnit>> {
  const outcome = await runProgram(showCommand([unit]), limits(signal))
  const [shown] = outcome.kind === 'exited' ? parseShownUnits(outcome.stdout) : []
  return shown === undefined ? unansweredQuery(`systemctl show ${unit}`, outcome) : known(shown)
}

/** Queries at least once, until the unit has settled or the deadline has passed. */
export async function waitUntilSettled(
  unit: string,
  deadline: number,
  signal: AbortSignal,
): Promise<Reading<ShownUnit>> {
  let pauseMs = FIRST_PAUSE_MS
  for (;;) {
    const answer = await askOne(unit, signal)
    const remainingMs = deadline - performance.now()
    if (answer.kind === 'unknown' || isSettled(answer.value) || remainingMs <= 0 || signal.aborted) return answer
    await pause(Math.min(pauseMs, remainingMs), signal)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** Returns early if the run is aborted. */
export async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await sleep(durationMs, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

function limits(signal: AbortSignal): { timeoutMs: number; signal: AbortSignal } {
  return { timeoutMs: QUERY_TIMEOUT_MS, signal }
}
