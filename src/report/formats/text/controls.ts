import { padColumns, widestOf } from '../../../model/columns.ts'
import type { ControlResult } from '../../../model/run.ts'
import { aboutOf, adviceOf } from '../../words/controls.ts'
import { layOut, textRows } from '../../words/rows.ts'
import { SEVERITY_TONES, VERDICT_TONES } from '../../format.ts'
import { narrowWidth, pad, type Page } from './page.ts'

/** Column widths of a list of controls. */
interface Widths {
  readonly verdict: number
  readonly severity: number
  readonly id: number
}

/** Up to this number, all controls of a policy are listed, with advice on those that are not met. */
const FEW_CONTROLS = 12

const NO_COLUMNS: Widths = { verdict: 0, severity: 0, id: 0 }

/** Whether all controls of a policy are listed. */
export function areAllTold(controls: readonly ControlResult[], { verbose }: Pick<Page, 'verbose'>): boolean {
  return verbose || controls.length <= FEW_CONTROLS
}

/** The controls to list if there is room: all, or the failing ones; in a brief report, causes list the unknown ones. */
export function controlsWorthALine(
  controls: readonly ControlResult[],
  page: Pick<Page, 'verbose' | 'brief'>,
): readonly ControlResult[] {
  if (areAllTold(controls, page)) return controls
  return controls.filter((control) => isWorthALine(control) && !(page.brief && isUnknown(control)))
}

function isUnknown({ verdict }: ControlResult): boolean {
  return verdict === 'error' || verdict === 'blocked'
}

function isWorthALine({ verdict }: ControlResult): boolean {
  return verdict !== 'compliant' && verdict !== 'not-applicable'
}

/** The chosen controls of a policy in the given order, and the number of the others. */
export function controlLines(
  controls: readonly ControlResult[],
  chosen: ReadonlySet<ControlResult>,
  page: Page,
): readonly string[] {
  const { escape, paint } = page
  const shown = controls.filter((control) => chosen.has(control))
  if (shown.length === 0) return []
  const widths = {
    verdict: widestOf(shown.map(({ verdict }) => verdict)),
    severity: widestOf(shown.map(({ severity }) => severity)),
    id: widestOf(shown.map(({ id }) => escape(id))),
  }
  const isAdvised = areAllTold(controls, page)
  const lines = shown.flatMap((control) => linesOfControl(control, { isAdvised, widths }, page))
  return [`  ${paint('dim', 'controls')}`, ...lines, ...leftOut(controls, chosen, page)]
}

/** The verdict and title of a control, and on request the advice of its author if it is not met. */
export function linesOfControl(
  control: ControlResult,
  { isAdvised, widths = NO_COLUMNS }: { readonly isAdvised: boolean; readonly widths?: Widths },
  page: Page,
): readonly string[] {
  const { id, path, title, severity, verdict } = control
  const { escape, paint, verbose } = page
  const painted = paint(VERDICT_TONES[verdict], verdict) + pad(verdict, widths.verdict)
  const weight = paint(SEVERITY_TONES[severity], severity) + pad(severity, widths.severity)
  const name = title === undefined ? escape(id) : `${padColumns(escape(id), widths.id)}  ${escape(title)}`
  const place = path === undefined ? '' : `  ${paint('dim', path.map(escape).join(' > '))}`
  const isTold = isAdvised && isWorthALine(control)
  const advice = isTold ? (verbose ? aboutOf(control) : adviceOf(control)) : []
  return [
    ...page.fit([`    ${painted}  ${weight}  ${name}${place}`], hangingOf(widths, page)),
    ...layOut(textRows(advice, page), paint, narrowWidth(page, 8)).map((line) => `        ${line}`),
  ]
}

/** The column of the titles, if half of the page is left for them. */
function hangingOf({ verdict, severity, id }: Widths, { width = Infinity }: Page): number {
  const column = 4 + verdict + 2 + severity + 2 + id + 2
  return id > 0 && column <= width / 2 ? column : 6
}

function leftOut(
  controls: readonly ControlResult[],
  chosen: ReadonlySet<ControlResult>,
  page: Page,
): readonly string[] {
  const others = controls.filter((control) => !chosen.has(control))
  const failing = others.filter(isWorthALine)
  const unknown = failing.filter((control) => page.brief && isUnknown(control)).length
  const well = others.length - failing.length
  const parts = [
    ...(failing.length === unknown ? [] : [`${failing.length - unknown} more`]),
    ...(unknown === 0 ? [] : [`${unknown} unknown`]),
    ...(well === 0 ? [] : [`${well} compliant or not applicable`]),
  ]
  if (parts.length === 0) return []
  return page.fit([`    ${page.paint('dim', `${parts.join(', ')}, listed with --verbose`)}`], 6)
}
