import { globMatcher } from '../model/selection.ts'
import type { Severity } from '../model/verdict.ts'
import { isOpen, type Standing } from '../report/words/requirements.ts'
import type { FleetHost, HostAnswer } from './census.ts'
import type { FleetControl } from './controls.ts'
import type { Presence } from './presence.ts'

/** Selects hosts. An empty list matches all hosts; a host must match a member of every other list. */
export interface HostSelection {
  /** Names with the wildcards `*` and `?`. */
  readonly names: readonly string[]
  /** Labels in the roster; all must match. */
  readonly labels: readonly (readonly [key: string, value: string])[]
  /** Rings in the roster. */
  readonly rings: readonly string[]
  /** Controls and resources that are open on the host, or have one of the verdicts; with the wildcards `*` and `?`. */
  readonly controls: readonly string[]
  readonly verdicts: readonly ControlVerdict[]
  readonly answers: readonly HostAnswer[]
  readonly presences: readonly Presence[]
  /** Severities with drift. */
  readonly severities: readonly Severity[]
  /** Prefixes of the SHA-256 of an evaluated policy. */
  readonly texts: readonly string[]
  /** Substring of its name, ring or a label, ignoring case; empty matches all hosts. */
  readonly part: string
}

export const ALL_HOSTS: HostSelection = {
  names: [],
  labels: [],
  rings: [],
  controls: [],
  verdicts: [],
  answers: [],
  presences: [],
  severities: [],
  texts: [],
  part: '',
}

/** Selected hosts, in order. */
export function selectHosts(hosts: readonly FleetHost[], selection: HostSelection): readonly FleetHost[] {
  const { labels, rings, controls, answers, presences, severities, texts } = selection
  const isNamed = anyOf(selection.names)
  const part = selection.part.toLowerCase()
  const fits = controlMatcher(selection)
  return hosts.filter(
    (host) =>
      isNamed(host.name) &&
      labels.every(([key, value]) => host.labels[key] === value) &&
      (rings.length === 0 || (host.ring !== undefined && rings.includes(host.ring))) &&
      isSelected(answers, host.answer) &&
      isSelected(presences, host.presence) &&
      (severities.length === 0 || severities.some((severity) => host.drifts[severity] > 0)) &&
      (texts.length === 0 || host.policies.some(({ sha256 }) => texts.some((text) => sha256.startsWith(text)))) &&
      (controls.length === 0 || fits(host)) &&
      (part === '' || textsOf(host).some((text) => text.toLowerCase().includes(part))),
  )
}

/** Verdicts of a control on a host, as search terms. */
export const CONTROL_VERDICTS = {
  drifted: 'drifted',
  unknown: 'undecided',
  known: 'known',
  manual: 'manual',
  waived: 'waived',
  compliant: 'met',
  'not-applicable': 'not-applicable',
} as const satisfies Readonly<Record<string, Standing>>

export type ControlVerdict = keyof typeof CONTROL_VERDICTS

/**
 * Matches hosts on which a control is open, or has one of the verdicts. If the state of a host is unknown, so are its
 * controls.
 */
function controlMatcher({
  controls,
  verdicts,
}: Pick<HostSelection, 'controls' | 'verdicts'>): (host: FleetHost) => boolean {
  const isWanted = anyOf(controls)
  const standings = new Set<Standing>(verdicts.map((verdict) => CONTROL_VERDICTS[verdict]))
  if (standings.size === 0)
    return ({ trouble, findings }) =>
      trouble !== undefined || findings.some((finding) => isOpen(finding) && isWanted(finding.name))
  return ({ trouble, policies }) =>
    policies.some(({ asked, unmet }) =>
      [...asked.keys()].some(
        (name) =>
          isWanted(name) && standings.has(trouble === undefined ? (unmet.get(name)?.standing ?? 'met') : 'undecided'),
      ),
    )
}

/** Selected controls and resources, in order. */
export function selectControls(
  controls: readonly FleetControl[],
  { controls: names }: Pick<HostSelection, 'controls'>,
): readonly FleetControl[] {
  const isWanted = anyOf(names)
  return controls.filter(({ name }) => isWanted(name))
}

function isSelected<Member>(wanted: readonly Member[], member: Member): boolean {
  return wanted.length === 0 || wanted.includes(member)
}

function textsOf({ name, ring, labels }: FleetHost): readonly string[] {
  return [
    name,
    ...(ring === undefined ? [] : [ring]),
    ...Object.entries(labels).map(([key, value]) => `${key}=${value}`),
  ]
}

function anyOf(patterns: readonly string[]): (text: string) => boolean {
  const matchers = patterns.map(globMatcher)
  return (text) => matchers.length === 0 || matchers.some((matches) => matches(text))
}
