import { closeSync, constants, type Stats } from 'node:fs'
import { defined } from '../model/defined.ts'
import { systemReason } from '../model/system-reason.ts'
import { splitByHost } from '../model/findings/split.ts'
import { parseReport, UnusableReport } from '../report/stored/read-report.ts'
import { openRegularFile, readDescriptor } from '../host/live/read-whole.ts'
import { heardRun } from './heard-run.ts'
import type { ReceivedRun } from './source.ts'

/**
 * Maximum report size, compressed or not: three times that of 10,000 resources. One user's file must not block the
 * other hosts.
 */
export const LARGEST_HEARD_BYTES: number = 32 * 1024 * 1024

/** Number of files read ahead. */
const AHEAD = 4

/** A file that may be a report. */
export interface Candidate {
  readonly path: string
  /** Its directory. */
  readonly folder: string
  /** Top-level directory below the source; empty for a file in the source itself. */
  readonly topmost: string
  readonly stats: Stats
}

type Read = { readonly runs: readonly ReceivedRun[] } | { readonly reason: string }

/** Reads several files concurrently and returns them in order. */
export async function* readAhead(
  candidates: readonly Candidate[],
  hosts: ReadonlySet<string>,
): AsyncGenerator<readonly [Candidate, Read]> {
  const pending: (readonly [Candidate, Promise<Read>])[] = []
  for (const candidate of candidates) {
    pending.push([candidate, readCandidate(candidate, hosts)])
    if (pending.length > AHEAD) yield* readNext(pending)
  }
  while (pending.length > 0) yield* readNext(pending)
}

async function* readNext(pending: (readonly [Candidate, Promise<Read>])[]): AsyncGenerator<readonly [Candidate, Read]> {
  const first = pending.shift()
  if (first !== undefined) yield [first[0], await first[1]]
}

async function readCandidate({ path, topmost, stats }: Candidate, hosts: ReadonlySet<string>): Promise<Read> {
  try {
    const run = await parseReport(readBytes(path), path, LARGEST_HEARD_BYTES)
    const place = {
      place: path,
      storedAtMs: stats.mtimeMs,
      ...defined({ owner: hosts.has(topmost) ? topmost : undefined }),
    }
    const runs = splitByHost(run)
    if (runs === undefined) return { reason: 'it is merged from several reports, and some are missing' }
    const heard = runs.map((each) => ({ ...heardRun(each, place), ...defined({ machine: each.target.machine }) }))
    // The directory of one host may only contain its own reports.
    const isOfOthers = heard.length > 1 && heard.some(({ host, owner = host }) => host !== owner)
    return isOfOthers ? { reason: `it covers several hosts, but is in the directory of ${topmost}` } : { runs: heard }
  } catch (error) {
    if (!(error instanceof UnusableReport)) throw error
    return { reason: error.reason }
  }
}

function readBytes(path: string): Uint8Array {
  let descriptor: number | undefined
  try {
    descriptor = openRegularFile(path, constants.O_NOFOLLOW)
    return readDescriptor(descriptor, LARGEST_HEARD_BYTES)
  } catch (error) {
    throw new UnusableReport(path, systemReason(error), error)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
