import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { VERDICTS } from '../../../model/verdict.ts'
import { shortId } from '../../../runs/history/file-name.ts'
import type { ListedRun, Listing } from '../../../runs/history/listing.ts'
import { isNotPerformed, type Series, troubleOf } from '../../../runs/history/series.ts'
import { type Tone, VERDICT_TONES } from '../../../report/format.ts'
import type { Paint } from '../../output/color.ts'
import { type Cell, tableRows } from '../../output/table.ts'

export interface ListStyle {
  readonly paint: Paint
  readonly bars: Bars
}

/** Number of policy names shown. */
const POLICIES_SHOWN = 4

/** Formats the list: a table of runs, newest first, and a trend line per series. */
export function showListing(listing: Listing, style: ListStyle): string {
  const { runs, total } = listing
  if (runs.length === 0) return ''
  const rest = total > runs.length ? [`${runs.length} of ${total} runs; --limit ${total} shows all`] : []
  const sections = [tableLines(listing, style), trendLines(listing, style), rest]
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line.trimEnd()}\n`).join(''))
    .join('\n')
}

function tableLines({ runs, series }: Listing, { paint }: ListStyle): readonly string[] {
  const counted = VERDICTS.filter((verdict) => runs.some(({ summary }) => summary[verdict] > 0))
  const isMixed = new Set(series.map(({ policies }) => policies.join('\n'))).size > 1
  const header = ['run', 'started', 'mode', 'exit', ...counted, 'host'].map((text): Cell => ({ text, tone: 'dim' }))
  const rows = runs.map((run): readonly Cell[] => [
    { text: escapeForTerminal(shortId(run.runId)), tone: 'strong' },
    { text: escapeForTerminal(run.startedAt.replace(/\.\d+Z$/, 'Z')) },
    { text: run.mode },
    { text: String(run.exitCode), tone: run.exitCode === EXIT.ok ? 'good' : 'bad' },
    ...counted.map((verdict): Cell => {
      const count = run.summary[verdict]
      if (isNotPerformed(run)) return { text: '-', tone: 'dim' }
      return { text: String(count), tone: count > 0 ? VERDICT_TONES[verdict] : 'dim' }
    }),
    { text: aboutRun(run, isMixed) },
  ])
  return tableRows([header, ...rows], { firstNumber: 3, paint })
}

/** Host of a run, and remarks needed to compare it with others. */
function aboutRun(run: ListedRun, isMixed: boolean): string {
  const host = escapeForTerminal(run.name)
  const changed = run.changedPolicies
  const remarks = [
    ...(isMixed && run.policies.length > 0 ? [namesOf(run.policies.map(({ id }) => id))] : []),
    ...(isNotPerformed(run) ? ['not performed'] : []),
    ...(run.interrupted ? ['interrupted'] : []),
    ...(changed.length > 0 ? [`policy ${namesOf(changed)} changed`] : []),
  ]
  return remarks.length === 0 ? host : `${host}: ${remarks.join('; ')}`
}

function trendLines({ series }: Listing, { bars, paint }: ListStyle): readonly string[] {
  const lines = series.map((each) => {
    const values = each.runs.map((run) => (isNotPerformed(run) ? undefined : troubleOf(run.summary)))
    const { words, tone } = judge(values)
    return [{ text: sparkline(values, bars) }, { text: words, tone }, { text: describe(each) }]
  })
  if (lines.length === 0) return []
  const isMissing = series.some(({ runs }) => runs.some(isNotPerformed))
  const legend = isMissing ? ` (${bars.missing}: not performed)` : ''
  const headline = `drifted, failed or unknown, oldest run first${legend}`
  return [headline, ...tableRows(lines, { firstNumber: Infinity, paint }).map((line) => `  ${line}`)]
}

/** Describes the trend from the first run to the last. */
function judge(values: readonly (number | undefined)[]): { readonly words: string; readonly tone: Tone } {
  const counts = values.flatMap((value) => value ?? [])
  const [first] = counts
  const last = counts.at(-1)
  if (first === undefined || last === undefined) return { words: 'not performed', tone: 'bad' }
  const words = counts.length === 1 ? String(last) : `${first} to ${last}, ${compare(first, last)}`
  if (values.at(-1) === undefined) return { words: `${words}, then not performed`, tone: 'bad' }
  return { words, tone: last === 0 ? 'good' : last > first ? 'bad' : 'warn' }
}

function compare(first: number, last: number): string {
  if (first === last) return 'unchanged'
  return last < first ? 'better' : 'worse'
}

function describe({ host, policies }: Series): string {
  return policies.length === 0 ? escapeForTerminal(host) : `${escapeForTerminal(host)}: ${namesOf(policies)}`
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, POLICIES_SHOWN).map(escapeForTerminal)
  const more = names.length - shown.length
  return `${shown.join(', ')}${more > 0 ? `, ${more} more` : ''}`
}

type Environment = Readonly<Record<string, string | undefined>>

/** Characters of a sparkline, lowest first, and one for a missing value. */
export interface Bars {
  readonly levels: readonly [string, ...string[]]
  readonly missing: string
}

const BLOCKS: Bars = { levels: ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'], missing: '×' }
const ASCII: Bars = { levels: ['_', '.', ':', '-', '=', '+', '*', '#'], missing: 'x' }

/** Bars for the terminal of these variables: block characters with UTF-8, except on a dumb terminal. */
export function barsFor(env: Environment): Bars {
  const locale =
    [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '') ?? ''
  return /utf-?8/i.test(locale) && env['TERM'] !== 'dumb' ? BLOCKS : ASCII
}

/** Draws a bar per value, scaled to the highest; only 0 is the lowest bar. Undefined is a missing value. */
export function sparkline(values: readonly (number | undefined)[], { levels, missing }: Bars): string {
  const highest = values.reduce<number>((most, value = 0) => Math.max(most, value), 1)
  const top = levels.length - 1
  return values.map((value) => (value === undefined ? missing : levels[Math.ceil((value / highest) * top)])).join('')
}
