import { SEVERITIES } from '../../model/verdict.ts'
import { activeOf, ANSWERS } from '../census.ts'
import { hostCount } from '../controls.ts'
import { PRESENCES } from '../presence.ts'
import type { ResidentView } from '../resident.ts'
import { type Family, formatFamilies, type Sample } from '../../report/words/metrics.ts'

/** Reports determine the number of controls, so only the worst ones get their own series. */
const MOST_CONTROLS = 1_000

const STANDINGS = ['drifted', 'undecided', 'waived', 'met'] as const

/**
 * Fleet metrics in the Prometheus text format: a few series per control, but none per host or resource, of which there
 * may be millions.
 */
export function fleetMetrics(view: ResidentView): string {
  const { hosts, unusable, exit, readAtMs, troubles } = view
  const active = activeOf(hosts)
  const controls = view.controls().filter(({ kind }) => kind === 'control')
  const shown = controls.slice(0, MOST_CONTROLS)
  return formatFamilies([
    gauge(
      'hosts',
      'Active hosts by status',
      samplesBy('answer', ANSWERS, (word) => count(active, word, 'answer')),
    ),
    gauge(
      'presence',
      'Hosts by presence',
      samplesBy('presence', PRESENCES, (word) => count(hosts, word, 'presence')),
    ),
    gauge(
      'drifts',
      'Drift on all hosts by severity',
      samplesBy('severity', SEVERITIES, (severity) => active.reduce((sum, { drifts }) => sum + drifts[severity], 0)),
    ),
    gauge(
      'control_hosts',
      'Hosts by verdict of a control',
      shown.flatMap((control) =>
        STANDINGS.map((standing): Sample => {
          const { policy, name, severity } = control
          return { labels: { policy, control: name, severity, standing }, value: hostCount(control, standing) }
        }),
      ),
    ),
    gauge(
      'control_open_since_seconds',
      'Start time of the longest open finding of a control',
      shown.flatMap(({ policy, name, openSinceMs }) =>
        openSinceMs === undefined ? [] : [{ labels: { policy, control: name }, value: openSinceMs / 1_000 }],
      ),
    ),
    single('controls_left_out', 'Controls without their own series', controls.length - shown.length),
    single('unusable_files', 'Files among the reports that cannot be used', unusable.length),
    single('gate_exit_code', 'Exit code of driftgate fleet gate', exit.code),
    single('read_timestamp_seconds', 'Time of the last read of the reports', readAtMs / 1_000),
    single('troubles', 'Reasons why these metrics may be outdated', troubles.length),
  ])
}

function count<Name extends 'answer' | 'presence'>(
  hosts: ResidentView['hosts'],
  word: ResidentView['hosts'][number][Name],
  name: Name,
): number {
  return hosts.filter((host) => host[name] === word).length
}

function samplesBy<Word extends string>(
  label: string,
  words: readonly Word[],
  valueOf: (word: Word) => number,
): readonly Sample[] {
  return words.map((word) => ({ labels: { [label]: word }, value: valueOf(word) }))
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name: `driftgate_fleet_${name}`, help, type: 'gauge', samples }
}

function single(name: string, help: string, value: number): Family {
  return gauge(name, help, [{ labels: {}, value }])
}
