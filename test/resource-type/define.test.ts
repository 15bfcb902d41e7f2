import { expect, test } from 'vitest'
import {
  type ApplyOutcome,
  cannot,
  type Decision,
  type DecisionParts,
  defineResource,
  type Difference,
  differences,
  notApplicable,
  present,
  type Reading,
  type ResourceResult,
  type ResourceType,
  unknown,
} from '../../src/index.ts'
import { runPolicies, type RunOptions } from '../../src/engine/run.ts'
import { declare, policyOf } from '../support/policy.ts'
import { EMPTY_MACHINE, NO_HANDS } from '../support/target.ts'

/** A knob somewhere, and what was done to it. */
interface Knob {
  value: number
  turned: number
}

interface Behaviour {
  readonly parts?: Omit<DecisionParts<number>, 'fix'>
  readonly name?: string
  readonly timeoutMs?: number
  readonly platforms?: readonly string[]
  readonly observe?: (signal: AbortSignal) => Promise<Reading<number>>
  readonly apply?: (signal: AbortSignal) => Promise<ApplyOutcome>
  readonly decide?: (compared: readonly Difference[]) => Decision<number>
}

function knobType(knob: Knob, behaviour: Behaviour = {}): ResourceType {
  const { parts, name = 'value', timeoutMs, platforms, observe, apply, decide } = behaviour
  return defineResource({
    type: 'stereo.knob',
    summary: 'A knob.',
    properties: {
      value: { kind: 'integer', required: true, summary: 'Where it stands.' },
      secret: { kind: 'text', sensitive: true, summary: 'What nobody may see.' },
    },
    drifts: ['value'],
    examples: [],
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(platforms === undefined ? {} : { platforms }),
    observe: async (_target, _desired, { signal }) => {
      const seen = observe === undefined ? undefined : await observe(signal)
      return seen?.kind === 'unknown' ? seen : present(seen?.value ?? knob.value)
    },
    decide: (desired, observed) => {
      const original = observed.kind === 'present' ? observed.state : undefined
      const compared = [{ property: name, original, desired: desired.value }]
      return decide === undefined
        ? differences(compared, { fix: { action: desired.value, text: 'Would have turned it' }, ...parts })
        : decide(compared)
    },
    apply: async (_remediator, _desired, action, { signal }) => {
      knob.turned++
      const outcome = await apply?.(signal)
      if (outcome === undefined) knob.value = action
      return outcome ?? { kind: 'done' }
    },
  })
}

async function run(
  type: ResourceType,
  options: Partial<RunOptions> = {},
  properties: Record<string, unknown> = {},
): Promise<ResourceResult> {
  const declaration = declare('stereo.knob#volume', { properties: { name: 'volume', value: 3, ...properties } })
  const result = await runPolicies([policyOf([declaration])], { target: EMPTY_MACHINE, types: [type], ...options })
  const [resource] = result.policies.flatMap(({ resources }) => resources)
  if (resource === undefined) throw new Error('the run has no result')
  return resource
}

const FIX = { remediator: NO_HANDS }

test('observe and apply make the one provider of a type without ensure', async () => {
  const knob = { value: 1, turned: 0 }
  expect(await run(knobType(knob))).toMatchObject({
    verdict: 'drifted',
    change: 'will',
    provider: 'default',
    ensure: { desired: 'present', observed: 'present' },
    drift: [{ property: 'value', desired: 3, observed: 1 }],
    actions: ['Would have turned it'],
  })
  expect(await run(knobType(knob), FIX)).toMatchObject({ verdict: 'fixed', actions: ['Turned it'] })
  expect(await run(knobType(knob), FIX)).toMatchObject({ verdict: 'compliant' })
  expect(knob).toEqual({ value: 3, turned: 1 })
})

test('the same difference has the same level, however a type reports it', async () => {
  const byHand = (): Decision<number> => ({
    ensure: { desired: 'anything', observed: 'anything else' },
    drift: [{ property: 'value', desired: 3, observed: 1 }],
    unknown: [],
    plan: { kind: 'act', action: 3, text: 'Would have turned it', obstacles: [] },
    messages: ['it is not that bad'],
  })
  for (const behaviour of [{}, { decide: byHand }]) {
    expect(await run(knobType({ value: 1, turned: 0 }, behaviour))).toMatchObject({
      verdict: 'drifted',
      change: 'will',
    })
  }
})

test('a fix with an obstacle is never tried', async () => {
  const knob = { value: 1, turned: 0 }
  const type = knobType(knob, { parts: { obstacles: [cannot('it is glued')] } })
  expect(await run(type)).toMatchObject({ verdict: 'drifted', change: 'cannot', changeReason: 'it is glued' })
  expect(await run(type, FIX)).toMatchObject({
    verdict: 'fix-failed',
    change: 'cannot',
    message: 'it is glued',
    remaining: [{ property: 'value' }],
  })
  expect(knob).toEqual({ value: 1, turned: 0 })
})

test('a fix that only says it is done has failed', async () => {
  const knob = { value: 1, turned: 0 }
  expect(await run(knobType(knob, { apply: async () => ({ kind: 'done' }) }), FIX)).toMatchObject({
    verdict: 'fix-failed',
    message: 'failed to reach the desired state: value',
    remaining: [{ property: 'value', desired: 3, observed: 1 }],
  })
})

test('a failed fix has its own message', async () => {
  const type = knobType({ value: 1, turned: 0 }, { apply: async () => ({ kind: 'failed', message: 'it came off' }) })
  expect(await run(type, FIX)).toMatchObject({ verdict: 'fix-failed', errors: ['it came off'] })
})

test('an undeclared difference is a defect of the type and is not shown', async () => {
  const result = await run(knobType({ value: 1, turned: 0 }, { name: 'volum' }))
  expect(result).toMatchObject({
    verdict: 'error',
    reason: 'internal',
    message: 'resource type stereo.knob decided about "volum", which it does not declare under drifts',
    drift: [],
  })
})

test('so is an undeclared property that could not be read', async () => {
  const parts = { unknown: [{ property: 'colour', reason: 'timeout', detail: 'too dark' } as const] }
  expect(await run(knobType({ value: 3, turned: 0 }, { parts }))).toMatchObject({
    verdict: 'error',
    reason: 'internal',
  })
})

test('a difference without a way out is a defect of the type', async () => {
  expect(await run(knobType({ value: 1, turned: 0 }, { decide: (compared) => differences(compared) }))).toMatchObject({
    verdict: 'error',
    reason: 'internal',
  })
})

test('messages and warnings of the type reach the report, of a compliant resource too', async () => {
  const parts = { messages: ['it squeaks'], warnings: ['it wears out'] }
  expect(await run(knobType({ value: 3, turned: 0 }, { parts }))).toMatchObject({
    verdict: 'compliant',
    message: 'it squeaks',
    warnings: ['it wears out'],
  })
  expect(await run(knobType({ value: 1, turned: 0 }, { parts }))).toMatchObject({
    verdict: 'drifted',
    message: 'value: want 3, found 1; it squeaks',
    warnings: ['it wears out'],
  })
})

test('after a fix the warnings are those of the fresh look', async () => {
  const knob = { value: 1, turned: 0 }
  const decide = (compared: readonly Difference[]): Decision<number> =>
    differences(compared, {
      fix: { action: 3, text: 'Would have turned it' },
      warnings: knob.value === 3 ? [] : ['it stands wrong'],
    })
  expect(await run(knobType(knob, { decide }))).toMatchObject({ warnings: ['it stands wrong'] })
  expect(await run(knobType(knob, { decide }), FIX)).not.toHaveProperty('warnings')
})

test('a message never shows a secret', async () => {
  const parts = { messages: ['the word is xyzzy'], warnings: ['xyzzy was tried'] }
  const result = await run(knobType({ value: 3, turned: 0 }, { parts }), {}, { secret: 'xyzzy' })
  expect(JSON.stringify(result)).not.toContain('xyzzy')
  expect(result.warnings).toHaveLength(1)
})

test('elsewhere than on its platforms there is no provider', async () => {
  expect(await run(knobType({ value: 1, turned: 0 }, { platforms: ['darwin'] }))).toMatchObject({
    verdict: 'error',
    reason: 'no-provider',
    message: 'no usable provider of type stereo.knob on linux',
  })
})

/** Ends when it is told to. */
function untilAborted<T>(signal: AbortSignal, answer: () => T): Promise<T> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(answer())))
}

test('a look that takes too long is told to stop, and nothing is known', async () => {
  let told: unknown
  const observe = (signal: AbortSignal): Promise<Reading<number>> =>
    untilAborted(signal, () => {
      told = signal.reason
      return unknown('internal', 'too late')
    })
  expect(await run(knobType({ value: 3, turned: 0 }, { timeoutMs: 20, observe }))).toMatchObject({
    verdict: 'error',
    reason: 'timeout',
    message: 'timed out after 20 ms',
  })
  expect(told).toBeInstanceOf(Error)
})

test('a look that does not listen is not waited for', async () => {
  const observe = (): Promise<Reading<number>> => new Promise(() => undefined)
  expect(await run(knobType({ value: 3, turned: 0 }, { timeoutMs: 20, observe }))).toMatchObject({ reason: 'timeout' })
})

test('a look that fails within its time keeps its reason', async () => {
  const observe = async (): Promise<Reading<number>> => unknown('permission-denied', 'the door is locked')
  expect(await run(knobType({ value: 3, turned: 0 }, { timeoutMs: 60_000, observe }))).toMatchObject({
    reason: 'permission-denied',
  })
})

test.each([
  [
    'that handles the abort signal',
    (signal: AbortSignal) => untilAborted<ApplyOutcome>(signal, () => ({ kind: 'done', output: 'half' })),
  ],
  ['that ignores the abort signal', () => new Promise<ApplyOutcome>(() => undefined)],
])('a fix %s fails at its timeout, and its later result is ignored', async (_title, apply) => {
  const result = await run(knobType({ value: 1, turned: 0 }, { timeoutMs: 20, apply }), FIX)
  expect(result).toMatchObject({
    verdict: 'fix-failed',
    message: 'timed out after 20 ms',
    remaining: [{ observed: 1 }],
  })
})

test('an interruption of the run reaches observe, with a time limit and without', async () => {
  for (const limit of [{}, { timeoutMs: 60_000 }]) {
    const controller = new AbortController()
    const observe = async (signal: AbortSignal): Promise<Reading<number>> => {
      controller.abort('SIGINT')
      return unknown('not-observable', `aborted: ${signal.aborted}`)
    }
    const { signal } = controller
    expect(await run(knobType({ value: 1, turned: 0 }, { ...limit, observe }), { signal })).toMatchObject({
      message: 'aborted: true',
    })
  }
})

test('an example may stand in the margin of its source', () => {
  const yaml = `

      file:
        - /a:
            content: |
              one

              two
  `
  const { examples } = defineResource({
    type: 'example',
    summary: 'A type.',
    properties: {},
    drifts: ['ensure'],
    examples: [
      { title: 'with a margin', yaml },
      { title: 'without', yaml: 'file:\n  - /a: {}' },
    ],
    observe: () => present(1),
    decide: () => differences([]),
    apply: async () => ({ kind: 'done' }),
  })
  expect(examples.map((example) => example.yaml)).toEqual([
    'file:\n  - /a:\n      content: |\n        one\n\n        two',
    'file:\n  - /a: {}',
  ])
})

test.each([
  [{ kind: 'unkown', reason: 'internal', detail: 'x' }, 'the kind "unkown"'],
  [{ kind: 'toString' }, 'the kind "toString"'],
  [{ state: 1 }, 'the kind undefined'],
  [{ kind: 'present' }, 'an incomplete present'],
  [{ kind: 'unknown', reason: 'misspelt', detail: 'x' }, 'an incomplete unknown'],
  [{ kind: 'not-applicable' }, 'an incomplete not-applicable'],
  [true, 'returned true'],
  [undefined, 'returned undefined'],
])('observe that answers %j is an error that names its type', async (answer, words) => {
  const type = defineResource({
    type: 'stereo.knob',
    summary: 'A knob.',
    properties: { value: { kind: 'integer', summary: 'Where it stands.' } },
    drifts: ['value'],
    examples: [],
    observe: () => answer as unknown as ReturnType<typeof present>,
    decide: () => differences([]),
    apply: () => Promise.resolve({ kind: 'done' }),
  })
  const { verdict, reason, message } = await run(type)
  expect({ verdict, reason }).toEqual({ verdict: 'error', reason: 'internal' })
  expect(message).toContain('observe of stereo.knob')
  expect(message).toContain(words)
})

test('apply that answers nothing has failed, and the run goes on', async () => {
  const knob = { value: 1, turned: 0 }
  const apply = (): Promise<ApplyOutcome> => Promise.resolve({} as unknown as ApplyOutcome)
  expect(await run(knobType(knob, { apply }), FIX)).toMatchObject({
    verdict: 'fix-failed',
    errors: ['apply of stereo.knob returned with the kind undefined; valid kinds: done, failed'],
  })
})

test('a resource that does not concern the machine is not applicable, with the reason', async () => {
  const type = defineResource({
    type: 'stereo.knob',
    summary: 'A knob.',
    properties: { value: { kind: 'integer', summary: 'Where it stands.' } },
    drifts: ['value'],
    examples: [],
    observe: () => notApplicable('no stereo is installed'),
    decide: () => differences([]),
    apply: () => Promise.resolve({ kind: 'done' }),
  })
  for (const options of [{}, FIX]) {
    expect(await run(type, options)).toMatchObject({ verdict: 'not-applicable', message: 'no stereo is installed' })
  }
})
