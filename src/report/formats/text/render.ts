import { escapeForTerminal } from '../../../core/escape.ts'
import { countOf } from '../../../core/count-of.ts'
import type { ControlResult, PolicyResult, ResourceResult, Run } from '../../../core/run.ts'
import { hasBelow, withoutRollUps } from '../../../core/roll-up.ts'
import { isFailure, VERDICTS } from '../../../core/verdict.ts'
import type { WaiverRecord } from '../../../core/waiver.ts'
import { describeResource } from '../../words/describe.ts'
import { type RenderOptions, SEVERITY_TONES, type Tone, VERDICT_TONES } from '../../format.ts'
import { DRIFT_FATES, type PastDrift } from '../../../core/baseline.ts'
import { formatValue } from '../../../core/format-value.ts'
import { EXIT } from '../../../core/gate.ts'
import { waiverLines } from '../../words/waivers.ts'
import { columnsOf, padColumns, widestOf, wrapLine } from '../../../core/columns.ts'
import { adviceOf } from '../../words/controls.ts'
import { type Channel, joinSections, layOut, textRows } from '../../words/rows.ts'
import { interruptionLines, remarkLines } from '../../words/run-remarks.ts'

/** How many names a line of not applicable resources holds when it may be short. */
const NAMES_SHOWN = 5

/** The channel, with the waivers of the run, which tell how long they last, and its width. */
interface Page extends Channel {
  readonly fit: (lines: readonly string[], hanging: number) => readonly string[]
  readonly width: number | undefined
  readonly waivers: readonly WaiverRecord[] | undefined
}

/** The report people read after a scan. Lines end in a line feed; every other control character is escaped. */
export function render(run: Run, options: RenderOptions): string {
  const { paint, width } = options
  const fit: Page['fit'] = (lines, hanging) => lines.flatMap((line) => wrapLine(line, width, hanging))
  const channel: Page = { escape: escapeForTerminal, paint, waivers: run.waivers, fit, width }
  const sections = [
    run.policies.length === 0 ? [] : fit([formatHeadline(run)], 2),
    ...run.policies.map((policy) => formatPolicy(policy, options, channel)),
    remarkLines(run, channel),
    fit(waiverLines(run, options.verbose, channel), 4),
    fit(baselineLines(run, channel), 4),
    fit(formatConclusion(run, channel), 4),
  ]
  return joinSections(sections)
}

/** The conclusion, after what went wrong as a whole. */
export function summarize(
  { notes: _notes, waivers: _waivers, baseline: _baseline, ...run }: Run,
  options: RenderOptions,
): string {
  return render({ ...run, policies: [] }, options)
}

function formatHeadline({ run, target }: Run): string {
  const system = `${target.os.id} ${target.os.version}`.trim()
  const name = escapeForTerminal(target.hostname)
  return `${run.mode === 'fix' ? 'Fix' : 'Audit'} of ${name}${system === '' ? '' : ` (${escapeForTerminal(system)})`}`
}

function formatPolicy(policy: PolicyResult, options: RenderOptions, channel: Page): readonly string[] {
  const shown = options.verbose ? policy.resources : worthALine(policy.resources)
  const counted = withoutRollUps(policy.resources)
  const details = formatResources(shown, channel)
  const inapplicable = options.verbose ? [] : formatInapplicable(counted, channel)
  const isApart = inapplicable.length > 0 && details.length > 1
  const lines = [...details, ...(isApart ? [''] : []), ...inapplicable]
  return [
    ...channel.fit([formatPolicyTitle(policy, channel)], 2),
    ...(lines.length > 0 ? lines : [formatQuiet(counted)]),
    ...formatControls(policy.controls, channel),
  ]
}

/** What is worth a line, and the apply resources through which it was reached. */
function worthALine(results: readonly ResourceResult[]): readonly ResourceResult[] {
  const shown: ResourceResult[] = []
  // The results below an apply resource follow it, so from the end they are known before it.
  for (let index = results.length - 1; index >= 0; index--) {
    const result = results[index]
    if (result !== undefined && (isWorthALine(result) || hasBelow(result, shown.at(-1)))) shown.push(result)
  }
  return shown.toReversed()
}

/** What is compliant without more to say, or does not concern this machine, is only counted. */
function isWorthALine({ verdict, actions, warnings = [] }: ResourceResult): boolean {
  return verdict === 'compliant' ? actions.length + warnings.length > 0 : verdict !== 'not-applicable'
}

function formatPolicyTitle(policy: PolicyResult, { escape, paint }: Channel): string {
  const { id, title, version, source, origin } = policy
  const about = version === undefined ? source : `${source}, version ${version}`
  const named = title === undefined ? '' : `: ${escape(title)}`
  const place = origin === undefined ? '' : ` on ${escape(origin.target.hostname)}, ${escape(origin.startedAt)}`
  return `${paint('strong', escape(id) + named)} ${paint('dim', `(${escape(about)})${place}`)}`
}

function formatQuiet(resources: readonly ResourceResult[]): string {
  if (resources.length === 0) return '  no resource was evaluated'
  return resources.length === 1 ? '  its resource is compliant' : `  all ${resources.length} resources are compliant`
}

function formatResources(results: readonly ResourceResult[], channel: Page): readonly string[] {
  const verdictWidth = widestOf(results.map(({ verdict }) => verdict))
  const severityWidth = widestOf(results.map(({ severity }) => severity))
  const { escape, paint } = channel
  const blocks = results.map((result) => {
    const verdict = paint(VERDICT_TONES[result.verdict], result.verdict) + pad(result.verdict, verdictWidth)
    const controls = result.controls.length === 0 ? '' : `  [${result.controls.map(escape).join(', ')}]`
    const place = paint('dim', `${escape(result.source.file)}:${result.source.line}`)
    const name = paint('strong', escape(result.id))
    const severity = paint(SEVERITY_TONES[result.severity], result.severity) + pad(result.severity, severityWidth)
    const headline = `  ${verdict}  ${severity}  ${name}${controls}  ${place}`
    const indent = '  '.repeat(result.path?.length ?? 0)
    return [...channel.fit([headline], 4), ...formatDetails(result, channel)].map((line) => indent + line)
  })
  return separate(blocks)
}

/** A block of several lines stands apart from its neighbours; single lines follow each other. */
function separate(blocks: readonly (readonly string[])[]): readonly string[] {
  return blocks.flatMap((block, index) => {
    const previous = blocks[index - 1]
    const isApart = previous !== undefined && (block.length > 1 || previous.length > 1)
    return isApart ? ['', ...block] : block
  })
}

function formatDetails(result: ResourceResult, channel: Page): readonly string[] {
  // What does not concern this machine gets its reason and no more.
  const shown = result.verdict === 'not-applicable' ? { ...result, drift: [], actions: [] } : result
  const rows = describeResource(shown, channel, channel.waivers)
  return layOut(rows, channel.paint, narrowed(channel, 6)).map((line) => `      ${line}`)
}

/** What is left of the width beside a margin. */
function narrowed({ width }: Page, margin: number): number | undefined {
  return width === undefined ? undefined : Math.max(width - margin, 1)
}

function formatInapplicable(resources: readonly ResourceResult[], { escape, paint, fit }: Page): readonly string[] {
  const ids = resources.filter(({ verdict }) => verdict === 'not-applicable').map(({ id }) => escape(id))
  if (ids.length === 0) return []
  const rest = ids.length > NAMES_SHOWN ? `, and ${ids.length - NAMES_SHOWN} more` : ''
  return fit([`  ${paint('dim', 'not-applicable')}  ${ids.slice(0, NAMES_SHOWN).join(', ')}${rest}`], 4)
}

function formatControls(controls: readonly ControlResult[], channel: Page): readonly string[] {
  if (controls.length === 0) return []
  const { escape, paint } = channel
  const verdictWidth = widestOf(controls.map(({ verdict }) => verdict))
  const severityWidth = widestOf(controls.map(({ severity }) => severity))
  const idWidth = widestOf(controls.map(({ id }) => escape(id)))
  const lines = controls.flatMap((control) => {
    const { id, path, title, severity, verdict } = control
    const painted = paint(VERDICT_TONES[verdict], verdict) + pad(verdict, verdictWidth)
    const weight = paint(SEVERITY_TONES[severity], severity) + pad(severity, severityWidth)
    const name = title === undefined ? escape(id) : `${padColumns(escape(id), idWidth)}  ${escape(title)}`
    const place = path === undefined ? '' : `  ${paint('dim', path.map(escape).join(' > '))}`
    const advice = isFailure(verdict) ? textRows(adviceOf(control), channel) : []
    return [
      ...channel.fit([`    ${painted}  ${weight}  ${name}${place}`], 6),
      ...layOut(advice, paint, narrowed(channel, 8)).map((line) => `        ${line}`),
    ]
  })
  return ['', `  ${paint('dim', 'controls')}`, ...lines]
}

/** What a comparison with a baseline found: the counts, what is gone, and what nobody can say anything about. */
function baselineLines({ baseline }: Run, { escape, paint }: Channel): readonly string[] {
  if (baseline === undefined) return []
  const { counts, source, startedAt, resolved, incomparable } = baseline
  const total = DRIFT_FATES.filter((fate) => counts[fate] > 0).map((fate) => `${counts[fate]} ${fate}`)
  const found = total.length === 0 ? 'no drift then and now' : total.join(', ')
  return [
    `${paint('strong', 'baseline')} ${escape(source)} ${paint('dim', `(${escape(startedAt)})`)}: ${found}`,
    ...resolved.map((drift) => `  ${paint('good', 'resolved')}      ${escape(describePast(drift))}`),
    ...incomparable.map((drift) => {
      return `  ${paint('warn', 'incomparable')}  ${escape(describePast(drift))}: ${escape(drift.why)}`
    }),
  ]
}

function describePast({ path = [], resource, property, desired, observed }: PastDrift): string {
  const values = `wanted ${formatValue(desired)}, found ${formatValue(observed)}`
  return `${[...path, resource].join(' > ')}  ${property}: ${values}`
}

function formatConclusion(run: Run, channel: Channel): readonly string[] {
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

function pad(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - columnsOf(text)))
}
