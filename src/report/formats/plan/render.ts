import type { Drift, ReportValue } from '../../../model/drift.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { formatDrift, formatProperty, formatValue } from '../../../model/format-value.ts'
import { withoutRollUps } from '../../../model/roll-up.ts'
import type { ResourceResult, Run } from '../../../model/run.ts'
import { describeCircumstances, describeExtras } from '../../words/describe.ts'
import { type ShownChange, differencesOf } from '../../words/differences.ts'
import type { RenderOptions, Tone } from '../../format.ts'
import { waiverLines } from '../../words/waivers.ts'
import { type Channel, joinSections, layOut, type Row } from '../../words/rows.ts'
import { interruptionLines, remarkLines } from '../../words/run-remarks.ts'
import { EXIT } from '../../../model/gate.ts'

/**
 * The changes of each resource in the layout of Converge's `plan` and `apply`. Lines end in a line feed; all other
 * control characters are escaped.
 * @see https://github.com/asteris-llc/converge, prettyprinters/human
 */
export function render(run: Run, options: RenderOptions): string {
  const channel = channelOf(options)
  const entries = entriesOf(run, channel)
  const shown = options.verbose ? entries : entries.filter(isWorthShowing)
  return joinSections([
    ...shown.map((entry) => formatEntry(entry, channel)),
    formatErrors(
      'Errors',
      entries.filter(hasErrors).filter(({ isBlocked }) => !isBlocked),
      channel,
    ),
    formatErrors(
      'Failed due to failing dependency',
      entries.filter(({ isBlocked }) => isBlocked),
      channel,
    ),
    remarkLines(run, channel),
    waiverLines(run, options.verbose, channel),
    formatSummary(run, entries, channel),
  ])
}

/** The line with the number of errors and changes. */
export function summarize(run: Run, options: RenderOptions): string {
  const channel = channelOf(options)
  return joinSections([formatSummary(run, entriesOf(run, channel), channel)])
}

/** A resource in the layout. Texts are escaped, except those of `changes`. */
interface Entry {
  /** The policy, the enclosing apply resources, and the resource. */
  readonly id: string
  readonly isBlocked: boolean
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
  readonly messages: readonly Row[]
  readonly hasChanges: boolean
  readonly changes: readonly ShownChange[]
}

function channelOf({ paint }: RenderOptions): Channel {
  return { escape: escapeForTerminal, paint }
}

/** Roll-ups of child manifests are not shown, only their resources. */
function entriesOf({ policies, waivers }: Run, channel: Channel): readonly Entry[] {
  return policies.flatMap(({ id, resources }) =>
    withoutRollUps(resources).map((result) => toEntry(id, result, { channel, waivers })),
  )
}

interface Page {
  readonly channel: Channel
  /** The waivers of the run, for their remaining time. */
  readonly waivers: Run['waivers']
}

function toEntry(policy: string, result: ResourceResult, { channel, waivers }: Page): Entry {
  const { path = [], id, verdict } = result
  const { changes, unverified } = differencesOf(result)
  const cannot = verdict === 'drifted' && result.change === 'cannot'
  const rows = describeCircumstances(result, channel, waivers).filter(({ label }) => !(cannot && label === 'change'))
  const refusal = cannot ? [`cannot change${channel.escape(reasonOf(result))}`] : []
  return {
    id: [policy, ...path, id].map(channel.escape).join('/'),
    isBlocked: verdict === 'blocked',
    errors: errorsOf(result, [...refusal, ...rows.filter(isError).map(errorText)]),
    warnings: rows.filter(({ label }) => label === 'warning').flatMap(({ lines }) => lines),
    messages: [
      ...acceptedDrift(result).map((drift) => driftRow('accepted', drift, channel)),
      ...rows.filter((row) => !isError(row) && row.label !== 'warning'),
      ...unverified.map((drift) => driftRow('not verified', drift, channel)),
    ],
    hasChanges: verdict === 'drifted' || verdict === 'fixed' || changes.length > 0,
    changes,
  }
}

function reasonOf({ changeReason }: ResourceResult): string {
  return changeReason === undefined ? '' : `: ${changeReason}`
}

function acceptedDrift({ verdict, drift }: ResourceResult): readonly Drift[] {
  return verdict === 'waived' || verdict === 'error' ? drift : []
}

function driftRow(label: string, drift: Drift, { escape }: Channel): Row {
  return { label, lines: [escape(formatDrift(drift))] }
}

const ERROR_LABELS: ReadonlySet<string> = new Set(['error', 'blocked', 'blocked by'])

function isError({ label }: Row): boolean {
  return ERROR_LABELS.has(label)
}

function errorText({ label, lines: [text] }: Row): string {
  return label === 'error' ? text : `${label}: ${text}`
}

/** A failure without errors still counts as one. */
function errorsOf({ verdict, message }: ResourceResult, texts: readonly string[]): readonly string[] {
  const isTrouble = verdict === 'error' || verdict === 'fix-failed' || verdict === 'blocked'
  return texts.length === 0 && isTrouble ? [message === undefined ? verdict : escapeForTerminal(message)] : texts
}

function hasErrors({ errors }: Entry): boolean {
  return errors.length > 0
}

function isWorthShowing({ errors, warnings, messages, hasChanges }: Entry): boolean {
  return hasChanges || errors.length + warnings.length + messages.length > 0
}

function formatEntry(entry: Entry, channel: Channel): readonly string[] {
  const { id, errors, warnings, messages, hasChanges, changes } = entry
  const { paint } = channel
  const name = errors.length > 0 ? paint('bad', id) : hasChanges ? paint('warn', id) : id
  return [
    `${name}:`,
    ...errors.map((text) => ` ${paint('bad', 'Error')}: ${text}`),
    ...warnings.map((text) => ` ${paint('warn', 'Warning')}: ${text}`),
    ' Messages:',
    ...layOut(messages, paint).map((line) => `  ${line}`),
    ` Has Changes: ${hasChanges ? paint('warn', 'yes') : 'no'}`,
    ...(changes.length === 0 ? [' Changes: No changes'] : [' Changes:']),
    ...changes.flatMap((change) => formatChange(change, channel)),
  ]
}

function formatChange({ drift, original, current }: ShownChange, channel: Channel): readonly string[] {
  const name = channel.paint('strong', channel.escape(formatProperty(drift)))
  const extras = describeExtras(drift, channel).map((line) => `    ${line}`)
  if (!isBlock(original) && !isBlock(current)) {
    const [from, to] = [quote(original, 'bad', channel), quote(current, 'good', channel)]
    return [`  ${name}: ${from} => ${to}`, ...extras]
  }
  const before = formatBlock(original, 'bad', channel)
  const after = formatBlock(current, 'good', channel)
  return [`  ${name}:`, '    before:', ...before, '    after:', ...after, ...extras]
}

/** Whether a value has several lines; a trailing line feed does not count. */
function isBlock(value: ReportValue): value is string {
  return typeof value === 'string' && value.trim().includes('\n')
}

function quote(value: ReportValue, tone: Tone, { escape, paint }: Channel): string {
  const text = typeof value === 'string' ? value : formatValue(value)
  return `"${paint(tone, escape(text.replaceAll(/[\\"]/g, String.raw`\$&`)))}"`
}

function formatBlock(value: ReportValue, tone: Tone, channel: Channel): readonly string[] {
  if (!isBlock(value)) return [`      ${quote(value, tone, channel)}`]
  return value.split('\n').map((line) => `      ${channel.paint(tone, channel.escape(line))}`)
}

function formatErrors(title: string, entries: readonly Entry[], { paint }: Channel): readonly string[] {
  if (entries.length === 0) return []
  return [`${paint('bad', title)}:`, ...entries.map(({ id, errors }) => ` * ${id}: ${errors.join('; ')}`)]
}

/** The summary line, preceded by reasons not to rely on it. Exit code 5 means that nothing was evaluated. */
function formatSummary(run: Run, entries: readonly Entry[], channel: Channel): readonly string[] {
  const invalid = (run.problems ?? []).filter(({ severity }) => severity === 'error').length
  const errors = entries.filter(hasErrors).length + invalid
  const changes = entries.filter(({ hasChanges }) => hasChanges).length
  const summary = channel.paint(errors > 0 ? 'bad' : 'good', 'Summary')
  return [
    ...interruptionLines(run, channel),
    ...(run.exit.code === EXIT.nothingEvaluated ? run.exit.reasons.map(channel.escape) : []),
    `${summary}: ${errors} errors, ${changes} changes`,
  ]
}
