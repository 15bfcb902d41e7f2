import { defined } from '../../../model/defined.ts'
import { assertNever } from '../../../model/assert-never.ts'
import type { PastDrift } from '../../../model/baseline.ts'
import { formatProperty, formatValue } from '../../../model/format-value.ts'
import { hostNameOf } from '../../../model/host-name.ts'
import { fingerprint } from '../../../model/findings/fingerprint.ts'
import type { ControlResult, PolicyResult, Run, RunOrigin } from '../../../model/run.ts'
import { NOT_EVALUATED, notEvaluated } from '../../words/controls.ts'
import { describeWaiver, type Finding, findingsOfPolicy, nameOf } from '../../words/finding.ts'
import { createRuleBook, type RuleBook } from '../../words/sarif-rules.ts'
import {
  messageText,
  physicalLocation,
  SARIF_LEVELS,
  type SarifInvocation,
  type SarifLocation,
  type SarifResult,
  type SarifRun,
  SOURCE_ROOT,
} from '../../words/sarif-log.ts'
import { findTrouble, type Remark, remarksOf } from '../../words/run-remarks.ts'
import { scanResult, toNotification } from '../../words/sarif-remarks.ts'

export interface SarifPart {
  readonly origin: RunOrigin
  /** Whether it is the run of the report itself, whose exit code and problems are known. */
  readonly isOwn: boolean
  readonly policies: readonly PolicyResult[]
  /** Resolved drift of the reference report in these policies. */
  readonly resolved: readonly PastDrift[]
}

/** Versioned by its computation: policy, resource, property and kind of difference. */
const FINGERPRINT = 'driftgateFinding/v1'

const GUID = /^[\da-f]{8}-[\da-f]{4}-[1-5][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i

/** The results of one run of driftgate as a SARIF run. */
export function toSarifRun(run: Run, part: SarifPart): SarifRun {
  const book = createRuleBook(part.policies, 'full')
  const findings = part.policies.flatMap((policy) => findingsOfPolicy(run, policy))
  const context: Context = { run, book, findings }
  const remarks = part.isOwn ? remarksOf(run) : []
  const results = [
    ...(findTrouble(run) === undefined ? [] : remarks.slice(0, 1)).map((trouble) =>
      scanResult(trouble, book, {
        profile: 'full',
        locations: [],
        partialFingerprints: { [FINGERPRINT]: trouble.fingerprint },
      }),
    ),
    ...findings.map((finding) => toResult(finding, context)),
    ...part.policies.flatMap((policy) => notEvaluated(policy).map((control) => toReview(policy, control, book))),
    ...toAbsentResults(part, context),
  ]
  const isCompared = run.baseline !== undefined || results.some(({ baselineState }) => baselineState !== undefined)
  const isWaived = run.waivers !== undefined || results.some(({ suppressions }) => suppressions !== undefined)
  const baselineGuid = run.baseline !== undefined && GUID.test(run.baseline.runId) ? run.baseline.runId : undefined
  return {
    tool: { driver: { name: 'driftgate', version: messageText(run.tool.version, 'full'), rules: book.rules } },
    ...automationDetails(run, part),
    ...defined({ baselineGuid }),
    columnKind: 'utf16CodeUnits',
    originalUriBaseIds: { [SOURCE_ROOT]: { description: { text: 'The directory in which the scan was started.' } } },
    invocations: [toInvocation(part, remarks, context)],
    // If one result has these two, all must have them (3.27.23, 3.27.24).
    results: results.map((result) => ({
      ...result,
      ...(isWaived && result.suppressions === undefined ? { suppressions: [] } : {}),
      ...(isCompared && result.baselineState === undefined ? { baselineState: stateOfOthers(result) } : {}),
    })),
  }
}

interface Context {
  readonly run: Run
  readonly book: RuleBook
  readonly findings: readonly Finding[]
}

/** Results without drift were not compared. A failure must not be hidden as an old one. */
function stateOfOthers({ kind, suppressions }: SarifResult): 'new' | 'unchanged' {
  return (kind === 'fail' && suppressions === undefined) || kind === 'open' ? 'new' : 'unchanged'
}

/** The part before the last slash names a series of comparable runs. */
function automationDetails({ target }: Run, { origin }: SarifPart): Pick<SarifRun, 'automationDetails'> {
  const guid = GUID.test(origin.runId) ? { guid: origin.runId } : {}
  if (target.kind !== 'merged') return 'guid' in guid ? { automationDetails: guid } : {}
  const [host, id] = [hostNameOf(origin.target), origin.runId].map((text) =>
    messageText(text.replaceAll('/', '_'), 'full'),
  )
  return { automationDetails: { id: `driftgate/${host}/${id}`, ...guid } }
}

function toInvocation(
  { origin, isOwn }: SarifPart,
  remarks: readonly Remark[],
  { run, book, findings }: Context,
): SarifInvocation {
  const [trouble] = findTrouble(run) === undefined ? [] : remarks
  const problems = remarks.filter((remark) => remark !== trouble)
  const failed = findings.filter(({ state }) => state === 'error' || state === 'fix-failed')
  const notes = isOwn ? (run.notes ?? []) : []
  return {
    executionSuccessful: findTrouble(run) === undefined,
    ...(isOwn && { exitCode: run.exit.code }),
    ...(isOwn &&
      run.exit.reasons.length > 0 && { exitCodeDescription: messageText(run.exit.reasons.join('; '), 'full') }),
    startTimeUtc: origin.startedAt,
    ...(isOwn && { endTimeUtc: run.run.finishedAt }),
    machine: messageText(hostNameOf(origin.target), 'full'),
    toolConfigurationNotifications: problems.map((remark) => toNotification(remark, 'full')),
    toolExecutionNotifications: [
      ...(trouble === undefined ? [] : [toNotification(trouble, 'full')]),
      ...failed.map((finding) => ({
        level: 'error' as const,
        message: { text: sentence(finding) },
        locations: [locationOf(finding)],
        associatedRule: book.ofResource(finding.policy, finding.result),
      })),
      ...notes.map((note) => ({ level: 'note' as const, message: { text: messageText(note, 'full') } })),
    ],
  }
}

/** A manual control. It has no location, because it has no resource. */
function toReview(policy: PolicyResult, control: ControlResult, book: RuleBook): SarifResult {
  const { id, index } = book.ofControl(policy, control)
  const key = { policy: policy.id, resource: { id: control.id, path: control.path ?? [] }, subject: ['not-evaluated'] }
  return {
    ruleId: id,
    ruleIndex: index,
    kind: 'review',
    level: 'none',
    message: { text: messageText(`${control.title ?? control.id}: ${NOT_EVALUATED}`, 'full') },
    locations: [],
    partialFingerprints: { [FINGERPRINT]: fingerprint(key) },
  }
}

function toResult(finding: Finding, { book }: Context): SarifResult {
  const { policy, result, drift, fingerprint } = finding
  const { id, index } = book.ofResource(policy, result)
  return {
    ruleId: id,
    ruleIndex: index,
    ...classify(finding),
    message: { text: sentence(finding) },
    locations: [locationOf(finding)],
    partialFingerprints: { [FINGERPRINT]: fingerprint },
    properties: {
      policy: messageText(policy.id, 'full'),
      verdict: result.verdict,
      severity: result.severity,
      controls: result.controls.map((control) => messageText(control, 'full')),
      ...(drift === undefined ? {} : { property: messageText(formatProperty(drift), 'full'), ...valuesOf(drift) }),
    },
  }
}

function valuesOf({ desired, observed }: Pick<PastDrift, 'desired' | 'observed'>): Record<string, string> {
  const [want, found] = [desired, observed].map((value) => messageText(formatValue(value), 'full'))
  return { desired: want ?? '', observed: found ?? '' }
}

type Classes = Pick<SarifResult, 'kind' | 'level' | 'suppressions' | 'baselineState'>

function classify(finding: Finding): Classes {
  const { state, result, drift, waiver } = finding
  const failure = { kind: 'fail', level: SARIF_LEVELS[result.severity] } as const
  switch (state) {
    case 'drifted':
      return {
        ...failure,
        ...(drift?.baseline === undefined ? {} : { baselineState: toBaselineState(drift.baseline) }),
      }
    case 'known':
      return { ...failure, baselineState: 'unchanged' }
    case 'fix-failed':
      return failure
    case 'waived': {
      const justification = waiver === undefined ? (result.message ?? 'waived') : describeWaiver(waiver)
      return {
        ...failure,
        suppressions: [{ kind: 'external', status: 'accepted', justification: messageText(justification, 'full') }],
      }
    }
    case 'error':
    case 'blocked':
    case 'unread':
      return { kind: 'open', level: 'none' }
    case 'not-applicable':
      return { kind: 'notApplicable', level: 'none' }
    case 'fixed':
    case 'compliant':
      return { kind: 'pass', level: 'none' }
    default:
      return assertNever(state)
  }
}

function toBaselineState(baseline: 'new' | 'changed' | 'unchanged'): 'new' | 'updated' | 'unchanged' {
  return baseline === 'changed' ? 'updated' : baseline
}

/** Drift of the reference report that this run does not have. */
function toAbsentResults({ resolved, origin }: SarifPart, { book, findings }: Context): readonly SarifResult[] {
  const present = new Set(findings.map(({ fingerprint }) => fingerprint))
  const places = new Map(findings.map((finding) => [keyOf(finding.policy.id, nameOf(finding.result)), finding]))
  return resolved
    .filter(({ fingerprint }) => !present.has(fingerprint))
    .map((past) => {
      const name = nameOf({ id: past.resource, ...defined({ path: past.path }) })
      const now = places.get(keyOf(past.policy, name))
      const [type = ''] = past.resource.split('#')
      const { id, index } = now === undefined ? book.ofType(type) : book.ofResource(now.policy, now.result)
      const text = `${name}: ${past.property}: want ${formatValue(past.desired)}, found ${formatValue(past.observed)}`
      return {
        ruleId: id,
        ruleIndex: index,
        kind: 'fail' as const,
        level: SARIF_LEVELS[past.severity],
        message: { text: messageText(`${text}; no longer so`, 'full') },
        locations: now === undefined ? [logicalLocation(hostNameOf(origin.target), name)] : [locationOf(now)],
        partialFingerprints: { [FINGERPRINT]: past.fingerprint },
        baselineState: 'absent' as const,
        properties: { policy: messageText(past.policy, 'full'), severity: past.severity, ...valuesOf(past) },
      }
    })
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts)
}

function sentence({ result, text }: Finding): string {
  return messageText(`${nameOf(result)}: ${text}`, 'full')
}

/** The line that declares the resource, and its logical location: machine and name. */
function locationOf({ result, origin }: Finding): SarifLocation {
  return { ...physicalLocation(result.source, 'full'), ...logicalLocation(hostNameOf(origin.target), nameOf(result)) }
}

function logicalLocation(hostname: string, resource: string): SarifLocation {
  const [host = '', name = ''] = [hostname, resource].map((text) => messageText(text, 'full'))
  return {
    logicalLocations: [
      { name, fullyQualifiedName: `${host} > ${name}`, kind: 'resource' },
      { name: host, fullyQualifiedName: host, kind: 'host' },
    ],
  }
}
