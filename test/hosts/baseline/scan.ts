import type { ResourceResult, Run } from '../../../src/model/run.ts'
import type { DebianHost } from '../debian-host.ts'
import type { Rule } from './rule.ts'

const POLICY = '/root/policy.yaml'

export async function writePolicy(
  host: DebianHost,
  rules: readonly Pick<Rule, 'type' | 'name' | 'properties'>[],
): Promise<void> {
  const resources = rules.map(({ type, name, properties }) => ({ [type]: [{ [name]: properties }] }))
  await host.write(POLICY, JSON.stringify({ ccm: { resources } }))
}

export async function scan(host: DebianHost, args: readonly string[] = []): Promise<Run> {
  const { code, stdout, stderr } = await host.run(['driftgate', 'scan', POLICY, '--report', 'json', ...args])
  if (stdout === '') throw new Error(`driftgate ended with ${code} and no report: ${stderr}`)
  return JSON.parse(stdout) as Run
}

export function resources(run: Run): readonly ResourceResult[] {
  return run.policies.flatMap((policy) => policy.resources)
}

/** Every resource with another verdict, with its message. */
export function notIn(run: Run, verdicts: readonly string[]): Readonly<Record<string, unknown>> {
  const others = resources(run).filter(({ verdict }) => !verdicts.includes(verdict))
  return Object.fromEntries(others.map(({ id, verdict, message, drift }) => [id, { verdict, message, drift }]))
}

/** What was found of each resource, as rules say it. */
export function driftOf(run: Run): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    resources(run).map(({ id, drift }) => [
      id,
      drift.map(({ property, observed, path }) =>
        path === undefined ? [property, observed] : [property, observed, path],
      ),
    ]),
  )
}

/** How a report names the resource of a rule. */
export function idOf({ type, name }: Pick<Rule, 'type' | 'name'>): string {
  return `${type}#${name}`
}
