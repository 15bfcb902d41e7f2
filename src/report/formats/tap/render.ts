import { escapeForTerminal } from '../../../model/escape.ts'
import { formatProperty, formatValue, moreDrifts, shownDrifts } from '../../../model/format-value.ts'
import { hostNameOf } from '../../../model/host-name.ts'
import { isFailure } from '../../../model/verdict.ts'
import { withoutRollUps } from '../../../model/roll-up.ts'
import type { ControlResult, PolicyResult, ReportedDrift, ResourceResult, Run, RunOrigin } from '../../../model/run.ts'
import {
  aboutOf,
  type Controls,
  controlsOf,
  indexControls,
  listControls,
  NOT_EVALUATED,
  notEvaluated,
} from '../../words/controls.ts'
import { describeCircumstances } from '../../words/describe.ts'
import { originOf, originOfRun } from '../../words/origin.ts'
import { yamlLines, type YamlMap } from './yaml.ts'
import type { Channel } from '../../words/rows.ts'
import { excuseOf } from '../../words/waivers.ts'
import { findTrouble, type Trouble } from '../../words/run-remarks.ts'
import { clip } from '../../words/clip.ts'

const NAME_CHARACTERS = 500
const VALUE_CHARACTERS = 2000

/** Texts in a YAML block are escaped when they are quoted. */
const DATA: Channel = { escape: (text) => text, paint: (_tone, text) => text }

interface TestPoint {
  readonly ok: boolean
  /** Not escaped. */
  readonly name: string
  readonly directive?: { readonly word: 'SKIP' | 'TODO'; readonly reason: string }
  readonly diagnostics?: YamlMap
}

/**
 * The run as Test Anything Protocol: one test point per resource, with a YAML block unless it is simply compliant.
 * Waived and known drift is a TODO, which fails no run. An incomplete or empty scan has a failing point of its own, and
 * one that could not be performed bails out. The syntax is version 14, except for the first line, because Perl's
 * harness rejects versions above 13.
 * @see https://testanything.org/tap-version-14-specification.html
 */
export function render(run: Run): string {
  const trouble = findTrouble(run)
  const isAll = trouble?.kind === 'invalid' && run.policies.length === 0
  const lines = isAll ? bailOut(run, trouble) : [...headline(run), ...testPoints(run, trouble)]
  return ['TAP version 13', ...lines].map((line) => `${line}\n`).join('')
}

function bailOut({ exit }: Run, { lines }: Trouble): readonly string[] {
  const [what, ...problems] = lines
  const reason = ['Bail out!', what, ...exit.reasons.map(escapeForTerminal)].join(' ')
  return [...problems.map((line) => `# ${line}`), reason]
}

function headline(run: Run): readonly string[] {
  return [comment(`driftgate ${run.tool.version}: ${run.run.mode} ${nameOrigin(originOfRun(run))}`)]
}

function nameOrigin({ target, startedAt }: RunOrigin): string {
  const system = `${target.os.id} ${target.os.version}`.trim()
  return `of ${hostNameOf(target)}${system === '' ? '' : ` (${system})`}, started ${startedAt}`
}

function comment(text: string): string {
  return `# ${escapeForTerminal(text)}`
}

function testPoints(run: Run, trouble: Trouble | undefined): readonly string[] {
  let number = 0
  const numbered = (point: TestPoint): readonly string[] => formatPoint(++number, point)
  const points = run.policies.flatMap((policy) => {
    const controls = indexControls(policy)
    return [
      comment(describePolicy(run, policy)),
      ...withoutRollUps(policy.resources).flatMap((result) => numbered(toPoint({ run, policy, controls }, result))),
      ...notEvaluated(policy).flatMap((control) => numbered(toManualPoint(policy, control))),
    ]
  })
  const scan = trouble === undefined ? [] : numbered(toScanPoint(run, trouble))
  return [`1..${number}`, ...points, ...scan]
}

function describePolicy(run: Run, policy: PolicyResult): string {
  const { id, title, source } = policy
  const machine = policy.origin === undefined ? '' : ` ${nameOrigin(originOf(run, policy))}`
  return `${id}${title === undefined ? '' : `: ${title}`} (${source})${machine}`
}

interface Context {
  readonly run: Run
  readonly policy: PolicyResult
  readonly controls: Controls
}

function toPoint({ run, policy, controls }: Context, result: ResourceResult): TestPoint {
  const { verdict, message = 'no reason given' } = result
  const name = namePoint(policy, result)
  const diagnostics = diagnose(result, controls)
  switch (verdict) {
    case 'compliant':
      return result.actions.length + (result.warnings ?? []).length === 0
        ? { ok: true, name }
        : { ok: true, name, diagnostics }
    case 'fixed':
      return { ok: true, name, diagnostics }
    case 'not-applicable':
      return { ok: true, name, directive: { word: 'SKIP', reason: `not applicable: ${message}` } }
    case 'drifted':
    case 'waived':
    case 'error':
    case 'blocked':
    case 'fix-failed': {
      const acceptance = excuseOf(run, result)
      if (acceptance === undefined) return { ok: false, name, diagnostics }
      return { ok: false, name, directive: { word: 'TODO', reason: acceptance.text }, diagnostics }
    }
  }
}

function toManualPoint(policy: PolicyResult, { path = [], id, title = id }: ControlResult): TestPoint {
  const host = policy.origin === undefined ? [] : [hostNameOf(policy.origin.target)]
  const name = `[${id}] ${[...host, policy.id, ...path, title].join(' > ')}`
  return { ok: true, name, directive: { word: 'SKIP', reason: NOT_EVALUATED } }
}

/** Names contain no values, so that points of different runs can be compared. */
function namePoint(policy: PolicyResult, { path = [], id, controls }: ResourceResult): string {
  const host = policy.origin === undefined ? [] : [hostNameOf(policy.origin.target)]
  const place = [...host, policy.id, ...path, id].join(' > ')
  return controls.length === 0 ? place : `${listControls(controls)} ${place}`
}

function diagnose(result: ResourceResult, controls: Controls): YamlMap {
  const unmet = isFailure(result.verdict) ? controlsOf(result, controls).map(describeControl) : []
  const { shown, others } = shownDrifts(result.drift)
  const details = describeCircumstances(result, DATA).flatMap(({ label, lines: [first, ...others] }) => [
    `${label}: ${first}`,
    ...others.map((line) => `  ${line}`),
  ])
  return {
    verdict: result.verdict,
    severity: result.severity,
    ...(result.message === undefined ? {} : { message: clip(result.message, VALUE_CHARACTERS) }),
    ...(shown.length === 0 ? {} : { drift: shown.map(describeDrift) }),
    ...(others === 0 ? {} : { more: moreDrifts(others) }),
    ...(details.length === 0 ? {} : { details: details.map((line) => clip(line, VALUE_CHARACTERS)) }),
    ...(unmet.length === 0 ? {} : { controls: unmet }),
    at: { file: result.source.file, line: result.source.line, column: result.source.column },
    duration_ms: result.durationMs,
  }
}

function describeControl(control: ControlResult): YamlMap {
  const about = aboutOf(control).map(([label, text]) => [label, clip(text, VALUE_CHARACTERS)] as const)
  return { id: control.id, title: control.title, ...Object.fromEntries(about) }
}

function describeDrift(drift: ReportedDrift): YamlMap {
  const { diff = '' } = drift
  return {
    property: formatProperty(drift),
    wanted: clip(formatValue(drift.desired), VALUE_CHARACTERS),
    found: clip(formatValue(drift.observed), VALUE_CHARACTERS),
    note: drift.note,
    waiver: drift.waiver,
    baseline: drift.baseline,
    diff: diff === '' ? undefined : diff.replace(/\n$/, '').split('\n'),
  }
}

function toScanPoint({ exit, run }: Run, { kind, lines }: Trouble): TestPoint {
  const [message, ...details] = [...lines, ...exit.reasons.map(escapeForTerminal)]
  const diagnostics = { message, kind, details, duration_ms: run.durationMs }
  return { ok: false, name: 'scan: everything was evaluated', diagnostics }
}

function formatPoint(number: number, { ok, name, directive, diagnostics }: TestPoint): readonly string[] {
  const status = `${ok ? 'ok' : 'not ok'} ${number} - ${escapeText(clip(name, NAME_CHARACTERS))}`
  const line = directive === undefined ? status : `${status} # ${directive.word} ${escapeText(directive.reason)}`
  if (diagnostics === undefined) return [line]
  return [line, ...['---', ...yamlLines(diagnostics), '...'].map((text) => `  ${text}`)]
}

/** Escapes one line of text. A trailing open brace would start a subtest in node-tap's parser. */
function escapeText(text: string): string {
  return escapeForTerminal(text)
    .trim()
    .replace(/\{$/, String.raw`\x7b`)
    .replaceAll(/[\\#]/g, String.raw`\$&`)
}
