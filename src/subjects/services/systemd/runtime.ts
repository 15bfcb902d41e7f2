import { setTimeout as sleep } from 'node:timers/promises'
import { known, type Reading } from '../../../model/observation.ts'
import type { ActiveState } from '../services.ts'
import { parseShownUnits, showCommand, type ShownUnit } from './show.ts'
import { runProgram, unanswered } from '../../../host/systemd/systemctl.ts'

/** What the running service manager says, asked for many units at once. */
export interface Runtime {
  announce(units: readonly string[]): void
  /** The units that were announced or looked at. */
  announced(): readonly string[]
  /** A unit by any of its names. Waits a bounded time for one that is just starting or stopping. */
  look(unit: string, signal: AbortSignal): Promise<Reading<ShownUnit>>
  /** Ask again the next time. */
  forget(): void
}

const QUERY_TIMEOUT_MS = 30_000

// Their names, of 255 characters at the most, fit into the arguments of a command, and the answer into what is kept of it.
const MOST_UNITS_PER_QUERY = 2_000
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** How long units that are starting or stopping are waited for, from the first look at any unit, in milliseconds. */
const SETTLE_MS = 10_000

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1000

const UNSETTLED: ReadonlySet<ActiveState> = new Set(['activating', 'deactivating'])

/** Whether the unit has stopped changing. */
export function isSettled({ runtime }: ShownUnit): boolean {
  return !UNSETTLED.has(runtime.activeState)
}

/** What was read at one time. */
interface Snapshot {
  readonly units: Map<string, ShownUnit>
  /** Until when units that have not settled are waited for; performance.now() milliseconds. */
  readonly deadline: number
}

/** Asks the service manager of this machine; to be used while it runs. */
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
      const answer = shown === undefined ? await askOne(unit, signal) : await settle(unit, deadline, signal)
      if (answer.kind === 'known') remember(units, answer.value)
      return answer.kind === 'known' && !isSettled(answer.value) ? settle(unit, deadline, signal) : answer
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
    // Who is missing in the answer is asked for alone, and then says why.
    if (outcome.kind === 'exited') for (const shown of parseShownUnits(outcome.stdout)) remember(units, shown)
  }
  return { units, deadline: performance.now() + SETTLE_MS }
}

function remember(units: Map<string, ShownUnit>, shown: ShownUnit): void {
  for (const name of shown.names) units.set(name, shown)
}

/** What the service manager says of one unit now. */
export async function askOne(unit: string, signal: AbortSignal): Promise<Reading<ShownUnit>> {
  const outcome = await runProgram(showCommand([unit]), limits(signal))
  const [shown] = outcome.kind === 'exited' ? parseShownUnits(outcome.stdout) : []
  return shown === undefined ? unanswered(`systemctl show ${unit}`, outcome) : known(shown)
}

/** Asks until the unit has settled or the deadline has passed; at least once. */
export async function settle(unit: string, deadline: number, signal: AbortSignal): Promise<Reading<ShownUnit>> {
  let pauseMs = FIRST_PAUSE_MS
  for (;;) {
    const answer = await askOne(unit, signal)
    const remainingMs = deadline - performance.now()
    if (answer.kind === 'unknown' || isSettled(answer.value) || remainingMs <= 0 || signal.aborted) return answer
    await pause(Math.min(pauseMs, remainingMs), signal)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** Ends early when the run is interrupted. */
export async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await sleep(durationMs, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

function limits(signal: AbortSignal): { timeoutMs: number; signal: AbortSignal } {
  return { timeoutMs: QUERY_TIMEOUT_MS, signal }
}
