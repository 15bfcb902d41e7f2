import type { Control, Declaration } from '../../src/model/policy.ts'
import type { RunnablePolicy } from '../../src/policy/runnable/policy.ts'

/** A declaration of the given id (`type#name`), as the policy reader would have made it. */
export function declare(id: string, extra: Partial<Declaration> = {}): Declaration {
  const separator = id.indexOf('#')
  const type = id.slice(0, separator)
  const name = id.slice(separator + 1)
  return {
    type,
    name,
    id,
    properties: { name },
    require: [],
    subscribe: [],
    sensitive: false,
    position: { file: 'policy.yaml', line: 1, column: 1 },
    ...extra,
  }
}

export function control(id: string, resources: readonly string[], extra: Partial<Control> = {}): Control {
  return { id, severity: 'medium', references: {}, tags: [], resources, ...extra }
}

export function policyOf(resources: readonly Declaration[], extra: Partial<RunnablePolicy> = {}): RunnablePolicy {
  return {
    id: 'policy',
    source: 'policy.yaml',
    sha256: '0'.repeat(64),
    workingDirectory: '/',
    failOnError: false,
    controls: [],
    resources,
    notes: [],
    ...extra,
  }
}
