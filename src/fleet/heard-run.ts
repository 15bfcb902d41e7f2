import { EXIT } from '../model/gate.ts'
import { defined } from '../model/defined.ts'
import { hostNameOf } from '../model/host-name.ts'
import type { Run } from '../model/run.ts'
import { type Requirement, requirementsOfPolicy, standingOfResult } from '../report/words/requirements.ts'
import type { Cause, ReceivedRequirement, ReceivedRun } from './source.ts'

/** Location of a report. */
export interface Found {
  readonly place: string
  readonly storedAtMs: number
  readonly owner?: string
}

/** Reduces a report to the data for the fleet. */
export function heardRun(run: Run, found: Found): ReceivedRun {
  const { id, startedAt } = run.run
  return {
    ...found,
    host: hostNameOf(run.target),
    runId: id,
    startedAtMs: Date.parse(startedAt),
    isPerformed: run.exit.code !== EXIT.notPerformed,
    policies: run.policies.map((policy) => ({
      id: policy.id,
      source: policy.source,
      sha256: policy.sha256,
      isPartial: policy.skipped !== undefined,
      requirements: requirementsOfPolicy(run, policy).map(heardRequirement),
    })),
  }
}

function heardRequirement({ id, path = [], control, severity, standing, results }: Requirement): ReceivedRequirement {
  const name = [...path, id].join(' > ')
  const kind = control === undefined ? 'resource' : 'control'
  const cause = standing === 'undecided' ? causeOf(results) : undefined
  return { name, kind, ...defined({ title: control?.title }), severity, standing, ...defined({ cause }) }
}

function causeOf(results: Requirement['results']): Cause | undefined {
  const undecided = results.find((result) => standingOfResult(result) === 'undecided')
  return undecided?.verdict === 'blocked' ? 'blocked' : undecided?.reason
}
