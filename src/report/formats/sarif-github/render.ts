import type { Run } from '../../../core/run.ts'
import { type Finding, findingsOf, isFailure, nameOf, worstFirst } from '../../words/finding.ts'
import { identitiesOf } from '../../words/identity.ts'
import { createRuleBook, type RuleBook } from '../../words/sarif-rules.ts'
import {
  messageText,
  physicalLocation,
  SARIF_LEVELS,
  type SarifLocation,
  type SarifNotification,
  type SarifResult,
  serializeSarif,
} from '../../words/sarif-log.ts'
import { type Remark, remarksOf } from '../../words/run-remarks.ts'
import { findTrouble } from '../../words/trouble.ts'

/** GitHub refuses a run with more results, and keeps the first so many of those it takes. */
const RESULTS_TAKEN = 25_000
const RESULTS_KEPT = 5_000

/**
 * SARIF as GitHub's code scanning takes it: only what counts against the run, each at the line that declares the resource,
 * the worst first. What blocked resources wait for is there, so they are not. A merged report is one run, too, because
 * GitHub takes twenty at most; its fingerprints tell the machines apart.
 */
export function render(run: Run): string {
  const book = createRuleBook(run.policies, 'github')
  const findings = worstFirst(findingsOf(run).filter((finding) => isFailure(finding) && finding.state !== 'blocked'))
  const identities = identitiesOf(run, findings)
  const remarks = remarksOf(run)
  const results = [
    ...remarks.filter(({ level }) => level === 'error').map((remark) => toScanResult(remark, run, book)),
    ...findings.map((finding, index) => toResult(finding, identities[index] ?? finding.fingerprint, { run, book })),
  ]
  const { version } = run.tool
  return serializeSarif([
    {
      tool: { driver: { name: 'driftgate', version: messageText(version, 'github'), rules: book.rules } },
      columnKind: 'utf16CodeUnits',
      invocations: [
        {
          executionSuccessful: findTrouble(run) === undefined,
          exitCode: run.exit.code,
          startTimeUtc: run.run.startedAt,
          endTimeUtc: run.run.finishedAt,
          machine: messageText(run.target.hostname, 'github'),
          toolConfigurationNotifications: remarks.map(toNotification),
          toolExecutionNotifications: describeCut(results.length),
        },
      ],
      results: results.slice(0, RESULTS_TAKEN),
    },
  ])
}

/** GitHub does not place a result without a file, so it stands at the policies, or at the root of the repository. */
function toScanResult({ text, position, fingerprint }: Remark, run: Run, book: RuleBook): SarifResult {
  const [policy] = run.policies
  const { id, index } = book.ofScan()
  return {
    ruleId: id,
    ruleIndex: index,
    kind: 'fail',
    level: 'error',
    message: { text: messageText(text, 'github') },
    locations: [physicalLocation(position ?? { file: policy?.source ?? '.', line: 1, column: 1 }, 'github')],
    partialFingerprints: { primaryLocationLineHash: fingerprint },
  }
}

function toResult(finding: Finding, identity: string, { run, book }: { run: Run; book: RuleBook }): SarifResult {
  const { policy, result, origin, text } = finding
  const { id, index } = book.ofResource(policy, result)
  const name = nameOf(result)
  const subject = run.target.kind === 'merged' ? `${origin.target.hostname}: ${name}` : name
  return {
    ruleId: id,
    ruleIndex: index,
    kind: 'fail',
    level: SARIF_LEVELS[result.severity],
    message: { text: messageText(`${subject}: ${text}`, 'github') },
    locations: [locationOf(finding)],
    partialFingerprints: { primaryLocationLineHash: identity },
  }
}

function locationOf({ result, origin }: Finding): SarifLocation {
  const [host = '', name = ''] = [origin.target.hostname, nameOf(result)].map((text) => messageText(text, 'github'))
  return {
    ...physicalLocation(result.source, 'github'),
    logicalLocations: [{ name, fullyQualifiedName: `${host} > ${name}`, kind: 'resource' }],
  }
}

function toNotification({ level, text, position }: Remark): SarifNotification {
  const locations = position === undefined ? {} : { locations: [physicalLocation(position, 'github')] }
  return { level, message: { text: messageText(text, 'github') }, ...locations }
}

function describeCut(count: number): readonly SarifNotification[] {
  if (count <= RESULTS_KEPT) return []
  const lost = Math.max(0, count - RESULTS_TAKEN)
  const left = lost === 0 ? '' : ` ${lost} of them are left out here.`
  const text = `There are ${count} results, of which GitHub keeps ${RESULTS_KEPT}.${left} The JSON report has all.`
  return [{ level: 'warning', message: { text } }]
}
