import { escapeForTerminal } from '../../../model/escape.ts'
import { DRIFT_FATES } from '../../../model/baseline.ts'
import { withoutRollUps } from '../../../model/roll-up.ts'
import type { PolicyResult, ResourceResult, Run } from '../../../model/run.ts'
import { CONTROL_VERDICTS, SEVERITIES, VERDICTS } from '../../../model/verdict.ts'
import { originOf } from '../../words/origin.ts'
import { type Family, formatFamilies, labelByFile, type Labels, type Sample } from '../../words/metrics.ts'
import { EXIT } from '../../../model/gate.ts'
import type { RenderOptions } from '../../format.ts'
import { hostNameOf } from '../../../model/host-name.ts'

/** A waiver is in force until the end of its last day in UTC. */
const DAY_SECONDS = 86_400

const EXIT_CODES =
  `${EXIT.ok} compliant, ${EXIT.notPerformed} not performed, ${EXIT.drift} drift, ` +
  `${EXIT.undecided} undecided, ${EXIT.fixFailed} a fix failed, ${EXIT.nothingEvaluated} nothing evaluated`

/**
 * The run as metrics for the textfile collector of node_exporter: gauges without timestamps. Their number is limited:
 * per policy and verdict or severity, never per resource; in a merged report also per machine. To alert on missing
 * scans, watch `driftgate_scan_timestamp_seconds`. The file name distinguishes several scans of a host.
 */
export function render(run: Run, { file }: Pick<RenderOptions, 'file'>): string {
  return formatFamilies(labelByFile(familiesOf(run), file))
}

function familiesOf(run: Run): readonly Family[] {
  return [
    gauge('driftgate_info', 'Build of driftgate that made this report', [
      { labels: toLabels({ version: run.tool.version }), value: 1 },
    ]),
    ...scanFamilies(run),
    ...policyFamilies(groupPolicies(run)),
    ...waiverFamilies(run),
    ...baselineFamilies(run),
  ]
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: 'gauge', samples }
}

/** Escapes label values to one visible line, so that texts which look alike are equal. */
function toLabels(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).map(([name, text]) => [name, escapeForTerminal(text)]))
}

function single(value: number): readonly Sample[] {
  return [{ labels: {}, value }]
}

function scanFamilies(run: Run): readonly Family[] {
  const { durationMs, interrupted } = run.run
  const { total, 'not-applicable': inapplicable } = run.summary
  const problems = (run.problems ?? []).filter(({ severity }) => severity === 'error').length
  return [
    gauge('driftgate_scan_timestamp_seconds', 'When the scan ended; in a merged report when it started', timesOf(run)),
    gauge('driftgate_scan_duration_seconds', 'How long the scan took', single(durationMs / 1000)),
    gauge('driftgate_scan_exit_code', `Exit code of the scan: ${EXIT_CODES}`, single(run.exit.code)),
    gauge('driftgate_scan_interrupted', '1 if a signal ended the scan early', single(interrupted ? 1 : 0)),
    gauge(
      'driftgate_scan_problems',
      'Reasons why the scan, or a scan in a merged report, is incomplete',
      single(problems),
    ),
    gauge('driftgate_scan_vacuous', '1 if the scan evaluated nothing', single(total > inapplicable ? 0 : 1)),
  ]
}

/** For a merged report, the latest time of each machine, which may have several runs. */
function timesOf(run: Run): readonly Sample[] {
  if (run.target.kind !== 'merged') return single(toSeconds(run.run.finishedAt))
  const newest = new Map<string, number>()
  for (const policy of run.policies) {
    const { host = '' } = labelsOf(run, policy)
    newest.set(host, Math.max(newest.get(host) ?? 0, toSeconds(originOf(run, policy).startedAt)))
  }
  return [...newest].map(([host, value]) => ({ labels: { host }, value }))
}

function toSeconds(time: string): number {
  // oxlint-disable-next-line no-restricted-globals -- reads a time that the run holds, not the clock
  return Date.parse(time) / 1000
}

function labelsOf(run: Run, policy: PolicyResult): Labels {
  const host = run.target.kind === 'merged' ? { host: hostNameOf(originOf(run, policy).target) } : {}
  return toLabels({ ...host, policy: policy.id })
}

interface Group {
  readonly labels: Labels
  readonly policies: readonly PolicyResult[]
}

function groupPolicies(run: Run): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const policy of run.policies) {
    const labels = labelsOf(run, policy)
    const key = JSON.stringify(labels)
    groups.set(key, { labels, policies: [...(groups.get(key)?.policies ?? []), policy] })
  }
  return [...groups.values()]
}

function policyFamilies(groups: readonly Group[]): readonly Family[] {
  return [
    gauge('driftgate_policy_info', 'Version and digest of the policies', groups.flatMap(describePolicies)),
    gauge(
      'driftgate_resources',
      'Resources by verdict',
      countEach(groups, 'verdict', VERDICTS, (policy) => resourcesOf(policy).map(({ verdict }) => verdict)),
    ),
    gauge(
      'driftgate_drifted_resources',
      'Resources that differ and are not waived, by severity',
      countEach(groups, 'severity', SEVERITIES, (policy) =>
        resourcesOf(policy)
          .filter(isDrifted)
          .map(({ severity }) => severity),
      ),
    ),
    gauge(
      'driftgate_controls',
      'Controls by verdict',
      countEach(groups, 'verdict', CONTROL_VERDICTS, ({ controls }) => controls.map(({ verdict }) => verdict)),
    ),
  ]
}

function resourcesOf({ resources }: PolicyResult): readonly ResourceResult[] {
  return withoutRollUps(resources)
}

function isDrifted({ verdict }: ResourceResult): boolean {
  return verdict === 'drifted' || verdict === 'fix-failed'
}

function describePolicies({ labels, policies }: Group): readonly Sample[] {
  const described = policies.map(({ version = '', sha256 }) => ({ ...labels, ...toLabels({ version, sha256 }) }))
  const distinct = new Map(described.map((each) => [JSON.stringify(each), each]))
  return [...distinct.values()].map((each) => ({ labels: each, value: 1 }))
}

/** A sample for each word in each group, including zeros: alerts do not see a missing series. */
function countEach<Word extends string>(
  groups: readonly Group[],
  label: string,
  words: readonly Word[],
  wordsOf: (policy: PolicyResult) => readonly Word[],
): readonly Sample[] {
  return groups.flatMap(({ labels, policies }) => {
    const found = policies.flatMap(wordsOf)
    return words.map((word) => ({
      labels: { ...labels, [label]: word },
      value: found.filter((each) => each === word).length,
    }))
  })
}

function waiverFamilies({ waivers }: Run): readonly Family[] {
  if (waivers === undefined) return []
  const inForce = waivers.filter(({ state }) => state === 'in-force')
  const ends = inForce.map(({ expires }) => toSeconds(expires) + DAY_SECONDS)
  return [
    gauge('driftgate_waivers', 'Waivers by state', [
      { labels: { state: 'in-force' }, value: inForce.length },
      { labels: { state: 'expired' }, value: waivers.length - inForce.length },
    ]),
    gauge(
      'driftgate_waivers_expiring',
      'Waivers in force that expire within the warning period',
      single(inForce.filter(({ expiresSoon }) => expiresSoon).length),
    ),
    gauge(
      'driftgate_waivers_unused',
      'Waivers that accept no drift',
      single(waivers.filter(({ accepted }) => accepted === 0).length),
    ),
    gauge(
      'driftgate_waivers_next_expiry_timestamp_seconds',
      'When the first waiver in force expires',
      ends.length === 0 ? [] : single(Math.min(...ends)),
    ),
  ]
}

function baselineFamilies({ baseline }: Run): readonly Family[] {
  if (baseline === undefined) return []
  const { counts, startedAt } = baseline
  return [
    gauge(
      'driftgate_baseline_drifts',
      'Drifts in comparison with the baseline',
      DRIFT_FATES.map((kind) => ({
        labels: { class: kind },
        value: counts[kind],
      })),
    ),
    gauge('driftgate_baseline_timestamp_seconds', 'Start time of the reference run', single(toSeconds(startedAt))),
  ]
}
