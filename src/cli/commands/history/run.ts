import { join } from 'node:path'
import { defined } from '../../../model/defined.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import { historyDirectory, isStarted } from '../../../runs/history/directory.ts'
import { type Candidates, findRun } from '../../../runs/history/find-run.ts'
import { type Filter, filterRuns, type Listing, listRuns } from '../../../runs/history/listing.ts'
import { emptyHistory, type History, readHistory } from '../../../runs/history/read-history.ts'
import { trendBefore } from '../../../runs/history/series.ts'
import { readReport, readReports } from '../../../report/stored/read-report.ts'
import { usageError } from '../../errors.ts'
import { loadRunExtensions } from '../../options/extension.ts'
import { deliverReports } from '../../output/deliver.ts'
import type { Io } from '../../output/io.ts'
import { openReports } from '../../output/open-reports.ts'
import { printComparison } from '../../output/print-comparison.ts'
import { parseRequest } from '../../output/report-requests.ts'
import { ACTIONS, type HistoryAction, type HistoryFlags, type HistoryInvocation } from './index.ts'
import { parseSince } from '../../options/since.ts'
import { barsFor, showListing } from './show-listing.ts'

const RUNS_LISTED = 20

/** Reading this many reports takes noticeable time. */
const WORTH_SAYING = 500

/** Lists, shows or compares stored runs and returns the exit code. Throws an `OperatorError`. */
export async function runHistory({ operands: [word, ...runs], options }: HistoryInvocation, io: Io): Promise<number> {
  const action = ACTIONS.find((known) => known === word) ?? 'list'
  if (runs.length !== RUNS[action]) throw usageError(wrongNumber(action, runs), 'history')
  rejectForeign(action, options)
  const history = await open(options, io)
  for (const { file, reason } of history.unusable) {
    io.say(`driftgate: skipping ${escapeForTerminal(`${join(history.directory, file)}: ${reason}`)}\n`)
  }
  if (history.indexTrouble !== undefined) {
    io.say(`driftgate: cannot update the index: ${escapeForTerminal(history.indexTrouble)}\n`)
  }
  const filter = filterOf(options, io.clock.now())
  switch (action) {
    case 'list':
      return list(listRuns(history, filter, Number(options.limit ?? RUNS_LISTED)), options, io)
    case 'show':
      return show({ ...history, runs: filterRuns(history, filter) }, { runs, options }, io)
    case 'diff':
      return diff({ ...history, runs: filterRuns(history, filter) }, { runs, options }, io)
  }
}

/** The default directory exists once a run was stored; a named one must exist. */
async function open({ history: named }: HistoryFlags, io: Io): Promise<History> {
  const directory = historyDirectory(named, io.env)
  if (named === undefined && !isStarted(directory)) return emptyHistory(directory)
  return readHistory(directory, (count) => {
    if (count >= WORTH_SAYING) io.say(`driftgate: reading ${count} runs that are not in the index\n`)
  })
}

function filterOf({ host, policy, since }: HistoryFlags, nowMs: number): Filter {
  const sinceMs = since === undefined ? undefined : parseSince(since, nowMs)
  return { hosts: host, policies: policy, ...defined({ sinceMs }) }
}

async function list(listing: Listing, { format }: HistoryFlags, io: Io): Promise<number> {
  if (format === 'json') {
    await io.print(`${toSafeJson(forPrograms(listing), 2)}\n`)
    return EXIT.ok
  }
  if (listing.total === 0) io.say(`driftgate: ${escapeForTerminal(whyEmpty(listing))}\n`)
  await io.print(showListing(listing, { paint: await io.paintOutput(), bars: barsFor(io.env) }))
  return EXIT.ok
}

function whyEmpty({ directory, stored, unusable }: Listing): string {
  if (stored === 0 && unusable.length > 0) return `no usable run in ${directory}`
  if (stored === 0) return `no saved runs in ${directory}; driftgate scan --history saves one`
  return stored === 1
    ? `the only run in ${directory} does not match`
    : `none of the ${stored} runs in ${directory} matches`
}

function forPrograms({ directory, total, runs, unusable }: Listing): unknown {
  return {
    directory,
    total,
    runs: runs.map(({ runId, startedAt, mode, host, machine, exitCode, interrupted, summary, policies, ...run }) => ({
      run: runId,
      startedAt,
      mode,
      host,
      machine,
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

/** Runs to show or compare, as named by the operator. */
interface RunSelection {
  readonly runs: readonly string[]
  readonly options: HistoryFlags
}

async function show(candidates: Candidates, { runs: [text = ''], options }: RunSelection, io: Io): Promise<number> {
  const { directory, runs } = candidates
  const { file } = findRun(candidates, text)
  const { reportFormats } = await loadRunExtensions(options, io)
  const request = parseRequest(options.report ?? 'text', reportFormats, 'history')
  const run = await readReport(join(directory, file))
  const delivery = {
    io,
    quiet: false,
    verbose: options.verbose,
    details: options.details,
    isTold: false,
    trend: trendBefore(run, runs),
  }
  const isComplete = await deliverReports(openReports([request], undefined), run, delivery)
  return isComplete ? EXIT.ok : EXIT.notPerformed
}

async function diff(candidates: Candidates, { runs, options }: RunSelection, io: Io): Promise<number> {
  const [before = '', after = ''] = runs.map((text) => join(candidates.directory, findRun(candidates, text).file))
  const [first, second = first] = await readReports([before, after])
  return printComparison(first, second, { ...options, io })
}

/** Number of runs that each action needs. */
const RUNS: Readonly<Record<HistoryAction, number>> = { list: 0, show: 1, diff: 2 }

function wrongNumber(action: HistoryAction, runs: readonly string[]): string {
  const wanted = RUNS[action]
  const extra = runs[wanted]
  if (extra !== undefined) return `unexpected argument "${extra}" after history ${action}`
  return `history ${action} needs ${wanted === 1 ? 'a run' : 'two runs'}: ids as "driftgate history" lists them, or latest`
}

/** Options that only some actions support. */
const KNOWN_TO: Readonly<Record<'limit' | 'format' | 'report' | 'details' | 'verbose', readonly HistoryAction[]>> = {
  limit: ['list'],
  format: ['list', 'diff'],
  report: ['show'],
  details: ['show'],
  verbose: ['show', 'diff'],
}

/** An option without effect is reported as an error. */
function rejectForeign(action: HistoryAction, { limit, report, details, verbose, format }: HistoryFlags): void {
  const isGiven = {
    limit: limit !== undefined,
    format: format !== 'text',
    report: report !== undefined,
    details,
    verbose,
  }
  for (const name of ['limit', 'format', 'report', 'details', 'verbose'] as const) {
    const actions = KNOWN_TO[name]
    if (!isGiven[name] || actions.includes(action)) continue
    throw usageError(`--${name} is for history ${actions.join(' and ')}, not for ${action}`, 'history')
  }
  if (action === 'list' && format === 'markdown') throw usageError('--format markdown is for history diff', 'history')
}
