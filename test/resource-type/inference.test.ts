import { expect, expectTypeOf, test } from 'vitest'
import {
  absent,
  type ApplyOutcome,
  cannot,
  defineProperties,
  defineResource,
  differences,
  type Observation,
  present,
  type ResourceContext,
  unknown,
} from '../../src/index.ts'

// What an author writes has no annotation and no cast: the compiler judges this file.

const properties = defineProperties({
  destination: { kind: 'text', required: true, summary: 'Where.' },
  user: { kind: 'text', summary: 'Who.' },
  uid: { kind: 'integer', minimum: 0, summary: 'Who, by number.' },
  level: { kind: 'integer', oneOf: [1, 2], default: 1, summary: 'How much.' },
  kind: { kind: 'text', oneOf: ['hard', 'soft'], summary: 'How.' },
  tags: { kind: 'list', items: { kind: 'text', summary: 'One.' }, summary: 'Labels.' },
  limits: { kind: 'map', values: { kind: 'integer', summary: 'One.' }, summary: 'Limits.' },
})

const done: ApplyOutcome = { kind: 'done' }

test('desired, observed and action are inferred with observe and apply', () => {
  const type = defineResource({
    type: 'a',
    summary: 'A.',
    properties,
    exclusive: [['user', 'uid']],
    drifts: ['owner'],
    examples: [],
    observe: (target, desired, context) => {
      expectTypeOf(desired.destination).toEqualTypeOf<string>()
      expectTypeOf(desired.name).toEqualTypeOf<string>()
      expectTypeOf(desired.uid).toEqualTypeOf<number | undefined>()
      expectTypeOf(desired.level).toEqualTypeOf<1 | 2>()
      expectTypeOf(desired.kind).toEqualTypeOf<'hard' | 'soft' | undefined>()
      expectTypeOf(desired.tags).toEqualTypeOf<readonly string[] | undefined>()
      expectTypeOf(desired.limits).toEqualTypeOf<Readonly<Record<string, number>> | undefined>()
      expectTypeOf(context).toEqualTypeOf<ResourceContext>()
      const seen = target.files.stat(desired.destination)
      const wanted = { id: 7, name: 'eve' }
      if (seen.kind === 'unknown') return unknown(seen.reason, seen.detail)
      return seen.kind === 'absent' ? absent(wanted) : present({ owner: seen.state.uid }, wanted)
    },
    decide: (desired, observed) => {
      expectTypeOf(desired.uid).toEqualTypeOf<number | undefined>()
      expectTypeOf(observed.kind).toEqualTypeOf<'present' | 'absent'>()
      expectTypeOf(observed.context).toEqualTypeOf<{ id: number; name: string }>()
      if (observed.kind === 'absent') {
        return differences([{ property: 'owner', original: null, desired: observed.context.id }], {
          obstacles: [cannot('it is not there', { missing: desired.destination })],
        })
      }
      expectTypeOf(observed.state).toEqualTypeOf<{ owner: number }>()
      return differences([{ property: 'owner', original: observed.state.owner, desired: observed.context.id }], {
        fix: { action: { uid: observed.context.id }, text: 'Would have set the owner' },
      })
    },
    apply: async (remediator, desired, action, context) => {
      expectTypeOf(action).toEqualTypeOf<{ uid: number }>()
      return remediator.setOwner(desired.destination, action, { signal: context.signal })
    },
  })
  expect(type.providers.map(({ name }) => name)).toEqual(['default'])
  expect(Object.keys(type.properties)).toContain('name')
})

test('the same with providers, an observation without context, and a promise', () => {
  const type = defineResource({
    type: 'b',
    summary: 'B.',
    properties,
    drifts: ['lines'],
    examples: [],
    providers: [
      {
        name: 'posix',
        platforms: ['linux'],
        observe: async (_target, desired) => present({ lines: desired.destination.length }),
        apply: async (_remediator, desired, action: 'write') => {
          expectTypeOf(desired.destination).toEqualTypeOf<string>()
          return action === 'write' ? done : { kind: 'failed', message: 'there is no other action' }
        },
      },
    ],
    decide: (desired, observed) => {
      const lines = observed.kind === 'present' ? observed.state.lines : undefined
      expectTypeOf(lines).toEqualTypeOf<number | undefined>()
      return differences([{ property: 'lines', original: lines, desired: desired.uid }], {
        fix: { action: 'write' as const, text: 'Would have written' },
      })
    },
  })
  expect(type.providers).toHaveLength(1)
})

test('an invalid definition does not compile', () => {
  const base = { type: 'c', summary: 'C.', properties, drifts: ['x'], examples: [] } as const
  const observe = (): Observation<number> => present(1)
  const apply = async (): Promise<ApplyOutcome> => done
  const decide = (): ReturnType<typeof differences<string>> => differences<string>([])
  expect(() => {
    // @ts-expect-error there is a type without any way to observe it
    defineResource({ ...base, decide })
  }).toThrow('it must have either providers or observe and apply')
  expect(() => {
    // @ts-expect-error either providers or observe and apply
    defineResource({ ...base, providers: [{ name: 'p', observe, apply }], observe, apply, decide })
  }).toThrow('it must have either providers or observe and apply')
  // @ts-expect-error a misspelt constraint
  defineProperties({ a: { kind: 'text', summary: 'A.', requird: true } })
  // @ts-expect-error a constraint of another kind
  defineProperties({ a: { kind: 'text', summary: 'A.', minimum: 1 } })
  expect(() => {
    // @ts-expect-error an exclusive group names properties
    defineResource({ ...base, exclusive: [['user', 'ui']], observe, apply, decide })
  }).toThrow('"ui", which is not a property')
})
