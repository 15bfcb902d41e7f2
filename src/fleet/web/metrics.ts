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
      'Hosts that count, by how they stand',
      by('answer', ANSWERS, (word) => count(active, word, 'answer')),
    ),
    gauge(
      'presence',
      'Hosts by whether they report',
      by('presence', PRESENCES, (word) => count(hosts, word, 'presence')),
    ),
    gauge(
      'drifts',
      'What drifts on all hosts, by severity',
      by('severity', SEVERITIES, (severity) => active.reduce((sum, { drifts }) => sum + drifts[severity], 0)),
    ),
    gauge(
      'control_hosts',
      'Hosts by how a control stands on them',
      shown.flatMap((control) =>
        STANDINGS.map((standing): Sample => {
          const { policy, name, severity } = control
          return { labels: { policy, control: name, severity, standing }, value: hostCount(control, standing) }
        }),
      ),
    ),
    gauge(
      'control_open_since_seconds',
      'Since when a control is open on the host where it is open longest',
      shown.flatMap(({ policy, name, openSinceMs }) =>
        openSinceMs === undefined ? [] : [{ labels: { policy, control: name }, value: openSinceMs / 1_000 }],
      ),
    ),
    single('controls_left_out', 'Controls that have no series of their own', controls.length - shown.length),
    single('unusable_files', 'Files among the reports that cannot be used', unusable.length),
    single('gate_exit_code', 'What driftgate fleet gate would exit with', exit.code),
    single('read_timestamp_seconds', 'When the reports were last looked at', readAtMs / 1_000),
    single('troubles', 'Reasons why these numbers may not be how things are', troubles.length),
  ])
}

function count<Name extends 'answer' | 'presence'>(
  hosts: ResidentView['hosts'],
  word: ResidentView['hosts'][number][Name],
  name: Name,
): number {
  return hosts.filter((host) => host[name] === word).length
}

function by<Word extends string>(
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
