import { escapeForTerminal } from '../../../model/escape.ts'
import { countOf } from '../../../model/count-of.ts'
import type { PolicyResult, ResourceResult, Run, ScannedTarget } from '../../../model/run.ts'
import { withoutRollUps } from '../../../model/roll-up.ts'
import { FAILURES, VERDICTS } from '../../../model/verdict.ts'
import { type RenderOptions, type Tone, VERDICT_TONES } from '../../format.ts'
import { compareExits, EXIT } from '../../../model/gate.ts'
import { waiverLines } from '../../words/waivers.ts'
import { padColumns, widestOf, wrapLine } from '../../../model/columns.ts'
import { hostNameOf, ownNameOf } from '../../../model/host-name.ts'
import { hostsOf, matrixOf } from '../../words/matrix.ts'
import { requirementsOf } from '../../words/requirements.ts'
import { joinSections } from '../../words/rows.ts'
import { interruptionLines, remarkLines } from '../../words/run-remarks.ts'
import { controlLines } from './controls.ts'
import { type Choice, chooseDetails, type Details } from './details.ts'
import { matrixLines } from './hosts.ts'
import { overviewSections } from './overview.ts'
import type { Page } from './page.ts'
import { countVerdicts, leavesOf, resourceLines } from './resources.ts'
import { DRIFT_FATES, type PastDrift } from '../../../model/baseline.ts'
import { formatValue } from '../../../model/format-value.ts'

/** Maximum number of resolved and incomparable drifts listed, unless verbose. */
const DRIFTS_SHOWN = 10

const LONGEST_EXIT = 'exit 143'.length

/** Maximum number of names in a line of not applicable resources, unless verbose. */
const NAMES_SHOWN = 5

/** Maximum length of a report, unless verbose. */
const MOST_LINES = 280

/** Lines of a policy except its resources and controls: title, omissions, empty lines. */
const LINES_OF_POLICY = 8

/** Minimum number of lines for resources and controls. */
const LEAST_DETAILS = 100

/** The text report. Lines end in a line feed; all other control characters are escaped. */
export function render(run: Run, options: RenderOptions): string {
  const { paint, width, verbose, brief = false } = options
  const fit: Page['fit'] = (lines, hanging) => lines.flatMap((line) => wrapLine(line, width, hanging))
  const page: Page = {
    escape: escapeForTerminal,
    paint,
    waivers: run.waivers,
    fit,
    width,
    verbose,
    brief: brief && !verbose && run.run.mode === 'audit',
  }
  const requirements = requirementsOf(run)
  const isPerformed = run.policies.length > 0
  const matrix = matrixOf(run, requirements)
  const before = isPerformed
    ? [fit([formatHeadline(run)], 2), ...overviewSections(run, { requirements, matrix }, page)]
    : []
  if (matrix !== undefined) before.push(matrixLines(matrix, page))
  const after = [
    // A line that starts with a space is a source excerpt, which must not be wrapped.
    remarkLines(run, page).flatMap((line) => (line.startsWith(' ') ? [line] : fit([line], 2))),
    fit(waiverLines(run, verbose, page), 4),
    fit(baselineLines(run, page), 4),
    targetLines(run, page),
    fit(formatConclusion(run, page), 4),
  ]
  // With a matrix, the details of each host are left out, since they are long.
  if (matrix !== undefined && !verbose) return joinSections([...before, ...after])
  const taken =
    [...before, ...after].reduce((sum, lines) => sum + lines.length + 1, 0) + LINES_OF_POLICY * run.policies.length
  const room = verbose ? Infinity : Math.max(LEAST_DETAILS, MOST_LINES - taken)
  const choice = chooseDetails(run, { requirements, room, isWorthALine }, page)
  const policies = choice.details.map((details) => formatPolicy(details, choice, page))
  return joinSections([...before, ...policies, ...after])
}

/** The conclusion, preceded by problems of the whole run. */
export function summarize(
  { notes: _notes, waivers: _waivers, baseline: _baseline, targets: _targets, ...run }: Run,
  options: RenderOptions,
): string {
  return render({ ...run, policies: [] }, options)
}

function formatHeadline(whole: Run): string {
  const { run, target } = whole
  const hosts = hostsOf(whole)
  if (hosts.length > 1) return `${run.mode === 'fix' ? 'Fix' : 'Audit'} of ${hosts.length} hosts`
  const system = `${target.os.id} ${target.os.version}`.trim()
  const about = [ownNameOf(target) ?? '', system].filter((text) => text !== '').join(', ')
  const name = escapeForTerminal(hostNameOf(target))
  return `${run.mode === 'fix' ? 'Fix' : 'Audit'} of ${name}${about === '' ? '' : ` (${escapeForTerminal(about)})`}`
}

function formatPolicy(details: Details, choice: Choice, page: Page): readonly string[] {
  const { policy, entries, controls } = details
  const counted = withoutRollUps(policy.resources)
  const lines = resourceLines(entries, choice.entries, page)
  const left = leavesOf(entries).flatMap((leaf) => (choice.entries.has(leaf) ? [] : leaf.results))
  const inapplicable = page.verbose ? [] : formatInapplicable(counted, page)
  const footing = [...formatLeftOut(left, page), ...inapplicable]
  const isApart = footing.length > 0 && lines.length > 1
  const about = [...lines, ...(isApart ? [''] : []), ...footing]
  const ofControls = controlLines(controls, choice.controls, page)
  return [
    ...page.fit([formatPolicyTitle(policy, page)], 2),
    ...ofControls,
    ...(ofControls.length > 0 && lines.length > 0 ? [''] : []),
    ...(about.length > 0 ? about : ofControls.length > 0 ? [] : [formatQuiet(counted)]),
  ]
}

function formatLeftOut(left: readonly ResourceResult[], { paint, fit, brief }: Page): readonly string[] {
  if (left.length === 0) return []
  const option = brief ? '--details' : '--verbose'
  const more = `${countOf(left.length, 'more resource')} (${countVerdicts(left)}), listed with ${option}`
  return fit([`  ${paint('dim', more)}`], 4)
}

/** Compliant resources without messages, and not applicable ones, are only counted. */
function isWorthALine({ verdict, actions, warnings = [] }: ResourceResult): boolean {
  return verdict === 'compliant' ? actions.length + warnings.length > 0 : verdict !== 'not-applicable'
}

function formatPolicyTitle(policy: PolicyResult, { escape, paint }: Page): string {
  const { id, title, version, source, origin } = policy
  const about = version === undefined ? source : `${source}, version ${version}`
  const named = title === undefined ? '' : `: ${escape(title)}`
  const place = origin === undefined ? '' : ` on ${escape(hostNameOf(origin.target))}, ${escape(origin.startedAt)}`
  return `${paint('strong', escape(id) + named)} ${paint('dim', `(${escape(about)})${place}`)}`
}

function formatQuiet(resources: readonly ResourceResult[]): string {
  if (resources.length === 0) return '  no resource was evaluated'
  return resources.length === 1 ? '  its resource is compliant' : `  all ${resources.length} resources are compliant`
}

function formatInapplicable(resources: readonly ResourceResult[], { escape, paint, fit }: Page): readonly string[] {
  const ids = resources.filter(({ verdict }) => verdict === 'not-applicable').map(({ id }) => escape(id))
  if (ids.length === 0) return []
  const rest = ids.length > NAMES_SHOWN ? `, and ${ids.length - NAMES_SHOWN} more` : ''
  return fit([`  ${paint('dim', 'not-applicable')}  ${ids.slice(0, NAMES_SHOWN).join(', ')}${rest}`], 4)
}

function formatConclusion(run: Run, channel: Page): readonly string[] {
  const { summary, exit } = run
  const { escape, paint } = channel
  const counts = VERDICTS.filter((verdict) => summary[verdict] > 0).map((verdict) =>
    paint(VERDICT_TONES[verdict], `${summary[verdict]} ${verdict}`),
  )
  const total = summary.total === 0 ? 'nothing was evaluated' : countOf(summary.total, 'resource')
  const exitTone: Tone = exit.code === EXIT.ok ? 'good' : 'bad'
  const ending = paint(exitTone, `exit ${exit.code}`)
  const line = counts.length === 0 ? `${total}, ${ending}` : `${total}: ${[...counts, ending].join(', ')}`
  return [...interruptionLines(run, channel), line, ...exit.reasons.map((reason) => `  ${escape(reason)}`)]
}

/** A line for each target of a scan of several, worst first; stable. */
function targetLines({ targets = [], policies }: Run, page: Page): readonly string[] {
  if (targets.length === 0) return []
  const { escape, paint, width } = page
  const rows = targets.toSorted(worstFirst).map((target) => ({
    exit: paint(target.exit.code === EXIT.ok ? 'good' : 'bad', `exit ${target.exit.code}`.padEnd(LONGEST_EXIT)),
    name: escape(bothNames(target, policies)),
    about: describe(target, page),
  }))
  const column = widestOf(rows.map(({ name }) => name))
  const lines = rows.flatMap(({ exit, name, about }) =>
    wrapLine(`  ${exit}  ${padColumns(name, column)}  ${about}`, width, LONGEST_EXIT + 4),
  )
  return [paint('strong', 'targets, worst first'), ...lines]
}

function bothNames({ name }: ScannedTarget, policies: Run['policies']): string {
  const origin = policies.find(({ target }) => target === name)?.origin
  const own = origin && ownNameOf(origin.target)
  return own === undefined ? name : `${name} (${own})`
}

function worstFirst(left: ScannedTarget, right: ScannedTarget): number {
  return compareExits(left.exit.code, right.exit.code) || troubleOf(right) - troubleOf(left)
}

function troubleOf({ summary }: ScannedTarget): number {
  return FAILURES.reduce((sum, verdict) => sum + summary[verdict], 0)
}

function describe({ summary, exit, reason }: ScannedTarget, { escape, paint }: Page): string {
  if (reason !== undefined) return escape(exit.reasons.join('; '))
  const counts = VERDICTS.filter((verdict) => summary[verdict] > 0)
  return counts.map((verdict) => paint(VERDICT_TONES[verdict], `${summary[verdict]} ${verdict}`)).join(', ')
}

/** The comparison with the reference report: counts, resolved and incomparable drift. */
function baselineLines({ baseline }: Run, { escape, paint, verbose }: Page): readonly string[] {
  if (baseline === undefined) return []
  const { counts, source, startedAt, resolved, incomparable } = baseline
  const total = DRIFT_FATES.filter((fate) => counts[fate] > 0).map((fate) => `${counts[fate]} ${fate}`)
  const found = total.length === 0 ? 'no drift then and now' : total.join(', ')
  const shown = <T>(drifts: readonly T[]): readonly T[] => (verbose ? drifts : drifts.slice(0, DRIFTS_SHOWN))
  const more = (drifts: readonly unknown[], fate: string): readonly string[] => {
    const others = drifts.length - shown(drifts).length
    return others === 0 ? [] : [`  ${paint('dim', `${others} more ${fate}, listed with --verbose`)}`]
  }
  return [
    `${paint('strong', 'baseline')} ${escape(source)} ${paint('dim', `(${escape(startedAt)})`)}: ${found}`,
    ...shown(resolved).map((drift) => `  ${paint('good', 'resolved')}      ${escape(describePast(drift))}`),
    ...more(resolved, 'resolved'),
    ...shown(incomparable).map((drift) => {
      return `  ${paint('warn', 'incomparable')}  ${escape(describePast(drift))}: ${escape(drift.why)}`
    }),
    ...more(incomparable, 'incomparable'),
  ]
}

function describePast({ path = [], resource, property, desired, observed }: PastDrift): string {
  const values = `wanted ${formatValue(desired)}, found ${formatValue(observed)}`
  return `${[...path, resource].join(' > ')}  ${property}: ${values}`
}
