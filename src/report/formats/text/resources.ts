import { widestOf, wrapLine } from '../../../model/columns.ts'
import type { ResourceResult } from '../../../model/run.ts'
import { hasBelow } from '../../../model/roll-up.ts'
import { VERDICTS } from '../../../model/verdict.ts'
import { describeResource } from '../../words/describe.ts'
import { type EqualResults, groupEqual } from '../../words/equal-results.ts'
import { compareResults } from '../../words/requirements.ts'
import { layOut } from '../../words/rows.ts'
import { SEVERITY_TONES, VERDICT_TONES } from '../../format.ts'
import { narrowWidth, pad, type Page } from './page.ts'

/** Maximum number of names of equal resources, unless verbose. */
const ALIKE_SHOWN = 12

/** Maximum number of lines per resource, unless verbose. */
const DETAIL_LINES = 60

/** An entry of a policy: equal resources, or an apply resource with its children. */
export type Entry =
  Leaf | { readonly kind: 'parent'; readonly result: ResourceResult; readonly below: readonly Entry[] }

/** One or several equal resources. */
export interface Leaf {
  readonly kind: 'alike'
  readonly results: EqualResults
}

/** The entries of results: worst first, children grouped below their apply resource, equal results merged. */
export function entriesOf(results: readonly ResourceResult[], { verbose }: Pick<Page, 'verbose'>): readonly Entry[] {
  const parents: Entry[] = []
  const leaves: ResourceResult[] = []
  for (let index = 0; index < results.length; index++) {
    const result = results[index]
    if (result === undefined) continue
    const end = endOf(results, index)
    if (end === index + 1) leaves.push(result)
    else parents.push({ kind: 'parent', result, below: entriesOf(results.slice(index + 1, end), { verbose }) })
    index = end - 1
  }
  const groups = verbose ? leaves.map((result): EqualResults => [result]) : groupEqual(leaves)
  const alike = groups.map((group): Leaf => ({ kind: 'alike', results: group }))
  return [...parents, ...alike].toSorted((left, right) => compareResults(worstOf(left), worstOf(right)))
}

/** The leaves of entries, including those below apply resources. */
export function leavesOf(entries: readonly Entry[]): readonly Leaf[] {
  return entries.flatMap((entry) => (entry.kind === 'alike' ? [entry] : leavesOf(entry.below)))
}

export function worstOf(entry: Entry): ResourceResult {
  if (entry.kind === 'alike') return entry.results[0]
  return entry.below
    .map(worstOf)
    .reduce((worst, each) => (compareResults(each, worst) < 0 ? each : worst), entry.result)
}

/** The chosen entries as blocks; blocks of several lines are separated by empty lines. */
export function resourceLines(entries: readonly Entry[], chosen: ReadonlySet<Entry>, page: Page): readonly string[] {
  const shown = entries.flatMap((entry) => prune(entry, chosen))
  const heads = shown.flatMap(headsOf)
  const widths = {
    verdict: widestOf(heads.map(({ verdict }) => verdict)),
    severity: widestOf(heads.map(({ severity }) => severity)),
  }
  return separate(shown.flatMap((entry) => blocksOf(entry, widths, page)))
}

/** The lines of equal resources without surrounding separators. */
export function linesOfLeaf(entry: Leaf, page: Page): readonly string[] {
  return blockOf(entry.results, { verdict: 0, severity: 0 }, page)
}

/** Number of omitted resources by verdict: `2 drifted, 1 error`. */
export function countVerdicts(results: readonly ResourceResult[]): string {
  return VERDICTS.map((verdict) => [results.filter((result) => result.verdict === verdict).length, verdict] as const)
    .filter(([count]) => count > 0)
    .map(([count, verdict]) => `${count} ${verdict}`)
    .join(', ')
}

function endOf(results: readonly ResourceResult[], index: number): number {
  const result = results[index]
  let end = index + 1
  while (result !== undefined && end < results.length && hasBelow(result, results[end])) end++
  return end
}

function prune(entry: Entry, chosen: ReadonlySet<Entry>): readonly Entry[] {
  if (entry.kind === 'alike') return chosen.has(entry) ? [entry] : []
  const below = entry.below.flatMap((each) => prune(each, chosen))
  return below.length === 0 ? [] : [{ ...entry, below }]
}

function headsOf(entry: Entry): readonly ResourceResult[] {
  return entry.kind === 'alike' ? [entry.results[0]] : [entry.result, ...entry.below.flatMap(headsOf)]
}

interface Widths {
  readonly verdict: number
  readonly severity: number
}

function blocksOf(entry: Entry, widths: Widths, page: Page): readonly (readonly string[])[] {
  if (entry.kind === 'alike') return [blockOf(entry.results, widths, page)]
  return [blockOf([entry.result], widths, page), ...entry.below.flatMap((each) => blocksOf(each, widths, page))]
}

function blockOf(results: EqualResults, widths: Widths, wholePage: Page): readonly string[] {
  const [result] = results
  const { paint } = wholePage
  const indent = '  '.repeat(result.path?.length ?? 0)
  const page = { ...wholePage, width: narrowWidth(wholePage, indent.length) }
  const verdict = paint(VERDICT_TONES[result.verdict], result.verdict) + pad(result.verdict, widths.verdict)
  const severity = paint(SEVERITY_TONES[result.severity], result.severity) + pad(result.severity, widths.severity)
  const named = results.length === 1 ? nameAndPlace(result, page) : namesOf(results, page)
  const details = detailsOf(result, page)
  const isLong = !page.verbose && details.length > DETAIL_LINES
  const shown = isLong ? details.slice(0, DETAIL_LINES) : details
  const rest = isLong ? [paint('dim', `${details.length - shown.length} more lines with --verbose`)] : []
  const headline = `  ${verdict}  ${severity}  ${named}`
  return [...wrapLine(headline, page.width, 4), ...[...shown, ...rest].map((line) => `      ${line}`)].map(
    (line) => indent + line,
  )
}

function nameAndPlace(result: ResourceResult, { escape, paint }: Page): string {
  const controls = result.controls.length === 0 ? '' : `  [${result.controls.map(escape).join(', ')}]`
  const place = paint('dim', `${escape(result.source.file)}:${result.source.line}`)
  return `${paint('strong', escape(result.id))}${controls}  ${place}`
}

/** The names of equal resources, each with its controls. */
function namesOf(results: EqualResults, { escape, paint }: Page): string {
  const names = results.slice(0, ALIKE_SHOWN).map(({ id, controls }) => {
    const supported = controls.length === 0 ? '' : ` [${controls.map(escape).join(', ')}]`
    return paint('strong', escape(id)) + supported
  })
  const others = results.length - names.length
  return `${results.length} identical results: ${names.join(', ')}${others === 0 ? '' : `, ${others} more`}`
}

function detailsOf(result: ResourceResult, page: Page): readonly string[] {
  // For a resource that is not applicable, only the reason is shown.
  const shown = result.verdict === 'not-applicable' ? { ...result, drift: [], actions: [] } : result
  return layOut(describeResource(shown, page, page.waivers), page.paint, narrowWidth(page, 6))
}

/** Separates blocks of several lines from their neighbours; single lines follow each other. */
function separate(blocks: readonly (readonly string[])[]): readonly string[] {
  return blocks.flatMap((block, index) => {
    const previous = blocks[index - 1]
    const isApart = previous !== undefined && (block.length > 1 || previous.length > 1)
    return isApart ? ['', ...block] : block
  })
}
