import { defined } from '../../../model/defined.ts'
import type { PastDrift } from '../../../model/baseline.ts'
import { countOf } from '../../../model/count-of.ts'
import { formatValue } from '../../../model/format-value.ts'
import { hostOfPolicy } from '../../../model/host-name.ts'
import type { Run } from '../../../model/run.ts'
import { CONTROLS_WORST_FIRST, isFailure, SEVERITIES } from '../../../model/verdict.ts'
import { nameOf } from '../../words/finding.ts'
import type { MarkdownContext } from './findings.ts'
import { foldedSection, type MarkdownSection, tableHead } from '../../words/markdown-sections.ts'
import { shortCode, shortProse } from '../../words/markdown.ts'
import { adviceOf } from '../../words/controls.ts'

/** The failing controls as a visible table, and the others folded. */
export function controlSections(
  run: Run,
  context: MarkdownContext,
): { readonly unmet: MarkdownSection; readonly others: MarkdownSection } {
  const found = run.policies
    .flatMap((policy) => {
      const host = hostOfPolicy(run, policy)
      return policy.controls.map((control) => ({ control, host }))
    })
    .toSorted(
      ({ control: left }, { control: right }) =>
        CONTROLS_WORST_FIRST.indexOf(left.verdict) - CONTROLS_WORST_FIRST.indexOf(right.verdict) ||
        SEVERITIES.indexOf(right.severity) - SEVERITIES.indexOf(left.severity),
    )
  const head = table('Verdict', 'Severity', 'Control', ...(context.isMerged ? ['Machine'] : []))
  const rowOf = ({ control, host }: (typeof found)[number]): string => {
    const { verdict, severity, title } = control
    const name = nameOf({ id: control.id, ...defined({ path: control.path }) })
    const advice = isFailure(control.verdict)
      ? adviceOf(control).map(([label, text]) => `<br>${label}: ${shortProse(text)}`)
      : []
    const shown = (title === undefined ? shortCode(name) : `${shortCode(name)} ${shortProse(title)}`) + advice.join('')
    return row(verdict, severity, shown, ...(context.isMerged ? [shortCode(host)] : []))
  }
  const unmet = found.filter(({ control }) => isFailure(control.verdict))
  return {
    unmet: {
      name: 'Open controls',
      before: ['### Open controls', '', ...head],
      rows: unmet.map(rowOf),
      after: [],
    },
    others: foldedSection('Other controls', head, found.filter((each) => !unmet.includes(each)).map(rowOf)),
  }
}

/** Waivers that have expired or expire soon. */
export function waiverSection({ waivers = [] }: Run): MarkdownSection {
  const due = waivers
    .filter(({ state, expiresSoon }) => state === 'expired' || expiresSoon)
    .toSorted((left, right) => left.daysLeft - right.daysLeft)
  const rows = due.map(({ id, state, expires, daysLeft, approver, reason, resource, control, accepted }) => {
    const when = state === 'expired' ? `expired on ${expires}` : `${expires}, ${countOf(daysLeft, 'day')} left`
    return row(
      shortCode(id),
      shortProse(when),
      shortCode(resource ?? control ?? ''),
      String(accepted),
      shortProse(approver),
      shortProse(reason),
    )
  })
  const before = ['### Waivers that expire', '', ...table('Waiver', 'Until', 'For', 'Accepts', 'Approver', 'Reason')]
  return { name: 'Waivers that expire', before, rows, after: [] }
}

/** Resolved and incomparable drift of the reference report, folded. */
export function baselineSections({ baseline }: Run): readonly MarkdownSection[] {
  if (baseline === undefined) return []
  const head = ['Resource', 'Property', 'Wanted', 'Found then']
  return [
    foldedSection(
      'Resolved since the baseline',
      table(...head),
      baseline.resolved.map((past) => row(...pastCells(past))),
    ),
    foldedSection(
      'In the baseline, not comparable',
      table(...head, 'Why'),
      baseline.incomparable.map((past) => row(...pastCells(past), shortProse(past.why))),
    ),
  ]
}

function pastCells({ resource, path, property, desired, observed }: PastDrift): readonly string[] {
  const name = nameOf({ id: resource, ...defined({ path }) })
  return [shortCode(name), shortCode(property), shortCode(formatValue(desired)), shortCode(formatValue(observed))]
}

function table(...titles: readonly string[]): readonly string[] {
  return tableHead(titles.map((title) => ({ title })))
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
