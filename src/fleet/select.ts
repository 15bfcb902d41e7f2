import { globMatcher } from '../core/selection.ts'
import type { Severity } from '../core/verdict.ts'
import { isOpen } from '../report/words/requirements.ts'
import type { FleetHost, HostAnswer } from './census.ts'
import type { FleetControl } from './controls.ts'
import type { Presence } from './presence.ts'

/** Which hosts are wanted. Each list that is empty leaves all in; a host fits one member of every other. */
export interface HostSelection {
  /** Names; `*` and `?` stand for others. */
  readonly names: readonly string[]
  /** Labels of the roster, all of which it must have. */
  readonly labels: readonly (readonly [key: string, value: string])[]
  /** Controls and resources of which one is open there; `*` and `?` stand for others. */
  readonly controls: readonly string[]
  readonly answers: readonly HostAnswer[]
  readonly presences: readonly Presence[]
  /** Severities of which something drifts. */
  readonly severities: readonly Severity[]
  /** Beginnings of the SHA-256 of a text of a policy that it evaluates. */
  readonly texts: readonly string[]
  /** A part of its name or of a label, in any case; the empty text is part of everything. */
  readonly part: string
}

/** All of them. */
export const ALL_HOSTS: HostSelection = {
  names: [],
  labels: [],
  controls: [],
  answers: [],
  presences: [],
  severities: [],
  texts: [],
  part: '',
}

/** The hosts that are wanted, in their order. */
export function selectHosts(hosts: readonly FleetHost[], selection: HostSelection): readonly FleetHost[] {
  const { labels, controls, answers, presences, severities, texts } = selection
  const isNamed = anyOf(selection.names)
  const isWanted = anyOf(controls)
  const part = selection.part.toLowerCase()
  return hosts.filter(
    (host) =>
      isNamed(host.name) &&
      labels.every(([key, value]) => host.labels[key] === value) &&
      has(answers, host.answer) &&
      has(presences, host.presence) &&
      (severities.length === 0 || severities.some((severity) => host.drifts[severity] > 0)) &&
      (texts.length === 0 || host.policies.some(({ sha256 }) => texts.some((text) => sha256.startsWith(text)))) &&
      // Of a host of which nobody knows how it stands, nobody knows how the control stands.
      (controls.length === 0 ||
        host.trouble !== undefined ||
        host.findings.some((finding) => isOpen(finding) && isWanted(finding.name))) &&
      (part === '' || textsOf(host).some((text) => text.toLowerCase().includes(part))),
  )
}

/** The controls and resources that are wanted, in their order. */
export function selectControls(
  controls: readonly FleetControl[],
  { controls: names }: Pick<HostSelection, 'controls'>,
): readonly FleetControl[] {
  const isWanted = anyOf(names)
  return controls.filter(({ name }) => isWanted(name))
}

function has<Member>(wanted: readonly Member[], member: Member): boolean {
  return wanted.length === 0 || wanted.includes(member)
}

function textsOf({ name, labels }: FleetHost): readonly string[] {
  return [name, ...Object.entries(labels).map(([key, value]) => `${key}=${value}`)]
}

function anyOf(patterns: readonly string[]): (text: string) => boolean {
  const matchers = patterns.map(globMatcher)
  return (text) => matchers.length === 0 || matchers.some((matches) => matches(text))
}
