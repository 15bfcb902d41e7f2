import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Run } from '../../src/model/run.ts'
import type { PlanInput, SavedPlan } from '../../src/model/saved-plan.ts'
import { draftPlan } from '../../src/engine/plan/draft.ts'
import { createFingerprint } from '../../src/engine/plan/fingerprint.ts'
import { guardPlan } from '../../src/engine/plan/guard.ts'
import { runPolicies, type RunOptions } from '../../src/engine/run.ts'
import { loadPolicy } from '../../src/policy/load.ts'
import { resourceTypes } from './resource-types.ts'
import { createLocalRemediator } from '../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { NO_JOURNAL } from '../../src/host/live/journal.ts'

/** Type, name and properties of the resources of a policy, in their order. */
export type Resources = readonly (readonly [
  type: string,
  name: string,
  properties: Readonly<Record<string, unknown>>,
])[]

/** A policy that is planned and fixed in this process, with `data` given beside it. */
export interface Planning {
  /** Writes the policy anew. */
  readonly write: (resources: Resources, ccm?: Readonly<Record<string, unknown>>) => void
  readonly plan: (data?: Readonly<Record<string, string>>) => Promise<SavedPlan>
  readonly fix: (plan: SavedPlan | undefined, data?: Readonly<Record<string, string>>) => Promise<Run>
  readonly audit: (data?: Readonly<Record<string, string>>) => Promise<Run>
}

const IDENTITY = 'this machine'

/** Keeps the policy in a file of this directory. */
export function createPlanning(directory: string): Planning {
  const file = join(directory, 'policy.json')
  const scan = async (data: Readonly<Record<string, string>>, options: Partial<RunOptions>): Promise<Run> => {
    const set = Object.entries(data).map(([key, value]) => `${key}=${value}`)
    const loaded = await loadPolicy(file, { types: resourceTypes, set })
    if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
    return runPolicies(loaded.value, { target: createLocalTarget(), types: resourceTypes, ...options })
  }
  return {
    write(resources, ccm = {}) {
      const list = resources.map(([type, name, properties]) => ({ [type]: [{ [name]: properties }] }))
      writeFileSync(file, JSON.stringify({ policy: { id: 'planned' }, ccm: { resources: list, ...ccm } }))
    },
    async plan(data = {}) {
      const draft = draftPlan(IDENTITY)
      const audit = await scan(data, { review: draft.review, onExpectation: draft.expect })
      // As it would be after a way through a file.
      return JSON.parse(JSON.stringify(draft.finish(audit, inputsOf(data, draft.fingerprint)))) as SavedPlan
    },
    fix(plan, data = {}) {
      const remediator = createLocalRemediator(NO_JOURNAL)
      if (plan === undefined) return scan(data, { remediator })
      const fingerprint = createFingerprint(IDENTITY, plan.salt)
      return scan(data, { remediator, review: guardPlan(plan, { fingerprint, inputs: inputsOf(data, fingerprint) }) })
    },
    audit: (data = {}) => scan(data, {}),
  }
}

function inputsOf(data: Readonly<Record<string, string>>, fingerprint: (value: unknown) => string): PlanInput[] {
  return Object.entries(data).map((entry) => ({ option: 'set', fingerprint: fingerprint(entry) }))
}
