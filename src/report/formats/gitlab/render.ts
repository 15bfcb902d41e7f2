import { toSafeJson } from '../../../model/safe-json.ts'
import { escapeForTerminal } from '../../../model/escape.ts'
import { hostNameOf } from '../../../model/host-name.ts'
import type { Position } from '../../../model/problem.ts'
import type { Run } from '../../../model/run.ts'
import { isFailure, type Severity } from '../../../model/verdict.ts'
import { type Finding, findingsOf, identitiesOf, nameOf, worstFirst } from '../../words/finding.ts'
import { placeOf, relativePathOf } from '../../words/place.ts'
import { aboutOf, controlsOf } from '../../words/controls.ts'
import { createRuleBook, type RuleBook, SCAN_RULE } from '../../words/sarif-rules.ts'
import { type Remark, remarksOf } from '../../words/run-remarks.ts'
import { clip } from '../../words/clip.ts'

/** An entry of a code quality report. @see GitLab documentation, "Code Quality report format" */
interface CodeQualityIssue {
  /** `type` and `categories` are required by Code Climate's parsers; GitLab ignores them. */
  readonly type: 'issue'
  readonly categories: readonly ['Security']
  readonly description: string
  readonly check_name: string
  readonly fingerprint: string
  readonly severity: 'info' | 'minor' | 'major' | 'critical' | 'blocker'
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } }
}

const OF_CODE_CLIMATE = { type: 'issue', categories: ['Security'] } as const

const SEVERITIES: Readonly<Record<Severity, CodeQualityIssue['severity']>> = {
  info: 'info',
  low: 'minor',
  medium: 'major',
  high: 'critical',
  critical: 'blocker',
}

const DESCRIPTION_CHARACTERS = 1_000

/**
 * A GitLab code quality report: an issue for each drift and for each resource that is unknown or could not be fixed,
 * worst first. Known drift is included, because GitLab compares with its own reference. Problems of the scan are
 * separate issues.
 */
export function render(run: Run): string {
  const findings = worstFirst(
    findingsOf(run).filter((finding) => isFailure(finding.state) || finding.state === 'known'),
  )
  const identities = identitiesOf(run, findings)
  const book = createRuleBook(run.policies, 'github')
  const issues = [
    ...remarksOf(run).map((remark) => toScanIssue(remark, run)),
    ...findings.map((finding, index) => toIssue(finding, identities[index] ?? finding.fingerprint, { run, book })),
  ]
  return `${toSafeJson(issues, 2)}\n`
}

interface Context {
  readonly run: Run
  /** Checks are named like the rules in SARIF. */
  readonly book: RuleBook
}

function toIssue(finding: Finding, fingerprint: string, { run, book }: Context): CodeQualityIssue {
  const { policy, result, origin, text } = finding
  const controls = controlsOf(result, book.controlsOf(policy))
  const about = controls.flatMap(aboutOf).map(([label, said]) => `${label}: ${said}`)
  const host = run.target.kind === 'merged' ? `${hostNameOf(origin.target)}: ` : ''
  return {
    ...OF_CODE_CLIMATE,
    description: toLine([`${host}${nameOf(result)}: ${text}`, ...about].join('; ')),
    check_name: book.ofResource(policy, result).id,
    fingerprint,
    severity: SEVERITIES[result.severity],
    location: toLocation(result.source),
  }
}

function toScanIssue({ level, text, position, fingerprint }: Remark, run: Run): CodeQualityIssue {
  const source = position ?? { file: run.policies[0]?.source ?? '.', line: 1, column: 1 }
  return {
    ...OF_CODE_CLIMATE,
    description: toLine(text),
    check_name: SCAN_RULE,
    fingerprint,
    severity: level === 'error' ? 'blocker' : 'minor',
    location: toLocation(source),
  }
}

/** GitLab matches paths in the repository: relative, without `./`. */
function toLocation({ file, line }: Position): CodeQualityIssue['location'] {
  const place = placeOf(file)
  const path = relativePathOf(place).replace(/\p{Cs}/gu, '\ufffd')
  return { path, lines: { begin: place.isBundle ? 1 : line } }
}

function toLine(text: string): string {
  return escapeForTerminal(clip(text, DESCRIPTION_CHARACTERS))
}
