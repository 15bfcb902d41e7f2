import type { Policy } from '../../src/model/policy.ts'
import type { Result } from '../../src/model/problem.ts'
import { defineProperties, defineResource, type ResourceType } from '../../src/resource-type/define.ts'
import { parsePolicy } from '../../src/policy/read/policy.ts'
import { compilePolicySchema } from '../../src/policy/schema/compile.ts'
import { resourceTypes } from '../support/resource-types.ts'
import { NO_PLAN } from '../../src/model/decision.ts'
import { absent } from '../../src/model/observation.ts'

/** A type with one property of each kind, on two providers. */
export const gadget: ResourceType = defineResource({
  type: 'gadget',
  summary: 'Something with every kind of property.',
  properties: defineProperties({
    name: { kind: 'text', required: true, summary: 'Its name.' },
    ensure: { kind: 'text', default: 'running', oneOf: ['running', 'stopped'], summary: 'What it must do.' },
    size: { kind: 'integer', minimum: 1, maximum: 9, summary: 'How large it is.' },
    timeout: { kind: 'duration', default: 1000, summary: 'How long to wait.' },
    loud: { kind: 'boolean', default: false, summary: 'Whether it beeps.' },
    environment: { kind: 'list', items: { kind: 'text', summary: 'One.' }, summary: 'Variables.' },
    headers: { kind: 'map', values: { kind: 'text', summary: 'One.' }, summary: 'Headers.' },
    data: { kind: 'any', summary: 'Free data.' },
    password: { kind: 'text', sensitive: true, oneOf: ['sesame'], summary: 'A secret.' },
    version: {
      kind: 'text',
      phase: 'never',
      pattern: { expression: '[0-9.]+', describes: 'digits and dots' },
      summary: 'V.',
    },
  }),
  rules: [
    {
      reads: ['ensure', 'size'],
      at: 'size',
      check: ({ ensure, size }) =>
        ensure === 'stopped' && size !== undefined ? 'a stopped gadget has no size' : undefined,
    },
  ],
  drifts: ['ensure'],
  examples: [],
  providers: [
    { name: 'plain', observe: () => absent(), apply: () => Promise.resolve({ kind: 'done' }) },
    { name: 'fancy', observe: () => absent(), apply: () => Promise.resolve({ kind: 'done' }) },
  ],
  decide: (desired) => ({
    ensure: { desired: desired.ensure, observed: 'absent' },
    drift: [],
    unknown: [],
    plan: NO_PLAN,
  }),
})

/** The types that ship together with the gadget. */
export const types: readonly ResourceType[] = [...resourceTypes, gadget]

const validate = compilePolicySchema(types)

/** Reads a policy named `p.yaml` that may use the gadget. */
export function parse(text: string): Result<Policy> {
  return parsePolicy(text, { file: 'p.yaml', workingDirectory: '/srv', types, validate })
}

/** The problems of a policy as `line:column message`. */
export function problemsOf(text: string): string[] {
  const result = parse(text)
  return result.ok
    ? []
    : result.problems.map(({ position, message }) => `${position?.line}:${position?.column} ${message}`)
}

/** The policy, or a failed test that says what is wrong with it. */
export function policyOf(text: string): Policy {
  const result = parse(text)
  if (!result.ok) throw new Error(problemsOf(text).join('\n'))
  return result.value
}
