import { globMatcher } from '../model/selection.ts'
import type { Severity } from '../model/verdict.ts'
import { isOpen, type Standing } from '../report/words/requirements.ts'
import type { FleetHost, HostAnswer } from './census.ts'
import type { FleetControl } from './controls.ts'
import type { Presence } from './presence.ts'

/** Which hosts are wanted. Each list that is empty leaves all in; a host fits one member of every other. */
export interface HostSelection {
  /** Names; `*` and `?` stand for others. */
  readonly names: readonly string[]
  /** Labels of the roster, all of which it must have. */
  readonly labels: readonly (readonly [key: string, value: string])[]
  /** Rings of the roster. */
  readonly rings: readonly string[]
  /** Controls and resources of which one is open there, or has one of the verdicts; `*` and `?` stand for others. */
  readonly controls: readonly string[]
  /** Verdicts of these controls. */
  readonly verdicts: readonly ControlVerdict[]
  readonly answers: readonly HostAnswer[]
  readonly presences: readonly Presence[]
  /** Severities of which something drifts. */
  readonly severities: readonly Severity[]
  /** Beginnings of the SHA-256 of a text of a policy that it evaluates. */
  readonly texts: readonly string[]
  /** A part of its name, its ring or of a label, in any case; the empty text is part of everything. */
  readonly part: string
}

/** All of them. */
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

/** The hosts that are wanted, in their order. */
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
      has(answers, host.answer) &&
      has(presences, host.presence) &&
      (severities.length === 0 || severities.some((severity) => host.drifts[severity] > 0)) &&
      (texts.length === 0 || host.policies.some(({ sha256 }) => texts.some((text) => sha256.startsWith(text)))) &&
      (controls.length === 0 || fits(host)) &&
      (part === '' || textsOf(host).some((text) => text.toLowerCase().includes(part))),
  )
}

/** How a control stands on a host, in the words that people search by. */
export const CONTROL_VERDICTS = {
  drifted: 'drifted',
  unknown: 'undecided',
  known: 'known',
  manual: 'manual',
  waived: 'waived',
  compliant: 'met',
  'not-applicable': 'not-applicable',
} as const satisfies Readonly<Record<string, Standing>>

/** One of them. */
export type ControlVerdict = keyof typeof CONTROL_VERDICTS

/** Whether one of the controls is open on a host, or has one of the verdicts there. Where the state of the host is unknown, that of its controls is. */
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
