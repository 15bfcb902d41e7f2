import { type Assigned, keepUp } from '../nats/assigned.ts'
import type { Line } from '../../host/nats/line.ts'
import type { Bell } from './bell.ts'

/** Current assignment of the host. */
export interface Duty {
  /** As last known. */
  readonly now: () => Assigned
  /** Asks the server for the assignment, reports changes, and signals a new one. */
  readonly ask: (line: Line) => Promise<void>
  /** Reports a missing assignment before the server was asked. */
  readonly sayIfNone: () => void
}

/** Starts with the last verified assignment. */
export async function beginDuty(directory: string, bell: Bell, say: (text: string) => void): Promise<Duty> {
  let now = await keepUp(undefined, directory)
  let said: string | undefined
  return {
    now: () => now,
    async ask(line) {
      const before = now
      now = await keepUp(line, directory)
      const text = describe(now)
      if (text !== said) say(text)
      said = text
      if (now.kind !== 'none' && (before.kind === 'none' || before.assignment.version !== now.assignment.version))
        bell.ring()
    },
    sayIfNone() {
      if (said === undefined && now.kind === 'none') say('no policy is assigned yet, so nothing is scanned')
    },
  }
}

/** Describes the assignment; the text changes only with its state. */
function describe(assigned: Assigned): string {
  if (assigned.kind === 'none') return `no policy is assigned: ${assigned.reason}`
  const { assignment } = assigned
  const named = `version ${assignment.version} for ${assignment.to}`
  return assigned.kind === 'kept'
    ? `${named} stays in force: ${assigned.reason}`
    : `assigned: ${named}, ${assignment.policies.map(({ name }) => name).join(', ')}, by ${assignment.author}: ${assignment.reason}`
}

const MINUTE_MS = 60_000

/** Remark for a scan whose assignment the server did not confirm; undefined if it did. */
export function remarkOnAge(assigned: Assigned, nowMs: number): string | undefined {
  if (assigned.kind !== 'kept') return undefined
  const minutes = Math.max(0, Math.round((nowMs - Date.parse(assigned.since)) / MINUTE_MS))
  return `scanned with version ${assigned.assignment.version} for ${assigned.assignment.to}, which the server confirmed ${minutes} minutes ago`
}
