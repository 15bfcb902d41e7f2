import { closeSync, constants, type Stats } from 'node:fs'
import { defined } from '../model/defined.ts'
import { systemReason } from '../model/system-reason.ts'
import { splitByHost } from '../model/findings/split.ts'
import { parseReport, UnusableReport } from '../report/stored/read-report.ts'
import { openRegularFile, readDescriptor } from '../host/live/read-whole.ts'
import { heardRun } from './heard-run.ts'
import type { ReceivedRun } from './source.ts'

/**
 * The largest report of one host that is taken, compressed or not: three times one of 10,000 resources. A user who can put a file
 * there shall not stop all others from being heard.
 */
export const LARGEST_HEARD_BYTES: number = 32 * 1024 * 1024

/** How many files are read and unpacked ahead of the one whose turn it is. */
const AHEAD = 4

/** A file that may be a report. */
export interface Candidate {
  readonly path: string
  /** The directory it lies in. */
  readonly folder: string
  /** The first directory below the source that leads to it; empty where it lies in the source itself. */
  readonly topmost: string
  readonly stats: Stats
}

/** What came of reading one. */
type Read = { readonly runs: readonly ReceivedRun[] } | { readonly reason: string }

/** Reads some files at the same time and gives them in their order. */
export async function* readAhead(
  candidates: readonly Candidate[],
  hosts: ReadonlySet<string>,
): AsyncGenerator<readonly [Candidate, Read]> {
  const pending: (readonly [Candidate, Promise<Read>])[] = []
  for (const candidate of candidates) {
    pending.push([candidate, readCandidate(candidate, hosts)])
    if (pending.length > AHEAD) yield* next(pending)
  }
  while (pending.length > 0) yield* next(pending)
}

async function* next(pending: (readonly [Candidate, Promise<Read>])[]): AsyncGenerator<readonly [Candidate, Read]> {
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
    if (runs === undefined) return { reason: 'it is merged of several reports, and some of them are missing in it' }
    const heard = runs.map((each) => ({ ...heardRun(each, place), ...defined({ machine: each.target.machine }) }))
    // What lies in the place of one host tells of that one alone.
    const isOfOthers = heard.length > 1 && heard.some(({ host, owner = host }) => host !== owner)
    return isOfOthers ? { reason: `it is of several hosts, and lies in the directory of ${topmost}` } : { runs: heard }
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
