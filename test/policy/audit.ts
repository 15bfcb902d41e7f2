import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import type { Policy } from '../../src/model/policy.ts'
import type { Problem } from '../../src/model/problem.ts'
import { scan } from '../../src/engine/local.ts'
import { loadPolicy, type LoadPolicyOptions } from '../../src/policy/load.ts'
import { identifiedMachine } from '../support/identified.ts'

/** What an audit of one policy on this very machine gave. */
export interface Audit {
  readonly run: Run
  readonly policy: Policy
  readonly warnings: readonly Problem[]
  readonly results: Readonly<Record<string, ResourceResult>>
}

/** Nothing of the environment of the tests reaches a policy, least of all the facts of the user. */
const CLEAN: LoadPolicyOptions = { environ: {} }

/** Writes a policy as `p.yaml` and loads it. */
export function load(directory: string, text: string, options: LoadPolicyOptions = {}): ReturnType<typeof loadPolicy> {
  const file = join(directory, 'p.yaml')
  writeFileSync(file, text)
  return loadPolicy(file, { target: identifiedMachine(), ...CLEAN, ...options })
}

/** Loads and audits a policy that must be sound. */
export async function audit(directory: string, text: string, options: LoadPolicyOptions = {}): Promise<Audit> {
  const loaded = await load(directory, text, options)
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  const [policy] = loaded.value
  if (policy === undefined) throw new Error('there is no policy')
  const run = await scan(policy, { problems: loaded.warnings, target: identifiedMachine() })
  const results = Object.fromEntries(run.policies.flatMap(({ resources }) => resources.map((each) => [each.id, each])))
  return { run, policy, warnings: loaded.warnings, results }
}

/** The problems of a policy that cannot be used, as `line:column message`. */
export async function problemsOf(directory: string, text: string, options: LoadPolicyOptions = {}): Promise<string[]> {
  const loaded = await load(directory, text, options)
  if (loaded.ok) return []
  return loaded.problems.map(({ position, message }) =>
    position === undefined ? message : `${position.line}:${position.column} ${message}`,
  )
}

/** The message of a policy whose `pre_message` is this template: the shortest way to see what templates see. */
export async function expanded(
  directory: string,
  template: string,
  { policy = '', ...options }: LoadPolicyOptions & { readonly policy?: string } = {},
): Promise<string | undefined> {
  const text = `${policy}
ccm:
  pre_message: ${JSON.stringify(template)}
  resources: [{file: {name: /nowhere, ensure: absent}}]
`
  const loaded = await load(directory, text, options)
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  return loaded.value[0]?.preMessage
}
