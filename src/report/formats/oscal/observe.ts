import { assertNever } from '../../../model/assert-never.ts'
import { defined } from '../../../model/defined.ts'
import { formatProperty, formatValue } from '../../../model/format-value.ts'
import type { PolicyResult, ResourceResult, Run, RunOrigin } from '../../../model/run.ts'
import { describeWaiver, type Finding, findingsOfPolicy, identitiesOf, nameOf } from '../../words/finding.ts'
import { toLine, paragraphs, property, unlessEmpty } from './texts.ts'
import type { OscalObservation, OscalRisk, RiskStatus } from './types.ts'

/** The context of observations: run, host, tool and UUIDs. */
export interface Setting {
  readonly run: Run
  readonly origin: RunOrigin
  readonly host: { readonly uuid: string; readonly name: string }
  readonly origins: OscalObservation['origins']
  readonly uuid: (...words: readonly string[]) => string
}

export interface Observed {
  readonly observation: OscalObservation
  readonly risks: readonly OscalRisk[]
}

/** The observations of a policy's resources, without roll-ups. */
export function observe(setting: Setting, policy: PolicyResult): ReadonlyMap<ResourceResult, Observed> {
  const findings = findingsOfPolicy(setting.run, policy)
  const identities = identitiesOf(setting.run, findings)
  const groups = new Map<ResourceResult, Identified[]>()
  for (const [index, finding] of findings.entries()) {
    const group = groups.get(finding.result) ?? []
    group.push({ finding, identity: identities[index] ?? finding.fingerprint })
    groups.set(finding.result, group)
  }
  return new Map([...groups].map(([result, group]) => [result, observeResource(setting, { policy, result, group })]))
}

interface Identified {
  readonly finding: Finding
  /** The id of the finding in every report on that host. */
  readonly identity: string
}

interface Subject {
  readonly policy: PolicyResult
  readonly result: ResourceResult
  readonly group: readonly Identified[]
}

function observeResource(setting: Setting, { policy, result, group }: Subject): Observed {
  const { origin, host, origins, uuid } = setting
  const name = nameOf(result)
  const observation: OscalObservation = {
    uuid: uuid('observation', origin.runId, host.name, policy.id, name),
    title: toLine(name),
    description: paragraphs([result.verdict, ...group.map(({ finding }) => finding.text)]),
    props: [
      property('policy', policy.id),
      property('resource', name),
      property('verdict', result.verdict),
      property('severity', result.severity),
    ],
    methods: ['TEST'],
    origins,
    subjects: [{ 'subject-uuid': host.uuid, type: 'inventory-item', title: toLine(host.name) }],
    ...defined({ 'relevant-evidence': unlessEmpty(group.flatMap(toEvidence)) }),
    collected: origin.startedAt,
  }
  return { observation, risks: group.flatMap((identified) => toRisk(setting, identified, observation.uuid)) }
}

function toEvidence({ finding, identity }: Identified): NonNullable<OscalObservation['relevant-evidence']> {
  const { drift, text } = finding
  if (drift === undefined) return []
  const props = [
    property('property', formatProperty(drift)),
    property('desired', formatValue(drift.desired)),
    property('observed', formatValue(drift.observed)),
    property('fingerprint', identity),
  ]
  return [{ description: toLine(text), props }]
}

function toRisk(setting: Setting, { finding, identity }: Identified, observation: string): readonly OscalRisk[] {
  const { host, origins, uuid } = setting
  const status = riskStatusOf(finding)
  if (status === undefined) return []
  const { result, text, waiver } = finding
  const id = uuid('risk', host.name, identity)
  const title = toLine(`${nameOf(result)} on ${host.name}`)
  return [
    {
      uuid: id,
      title,
      description: toLine(text),
      statement: toLine(`The host drifted from the policy "${finding.policy.id}": severity ${result.severity}.`),
      props: [
        property('severity', result.severity),
        property('state', finding.state),
        ...(waiver === undefined ? [] : [property('waiver', `${waiver.id}: ${describeWaiver(waiver)}`)]),
      ],
      status,
      origins,
      // A waiver is in force until the end of its last day in UTC.
      ...defined({ deadline: waiver === undefined ? undefined : `${waiver.expires}T23:59:59Z` }),
      ...(status === 'closed' && {
        remediations: [
          { uuid: uuid('remediation', host.name, identity), lifecycle: 'completed', title, description: toLine(text) },
        ],
      }),
      'related-observations': [{ 'observation-uuid': observation }],
    },
  ]
}

/** Drift is a risk; an unknown result is not a proven one. */
function riskStatusOf({ state }: Finding): RiskStatus | undefined {
  switch (state) {
    case 'drifted':
    case 'known':
      return 'open'
    case 'fix-failed':
      return 'remediating'
    case 'waived':
      return 'deviation-approved'
    case 'fixed':
      return 'closed'
    case 'error':
    case 'blocked':
    case 'unread':
    case 'not-applicable':
    case 'compliant':
      return undefined
    default:
      return assertNever(state)
  }
}
