import { hostNameOf } from '../../../model/host-name.ts'
import type { Run } from '../../../model/run.ts'
import { type Finding, findingsOf, identitiesOf, nameOf, worstFirst } from '../../words/finding.ts'
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
import { findTrouble, type Remark, remarksOf } from '../../words/run-remarks.ts'
import { isFailure } from '../../../model/verdict.ts'
import { scanResult, toNotification } from '../../words/sarif-remarks.ts'

/** GitHub rejects a run with more results than the first limit, and keeps only the second number of them. */
const RESULTS_TAKEN = 25_000
const RESULTS_KEPT = 5_000

/**
 * SARIF for GitHub's code scanning: only failures, each at the line that declares the resource, worst first. Blocked
 * resources are left out, because their cause is included. A merged report is a single run, since GitHub accepts at
 * most twenty; fingerprints include the machine.
 */
export function render(run: Run): string {
  const book = createRuleBook(run.policies, 'github')
  const findings = worstFirst(
    findingsOf(run).filter((finding) => isFailure(finding.state) && finding.state !== 'blocked'),
  )
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
          machine: messageText(hostNameOf(run.target), 'github'),
          toolConfigurationNotifications: remarks.map((remark) => toNotification(remark, 'github')),
          toolExecutionNotifications: describeCut(results.length),
        },
      ],
      results: results.slice(0, RESULTS_TAKEN),
    },
  ])
}

/** GitHub requires a file for every result, so this one refers to the first policy, or to the root of the repository. */
function toScanResult(remark: Remark, run: Run, book: RuleBook): SarifResult {
  const place = remark.position ?? { file: run.policies[0]?.source ?? '.', line: 1, column: 1 }
  return scanResult(remark, book, {
    profile: 'github',
    locations: [physicalLocation(place, 'github')],
    partialFingerprints: { primaryLocationLineHash: remark.fingerprint },
  })
}

function toResult(finding: Finding, identity: string, { run, book }: { run: Run; book: RuleBook }): SarifResult {
  const { policy, result, origin, text } = finding
  const { id, index } = book.ofResource(policy, result)
  const name = nameOf(result)
  const subject = run.target.kind === 'merged' ? `${hostNameOf(origin.target)}: ${name}` : name
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
  const [host = '', name = ''] = [hostNameOf(origin.target), nameOf(result)].map((text) => messageText(text, 'github'))
  return {
    ...physicalLocation(result.source, 'github'),
    logicalLocations: [{ name, fullyQualifiedName: `${host} > ${name}`, kind: 'resource' }],
  }
}

function describeCut(count: number): readonly SarifNotification[] {
  if (count <= RESULTS_KEPT) return []
  const lost = Math.max(0, count - RESULTS_TAKEN)
  const left = lost === 0 ? '' : ` ${lost} of them are omitted here.`
  const text = `There are ${count} results, of which GitHub keeps ${RESULTS_KEPT}.${left} The JSON report has all.`
  return [{ level: 'warning', message: { text } }]
}
