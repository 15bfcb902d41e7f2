import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { defined } from '../../model/defined.ts'
import { attempt, OperatorError } from '../../model/operator-error.ts'
import { directorySource } from '../directory-source.ts'
import { type ReceivedRun, machineName } from '../source.ts'
import { LARGEST_REPORT_BYTES } from '../../report/stored/read-report.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { chainDirectory, readChain } from './chain.ts'
import { sha256 } from '../../host/signing/digest.ts'
import { bytesOf, envelopeOf } from '../../host/signing/envelope.ts'
import { readStatement, STATEMENT_PAYLOAD } from './statement.ts'

/** Evidence for a third party: the signed runs of one host with their reports, and the unsigned reports. */
export interface Bundle {
  readonly schema: 'driftgate.evidence/v1'
  readonly host: string
  readonly links: readonly BundledLink[]
  /** JSON reports in base64. */
  readonly unsigned: readonly string[]
}

/** A signed run. The report is JSON in base64; absent if the history no longer has it. */
export interface BundledLink {
  readonly envelope: unknown
  readonly report?: string
}

/** Runs of one host to include, by start time: milliseconds since 1970, inclusive. */
export interface Desired {
  readonly directory: string
  /** Host name; `NAME (MACHINE)` for one of several machines of that name, as in the fleet. */
  readonly host: string
  readonly sinceMs: number
  readonly untilMs: number
}

/** A bundle, and the problems of the directory. */
export interface Made {
  readonly bundle: Bundle
  readonly trouble: readonly string[]
}

/**
 * Collects the evidence of a host from a directory of histories. Unreadable links are included unchanged, so that they
 * stay visible. Throws an `OperatorError` if the directory cannot be read, has no run of the host in that period, or
 * the name is ambiguous.
 */
export async function makeBundle({ directory, host: wanted, sinceMs, untilMs }: Desired): Promise<Made> {
  const runs: ReceivedRun[] = []
  const add = (run: ReceivedRun): void => {
    if (wanted === run.host || (run.machine !== undefined && wanted === machineName(run.host, run.machine)))
      runs.push(run)
  }
  const unusable = await directorySource(directory, new Set()).news(
    { add, still: () => undefined, gone: () => undefined },
    'everywhere',
  )
  const [first] = runs
  if (first === undefined) throw new OperatorError(`no report of the host ${wanted} in ${directory}`)
  const { host } = first
  const machines = new Set(runs.flatMap(({ machine }) => machine ?? []))
  if (machines.size > 1) {
    const names = [...machines].toSorted().map((machine) => `--host '${machineName(host, machine)}'`)
    throw new OperatorError(`${host} is the name of ${machines.size} machines: select one with ${names.join(' or ')}`)
  }
  // An invalid time excludes nothing.
  const isWanted = (ms: number): boolean => !(ms < sinceMs || ms > untilMs)
  const reports = new Map(
    runs.filter(({ startedAtMs }) => isWanted(startedAtMs)).map(({ place }) => readReportBytes(place)),
  )
  const folders = [...new Set(runs.map(({ place }) => dirname(place)))]
  const chains = folders.map((folder) => readChain(chainDirectory(folder, host))).filter(({ length }) => length > 0)
  if (chains.length > 1) throw new OperatorError(`${host} has signed runs in several of: ${folders.join(', ')}`)
  const links = spanOf(chains[0] ?? [], isWanted).map((envelope) => {
    const digest = statementIn(envelope)?.subject[0].digest.sha256 ?? ''
    const report = reports.get(digest)
    reports.delete(digest)
    return { envelope, ...defined({ report: report?.toString('base64') }) }
  })
  const unsigned = [...reports.values()].map((report) => report.toString('base64'))
  if (links.length + unsigned.length === 0)
    throw new OperatorError(`${wanted} has no run in this period in ${directory}`)
  return {
    bundle: { schema: 'driftgate.evidence/v1', host, links, unsigned },
    trouble: unusable.map(({ place, reason }) => `${place}: ${reason}`),
  }
}

/** From the first to the last link in the period, regardless of the clock in between: a chain has no gaps. */
function spanOf(chain: readonly unknown[], isWanted: (ms: number) => boolean): readonly unknown[] {
  const isInside = (envelope: unknown): boolean =>
    isWanted(Date.parse(statementIn(envelope)?.predicate.run.startedAt ?? ''))
  return chain.slice(Math.max(chain.findIndex(isInside), 0), chain.findLastIndex(isInside) + 1)
}

function statementIn(value: unknown): ReturnType<typeof readStatement> {
  const envelope = envelopeOf(STATEMENT_PAYLOAD, value)
  const payload = 'message' in envelope ? undefined : bytesOf(envelope.payload)
  return payload && readStatement(payload)
}

/** Uncompressed JSON of a report, by its digest. */
function readReportBytes(place: string): readonly [digest: string, report: Buffer] {
  return attempt(`cannot read the report ${place}`, () => {
    const bytes = readWhole(place, LARGEST_REPORT_BYTES)
    const report = place.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: LARGEST_REPORT_BYTES }) : bytes
    return [sha256(report), report]
  })
}
