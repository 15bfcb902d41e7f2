import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { Problem } from '../../src/model/problem.ts'
import { formatProblem } from '../../src/model/format-problem.ts'
import { parse } from './support.ts'
import { cases } from '../support/soak.ts'

const SOUND = `# comment
data: &d {port: 80, list: [1, 2.50, "x"]}
hierarchy:
  order: ["{{ lookup('facts.x') }}", default]
  merge: deep
overrides:
  x: *d
policy:
  id: web
  controls:
    - {id: 9.10, severity: high, references: {cis: ["5.1"]}, tags: [a], resources: [file#/a, gadget#g]}
ccm:
  fail_on_error: false
  resources:
    - file:
        - defaults: {owner: root, group: root, mode: 0644}
        - /a: &body
            ensure: present
            content: |
              text
        - /b:
            <<: *body
            require: [file#/a]
            control: {if: a, unless: "b"}
    - gadget:
        name: g
        environment: [A=1]
        headers: {"long": "${'text \\n'.repeat(20)}"}
        timeout: 90s
        register_when_stable: [{cluster: c, service: s, protocol: p, address: "::1", port: 80, priority: 1}]
`

/** Reading must answer, and every problem must point into the text and be printable. */
function answers(text: string): void {
  const result = parse(text)
  if (result.ok) return
  expect(result.problems.length).toBeGreaterThan(0)
  for (const problem of result.problems) expectSound(problem, text)
}

function expectSound(problem: Problem, text: string): void {
  const lines = text.split('\n')
  const { line = 0, column = 0 } = problem.position ?? {}
  expect(line).toBeGreaterThanOrEqual(1)
  expect(line).toBeLessThanOrEqual(lines.length)
  expect(column).toBeGreaterThanOrEqual(1)
  expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1)
  expect(problem.message).not.toMatch(/undefined|\[object|at .*\.(js|ts):/)
  expect(formatProblem(problem)).not.toBe('')
}

test('the policy that is mutated is sound', () => {
  expect(parse(SOUND).ok).toBe(true)
})

const splice = fc.record({
  at: fc.nat(SOUND.length),
  remove: fc.nat(12),
  insert: fc.oneof(
    fc.constantFrom(
      ':',
      ' ',
      '\n',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '*',
      '&a ',
      '!',
      '|',
      '>',
      '#',
      '%',
      '\t',
      '<<: ',
      '---\n',
      '? ',
      ',',
      '~',
      '\r\n',
      '\0',
    ),
    fc.string({ maxLength: 4, unit: 'binary' }),
  ),
})

test('a mutated policy gives a policy or problems, never an exception', () => {
  fc.assert(
    fc.property(fc.array(splice, { minLength: 1, maxLength: 4 }), (splices) => {
      let text = SOUND
      for (const { at, remove, insert } of splices) text = text.slice(0, at) + insert + text.slice(at + remove)
      answers(text)
    }),
    { numRuns: cases({ usual: 80, soak: 4_000 }) },
  )
})

test('lines that are moved, doubled or lost', () => {
  const lines = SOUND.split('\n')
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(lines.length - 1), fc.nat(lines.length - 1)), { maxLength: 6 }), (moves) => {
      const moved = [...lines]
      for (const [from, to] of moves) moved.splice(to, from % 2, lines[from] ?? '')
      answers(moved.join('\n'))
    }),
    { numRuns: cases({ usual: 80, soak: 4_000 }) },
  )
})

test('any text at all', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 80 }), answers), {
    numRuns: cases({ usual: 80, soak: 4_000 }),
  })
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...':-?[]{},&*!|>\'"%@`#ab1 \n\t'.split('')), { maxLength: 40 }),
      (characters) => answers(characters.join('')),
    ),
    { numRuns: cases({ usual: 80, soak: 4_000 }) },
  )
})

/** Data of the right rough shape with anything in the places of values. */
const anything = fc.anything({
  maxDepth: 2,
  key: fc.constantFrom('name', 'ensure', 'if', 'a', '__proto__', 'defaults'),
  values: [fc.string({ maxLength: 5 }), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)],
})
const body = fc.dictionary(
  fc.constantFrom(
    'name',
    'ensure',
    'alias',
    'require',
    'control',
    'sensitive',
    'health_checks',
    'register_when_stable',
    'size',
    'headers',
    'environment',
    'data',
    'provider',
    'bogus',
  ),
  anything,
)
const or = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> => fc.oneof(anything, arbitrary)

const entry = or(fc.dictionary(fc.constantFrom('a', 'b', 'defaults'), or(body)))
const item = or(fc.dictionary(fc.constantFrom('gadget', 'file', 'other'), fc.oneof(or(body), fc.array(entry))))
const control = or(fc.record({ id: anything, resources: anything, tags: anything, references: anything }))
const shaped = fc.record(
  {
    data: anything,
    hierarchy: anything,
    overrides: anything,
    policy: or(fc.record({ id: anything, controls: or(fc.array(control)) })),
    ccm: or(fc.record({ resources: or(fc.array(item)) })),
  },
  { requiredKeys: [] },
)

test('data of the right rough shape', () => {
  fc.assert(
    fc.property(shaped, fc.boolean(), (data, asJson) => {
      answers(asJson ? JSON.stringify(data) : stringify(data, { aliasDuplicateObjects: false, keepUndefined: true }))
    }),
    { numRuns: cases({ usual: 80, soak: 4_000 }) },
  )
})
