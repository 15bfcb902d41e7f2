import { toSafeJson } from '../../../core/safe-json.ts'
import { join } from 'node:path'
import { escapeForTerminal } from '../../../core/escape.ts'
import type { HistoryAction, HistoryCommandFlags } from './index.ts'
import { deliverReports, openReports } from '../../output/deliver.ts'
import { loadExtensions } from '../../options/extension.ts'
import type { Io } from '../../output/io.ts'
import { parseRequest } from '../../output/report-requests.ts'
import { printComparison } from '../../print-comparison.ts'
import { readReport } from '../../../stored/read-report.ts'
import { readReports } from '../../../stored/read-reports.ts'
import { historyDirectory, isStarted } from '../../../history/directory.ts'
import { type Candidates, findRun } from '../../../history/find-run.ts'
import { type Filter, filterRuns, type Listing, listRuns } from '../../../history/listing.ts'
import { emptyHistory, type History, readHistory } from '../../../history/read-history.ts'
import { trendBefore } from '../../../history/series.ts'
import { parseSince } from './since.ts'

const RUNS_LISTED = 20

/** Reading so many reports takes a moment. */
const WORTH_SAYING = 500

/** What somebody wants from a history. */
export interface HistoryRequest {
  readonly action: HistoryAction
  readonly runs: readonly string[]
  readonly options: HistoryCommandFlags
}

/** Lists, shows or compares stored runs and returns the exit code. Throws `OperatorError`s. */
export async function performHistory(request: HistoryRequest, io: Io): Promise<number> {
  const { options } = request
  const history = await open(options, io)
  for (const { file, reason } of history.unusable) {
    io.say(`driftgate: passing over ${escapeForTerminal(`${join(history.directory, file)}: ${reason}`)}\n`)
  }
  if (history.indexTrouble !== undefined) {
    io.say(`driftgate: the index cannot be brought up to date: ${escapeForTerminal(history.indexTrouble)}\n`)
  }
  const filter = filterOf(options)
  switch (request.action) {
    case 'list':
      return list(listRuns(history, filter, Number(options.limit ?? RUNS_LISTED)), options, io)
    case 'show':
      return show({ ...history, runs: filterRuns(history, filter) }, request, io)
    case 'diff':
      return diff({ ...history, runs: filterRuns(history, filter) }, request, io)
  }
}

/** The default directory is there once something was stored; one that is named should be there. */
async function open({ history: named }: HistoryCommandFlags, io: Io): Promise<History> {
  const directory = historyDirectory(named, io.env)
  if (named === undefined && !isStarted(directory)) return emptyHistory(directory)
  return readHistory(directory, (count) => {
    if (count >= WORTH_SAYING) io.say(`driftgate: the index does not know ${count} runs, reading them\n`)
  })
}

function filterOf({ host, policy, since }: HistoryCommandFlags): Filter {
  const sinceMs = since === undefined ? undefined : parseSince(since, Date.now())
  return { hosts: host, policies: policy, ...(sinceMs === undefined ? {} : { sinceMs }) }
}

async function list(listing: Listing, { format }: HistoryCommandFlags, io: Io): Promise<number> {
  if (format === 'json') {
    await io.print(`${toSafeJson(forPrograms(listing), 2)}\n`)
    return 0
  }
  if (listing.total === 0) io.say(`driftgate: ${escapeForTerminal(whyEmpty(listing))}\n`)
  const [{ showListing }, { barsFor }] = await Promise.all([import('./show-listing.ts'), import('./sparkline.ts')])
  await io.print(showListing(listing, { paint: await io.paintOutput(), bars: barsFor(io.env) }))
  return 0
}

function whyEmpty({ directory, stored, unusable }: Listing): string {
  if (stored === 0 && unusable.length > 0) return `nothing in ${directory} can be used`
  if (stored === 0) return `no run is stored in ${directory}; driftgate scan --history stores one`
  return stored === 1 ? `the only run in ${directory} is another` : `all ${stored} runs in ${directory} are others`
}

function forPrograms({ directory, total, runs, unusable }: Listing): unknown {
  return {
    directory,
    total,
    runs: runs.map(({ runId, startedAt, mode, host, exitCode, interrupted, summary, policies, ...run }) => ({
      run: runId,
      startedAt,
      mode,
      host,
      exitCode,
      interrupted,
      summary,
      policies,
      changedPolicies: run.changedPolicies,
      file: run.file,
      sizeBytes: run.sizeBytes,
    })),
    unusable,
  }
}

async function show(candidates: Candidates, { runs: [text = ''], options }: HistoryRequest, io: Io): Promise<number> {
  const { directory, runs } = candidates
  const { file } = findRun(candidates, text)
  const { reportFormats } = await loadExtensions(options)
  const request = parseRequest(options.report ?? 'text', reportFormats, 'history')
  const run = await readReport(join(directory, file))
  const delivery = { io, quiet: false, verbose: options.verbose, isTold: false, trend: trendBefore(run, runs) }
  return (await deliverReports(openReports([request], undefined), run, delivery)) ? 0 : 1
}

async function diff(candidates: Candidates, { runs, options }: HistoryRequest, io: Io): Promise<number> {
  const [before = '', after = ''] = runs.map((text) => join(candidates.directory, findRun(candidates, text).file))
  const [first, second = first] = await readReports([before, after])
  return printComparison(first, second, { ...options, io })
}
