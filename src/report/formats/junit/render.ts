import { assertNever } from '../../../model/assert-never.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { removeXmlHazards } from '../../../model/escape-xml.ts'
import { isKnown } from '../../../model/known.ts'
import { withoutRollUps } from '../../../model/roll-up.ts'
import { acceptedBy } from '../../../model/waiver-words.ts'
import type { ControlResult, PolicyResult, ResourceResult, Run, RunOrigin } from '../../../model/run.ts'
import { describeResource, effectWords } from '../../words/describe.ts'
import {
  aboutOf,
  type Controls,
  controlsOf,
  findControl,
  indexControls,
  listControls,
  NOT_EVALUATED,
  notEvaluated,
} from '../../words/controls.ts'
import { buildJunit, type CaseOutcome, type JunitCase, type JunitSuite } from './builder.ts'
import { formatPosition } from '../../../model/format-problem.ts'
import { formatProperty, formatValue, moreDrifts, shownDrifts } from '../../../model/format-value.ts'
import { hostNameOf, ownNameOf } from '../../../model/host-name.ts'
import { originOf, originOfRun } from '../../words/origin.ts'
import { type Channel, layOut, type Row, textRows } from '../../words/rows.ts'
import { findTrouble } from '../../words/run-remarks.ts'
import { clip } from '../../words/clip.ts'

/** Azure's limit is 512 characters; the rest is for the number of a duplicate. */
const NAME_CHARACTERS = 500
/** The rest is for the controls and the resource. */
const TITLE_CHARACTERS = 200

/** Text for XML: invalid, misleading and line-breaking characters are escaped. */
const CHANNEL: Channel = {
  escape: escapeForTerminal,
  paint: (_tone, text) => text,
}

/**
 * A JUnit file: one suite per policy, one case per resource, with names of child manifests prefixed by their apply
 * resources. Names contain no values, so that a case keeps its history. An incomplete or empty run has a failing case
 * of its own.
 */
export async function render(run: Run): Promise<string> {
  const taken = new Set<string>()
  const suites = run.policies.map((policy) => toSuite(run, policy, taken))
  return await buildJunit({
    name: `driftgate on ${CHANNEL.escape(hostNameOf(run.target))}`,
    durationMs: run.run.durationMs,
    suites: [...suites, ...toScanSuite(run)],
  })
}

function toSuite(run: Run, policy: PolicyResult, taken: Set<string>): JunitSuite {
  const controls = indexControls(policy)
  const results = withoutRollUps(policy.resources)
  const origin = originOf(run, policy)
  return {
    ...describeSuite(origin, CHANNEL.escape(policy.id)),
    durationMs: results.reduce((sum, { durationMs }) => sum + durationMs, 0),
    properties: [
      ['policy.id', CHANNEL.escape(policy.id)],
      ...(policy.title === undefined ? [] : [['policy.title', CHANNEL.escape(policy.title)] as const]),
      ...(policy.version === undefined ? [] : [['policy.version', CHANNEL.escape(policy.version)] as const]),
      ['policy.source', CHANNEL.escape(policy.source)],
      ['policy.sha256', policy.sha256],
      ...describeRun(origin, run),
      ...describeTarget(policy, run),
    ],
    cases: [
      ...results.map((result) => toCase(policy, result, { controls, taken })),
      ...notEvaluated(policy).map((control) => toManualCase(policy, control, taken)),
    ],
  }
}

function describeSuite(
  { target, startedAt }: RunOrigin,
  subject: string,
): Pick<JunitSuite, 'name' | 'hostname' | 'timestamp'> {
  const hostname = CHANNEL.escape(hostNameOf(target))
  return { name: `${subject} on ${hostname}`, hostname, timestamp: startedAt }
}

function describeRun({ runId, mode, target }: RunOrigin, { tool }: Run): JunitSuite['properties'] {
  const own = ownNameOf(target)
  return [
    ['run.id', CHANNEL.escape(runId)],
    ['run.mode', mode],
    ...(own === undefined ? [] : [['target.hostname', CHANNEL.escape(own)] as const]),
    ['target.os', CHANNEL.escape(`${target.os.id} ${target.os.version}`.trim())],
    ['tool.version', CHANNEL.escape(tool.version)],
  ]
}

function describeTarget({ target: name }: PolicyResult, { targets = [] }: Run): JunitSuite['properties'] {
  const target = targets.find((each) => each.name === name)
  if (target === undefined) return []
  return [
    ['target.name', CHANNEL.escape(target.name)],
    ['target.spec', CHANNEL.escape(target.spec)],
    ...Object.entries(target.labels).map(
      ([label, value]) => [`target.label.${CHANNEL.escape(label)}`, CHANNEL.escape(value)] as const,
    ),
  ]
}

interface Naming {
  readonly controls: Controls
  /** The identities in use: readers drop or merge cases with equal ones. */
  readonly taken: Set<string>
}

function toCase(policy: PolicyResult, result: ResourceResult, { controls, taken }: Naming): JunitCase {
  const className = `${packageOf(policy)}.${CHANNEL.escape(result.type)}`
  const name = unique(nameCase(result, controls), className, taken)
  const { durationMs } = result
  const source = { file: CHANNEL.escape(result.source.file), line: result.source.line }
  return { className, name, durationMs, source, outcome: toOutcome(result, controls) }
}

/** Jenkins treats the part before the last dot as the package. The host distinguishes cases of several hosts. */
function packageOf({ id, origin }: PolicyResult): string {
  const names = origin === undefined ? [id] : [hostNameOf(origin.target), id]
  return names.map((name) => CHANNEL.escape(name).replaceAll('.', '_')).join('.')
}

function toManualCase(policy: PolicyResult, { id, path = [], title }: ControlResult, taken: Set<string>): JunitCase {
  const className = `${packageOf(policy)}.control`
  const name = `[${[...path, id].map(CHANNEL.escape).join(' > ')}]${title === undefined ? '' : ` ${CHANNEL.escape(title)}`}`
  const outcome = { kind: 'skipped', text: NOT_EVALUATED } as const
  return { className, name: unique(clip(name, NAME_CHARACTERS), className, taken), durationMs: 0, outcome }
}

function nameCase(result: ResourceResult, controls: Naming['controls']): string {
  const resource = [...(result.path ?? []), result.id].map(CHANNEL.escape).join(' > ')
  const [id, ...others] = result.controls
  if (id === undefined) return clip(resource, NAME_CHARACTERS)
  const title = others.length === 0 ? findControl(result.path ?? [], id, controls)?.title : undefined
  const ids = listControls(result.controls, CHANNEL.escape)
  const named = title === undefined ? resource : `${clip(CHANNEL.escape(title), TITLE_CHARACTERS)} (${resource})`
  return clip(`${ids} ${named}`, NAME_CHARACTERS)
}

function unique(name: string, className: string, taken: Set<string>): string {
  let candidate = name
  for (let number = 2; taken.has(`${className} ${candidate}`); number++) candidate = `${name} #${number}`
  taken.add(`${className} ${candidate}`)
  return candidate
}

function toOutcome(result: ResourceResult, controls: Controls): CaseOutcome {
  const explainFailure = (): string => explain(result, controlsOf(result, controls).flatMap(aboutOf))
  switch (result.verdict) {
    case 'compliant':
      return result.actions.length + (result.warnings ?? []).length === 0
        ? { kind: 'passed' }
        : { kind: 'passed', output: explain(result) }
    case 'fixed':
      return { kind: 'passed', output: explainFix(result) }
    case 'drifted':
      if (isKnown(result)) return { kind: 'skipped', text: explainSkip('KNOWN in the baseline', result) }
      return { kind: 'failure', type: `drift:${result.severity}`, text: explainFailure() }
    case 'fix-failed':
      return { kind: 'failure', type: 'fix-failed', text: explainFailure() }
    case 'error':
      return { kind: 'error', type: `error:${result.reason ?? 'internal'}`, text: explainFailure() }
    case 'blocked':
      return { kind: 'error', type: 'blocked', text: explainFailure() }
    case 'waived':
      return { kind: 'skipped', text: explainWaiver(result) }
    case 'not-applicable':
      return { kind: 'skipped', text: explainSkip('N/A', result) }
    default:
      return assertNever(result.verdict)
  }
}

function explain(result: ResourceResult, advice: ReturnType<typeof aboutOf> = []): string {
  const source: Row = { label: 'source', lines: [formatPosition(result.source)] }
  const rows = [...describeResource(result, CHANNEL), ...textRows(advice, CHANNEL), source]
  return layOut(rows, CHANNEL.paint).join('\n')
}

/** The reason comes first, because lists of cases show one line. */
function explainSkip(word: string, result: ResourceResult): string {
  const { message = 'no reason given', ...rest } = result
  return `${word}: ${CHANNEL.escape(message)}\n${explain(rest)}`
}

/** The terms of each waiver: until when, by whom and why. */
function explainWaiver(result: ResourceResult): string {
  const terms = acceptedBy(result).map(({ expires, approver, reason }) => `until ${expires} by ${approver}: ${reason}`)
  if (terms.length === 0) return explainSkip('WAIVED', result)
  return `WAIVED ${CHANNEL.escape(terms.join('; '))}\n${explain(result)}`
}

function explainFix(result: ResourceResult): string {
  const { shown, others } = shownDrifts(result.drift)
  const changes = shown.map((drift) => {
    const change = `${formatProperty(drift)}: ${formatValue(drift.observed)} -> ${formatValue(drift.desired)}`
    return `FIXED ${CHANNEL.escape(change)}`
  })
  const rest = layOut(describeResource({ ...result, drift: [], actions: [] }, CHANNEL), CHANNEL.paint)
  const more = others === 0 ? [] : [moreDrifts(others)]
  return [...changes, ...more, ...effectWords(result).map(CHANNEL.escape), ...rest].join('\n') || 'FIXED'
}

/** Reports an incomplete or empty run as an error, which passed cases would hide. */
function toScanSuite(run: Run): readonly JunitSuite[] {
  const trouble = findTrouble(run)
  if (trouble === undefined) return []
  const text = [...trouble.lines.map(removeXmlHazards), ...run.exit.reasons.map(CHANNEL.escape)].join('\n')
  const origin = originOfRun(run)
  const outcome: CaseOutcome = { kind: 'error', type: trouble.kind, text }
  const name = trouble.kind === 'invalid' ? 'scan.policy' : 'scan.coverage'
  return [
    {
      ...describeSuite(origin, 'scan'),
      durationMs: run.run.durationMs,
      properties: describeRun(origin, run),
      cases: [{ className: 'driftgate.scan', name, durationMs: run.run.durationMs, outcome }],
    },
  ]
}
