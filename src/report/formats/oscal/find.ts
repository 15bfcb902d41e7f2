import { assertNever } from '../../../model/assert-never.ts'
import { defined } from '../../../model/defined.ts'
import { NOT_EVALUATED } from '../../words/controls.ts'
import { nameOf } from '../../words/finding.ts'
import type { Requirement } from '../../words/requirements.ts'
import { controlIdOf, tokenOf } from './identifiers.ts'
import type { Observed, Setting } from './observe.ts'
import { toLine, paragraphs, property, unlessEmpty } from './texts.ts'
import type { OscalFinding, OscalObjective, OscalStatus } from './types.ts'

/** The token of a requirement, equal on every host. */
export function requirementId({ policy, path = [], id }: Requirement): string {
  return tokenOf(policy.id, ...path, id)
}

/** The id of the part of a control that findings refer to. */
export function objectiveId(control: string): string {
  return `${control}_obj`
}

/** The requirement as an objective, in the words of its author. */
export function toObjective(requirement: Requirement): OscalObjective {
  const { policy, control } = requirement
  const name = nameOf(requirement)
  const id = requirementId(requirement)
  const { title = name, description = '', remediation } = control ?? {}
  const prose = [title, description, ...(remediation === undefined ? [] : [`Remediation: ${remediation}`])]
  return {
    'control-id': id,
    description: toLine(`${name} of the policy ${policy.id}`),
    parts: [{ id: objectiveId(id), name: 'assessment-objective', title: toLine(title), prose: paragraphs(prose) }],
  }
}

/** The references of a requirement: catalogues with the tokens of their controls. */
export function referencesOf({ control }: Requirement): readonly (readonly [catalogue: string, id: string])[] {
  return Object.entries(control?.references ?? {}).flatMap(([catalogue, ids]) =>
    ids.map((id) => [catalogue, controlIdOf(catalogue, id)] as const),
  )
}

/** Whether a requirement is satisfied on a host; empty if it does not apply there. */
export function toFinding(
  { origin, host, origins, uuid }: Setting,
  requirement: Requirement,
  observed: readonly Observed[],
): readonly OscalFinding[] {
  const { policy, control, severity } = requirement
  const status = statusOf(requirement)
  if (status === undefined) return []
  const name = nameOf(requirement)
  const controlId = requirementId(requirement)
  return [
    {
      uuid: uuid('finding', origin.runId, host.name, policy.id, name),
      title: toLine(control?.title ?? name),
      description: toLine(`${name} of the policy ${policy.id} on ${host.name}: ${status.remarks}`),
      props: [
        property('policy', policy.id),
        property('requirement', name),
        property('severity', severity),
        ...referencesOf(requirement).map(([catalogue, id]) => ({
          ...property('reference', id),
          class: tokenOf(catalogue),
        })),
      ],
      origins,
      target: { type: 'objective-id', 'target-id': objectiveId(controlId), status },
      ...defined({
        'related-observations': unlessEmpty(observed.map((each) => ({ 'observation-uuid': each.observation.uuid }))),
        'related-risks': unlessEmpty(
          observed.flatMap(({ risks }) => risks).map((risk) => ({ 'risk-uuid': risk.uuid })),
        ),
      }),
    },
  ]
}

/** A requirement is satisfied only if it was observed completely and is compliant. */
function statusOf(requirement: Requirement): OscalStatus | undefined {
  const { standing } = requirement
  switch (standing) {
    case 'met': {
      const gap = gapOf(requirement)
      return gap === undefined ? { state: 'satisfied', reason: 'pass', remarks: 'compliant' } : undecidedStatus(gap)
    }
    case 'drifted':
      return failedStatus('not compliant')
    case 'known':
      return failedStatus('not compliant, and known since the baseline')
    case 'waived':
      return failedStatus('not compliant, and accepted by a waiver')
    case 'undecided':
      return undecidedStatus('result unknown')
    case 'manual':
      return undecidedStatus(NOT_EVALUATED)
    case 'not-applicable':
      return undefined
    default:
      return assertNever(standing)
  }
}

function failedStatus(remarks: string): OscalStatus {
  return { state: 'not-satisfied', reason: 'fail', remarks }
}

function undecidedStatus(remarks: string): OscalStatus {
  return { state: 'not-satisfied', reason: 'other', remarks }
}

/** Why a requirement was not observed completely: skipped resources and unreadable properties may contradict it. */
function gapOf({ policy, control, results }: Requirement): string | undefined {
  if (results.some(({ unknown = [] }) => unknown.length > 0)) return 'a part of it could not be read'
  if (control === undefined) return undefined
  const seen = new Set(policy.resources.map(nameOf))
  const isWhole = control.resources.every((id) => seen.has(nameOf({ ...defined({ path: control.path }), id })))
  return isWhole && results.length > 0 ? undefined : 'not all of its resources were evaluated'
}
