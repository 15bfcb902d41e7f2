import { DAY_MS } from '../model/duration.ts'
import { streamsFor } from './nats/streams.ts'

/** Parameters for sizing a fleet server. */
export interface SizedFleet {
  readonly hosts: number
  /** Reporting interval in milliseconds. */
  readonly intervalMs: number
  /** Number of resources in its policies. */
  readonly resources: number
  /** Number of runs per day with a difference. */
  readonly changes: number
  /** Storage limit in bytes. */
  readonly bytes: number
  /** Required retention in days. */
  readonly days: number
}

/** A stream that hosts publish to. */
export interface SizedStream {
  readonly name: string
  readonly messagesPerHostAndDay: number
  readonly bytesPerHostAndDay: number
  /** Retention in days. */
  readonly keptDays: number
}

/** Resource needs of a fleet. */
export interface FleetSizing {
  readonly streams: readonly SizedStream[]
  readonly bytesPerHostAndDay: number
  readonly bytesPerDay: number
  /** Storage needed for the required retention. */
  readonly neededBytes: number
  /** Resident memory of nats-server with all hosts connected by TLS, after each has stored a report. */
  readonly memoryBytes: number
  readonly connections: number
  /** CPU seconds of nats-server when all hosts connect, and for the messages of a day. */
  readonly connectCpuS: number
  readonly cpuPerDayS: number
}

const GIB = 2 ** 30

/**
 * Measured with nats-server 2.9.10, TLS, and 1,000 and 10,000 agents with one connection each; the reports have
 * incompressible resource names. Bytes as counted by a stream, with headers and signature.
 */
const MEASURED = {
  fullBytes: 1_200,
  fullBytesPerResource: 56,
  deltaBytes: 1_325,
  beatBytes: 985,
  serverBytes: 85e6,
  connectionBytes: 130e3,
  connectCpuMs: 2.5,
  storeCpuMs: 0.4,
} as const

/** Estimates the server needs of a fleet from the measurements. */
export function sizeFleet(fleet: SizedFleet): FleetSizing {
  const { hosts, days } = fleet
  const streams = streamsOf(fleet)
  const bytesPerHostAndDay = streams.reduce((sum, each) => sum + each.bytesPerHostAndDay, 0)
  const messages = streams.reduce((sum, each) => sum + each.messagesPerHostAndDay, 0)
  let gib = 1
  while (gib < 2 ** 20 && streamsOf({ ...fleet, bytes: gib * GIB }).some(({ keptDays }) => keptDays < days)) gib *= 2
  // Binary search for the smallest sufficient number of GiB.
  for (let step = gib / 4; step >= 1; step /= 2)
    if (streamsOf({ ...fleet, bytes: (gib - step) * GIB }).every(({ keptDays }) => keptDays >= days)) gib -= step
  return {
    streams,
    bytesPerHostAndDay,
    bytesPerDay: bytesPerHostAndDay * hosts,
    neededBytes: gib * GIB,
    memoryBytes: MEASURED.serverBytes + MEASURED.connectionBytes * hosts,
    connections: hosts,
    connectCpuS: (MEASURED.connectCpuMs * hosts) / 1_000,
    cpuPerDayS: (MEASURED.storeCpuMs * messages * hosts) / 1_000,
  }
}

function streamsOf({ hosts, intervalMs, resources, changes, bytes }: SizedFleet): readonly SizedStream[] {
  const runs = Math.max(1, DAY_MS / intervalMs)
  const deltas = Math.min(changes, runs - 1)
  const sent: Readonly<Record<string, readonly [messages: number, bytesEach: number]>> = {
    DG_FULL: [1, MEASURED.fullBytes + MEASURED.fullBytesPerResource * resources],
    DG_STATE: [deltas, MEASURED.deltaBytes],
    DG_BEAT: [runs - 1 - deltas, MEASURED.beatBytes],
  }
  return streamsFor({ bytes, hosts }).flatMap(({ name, maxAgeS, perSubject, maxBytes }): readonly SizedStream[] => {
    const [messages = 0, bytesEach = 0] = sent[name] ?? []
    if (messages === 0) return []
    const perDay = messages * bytesEach
    const keptDays = Math.floor(Math.min(maxAgeS / 86_400, perSubject / messages, maxBytes / (perDay * hosts)))
    return [{ name, messagesPerHostAndDay: messages, bytesPerHostAndDay: Math.round(perDay), keptDays }]
  })
}
