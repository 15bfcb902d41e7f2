import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Decision, FIRST_LOOK, type Occasion } from '../../src/model/decision.ts'
import { ERROR_REASONS } from '../../src/model/observation.ts'

export type Fields = Readonly<Record<string, unknown>>

/** How the cases of a type become calls of its `decide`. */
export interface DecisionOfType {
  /** What `wanted` and `observed` of a case may hold. What a case leaves out, `decide` fills in. */
  readonly wanted: readonly string[]
  readonly observed: readonly string[]
  readonly decide: (wanted: Fields, observed: Fields, occasion: Occasion) => Decision<unknown>
}

interface Case {
  readonly name: string
  readonly wanted: Fields
  readonly observed: Fields
  readonly occasion?: Partial<Occasion>
  readonly expected: Fields
}

const EXPECTED = ['ensure', 'drift', 'unknown', 'comparesStored', 'plan', 'messages', 'warnings']

/**
 * Makes a test of every case in `test/subjects/<folder>/cases/*.yaml`. A file says with `about` what its cases have in common. A
 * case has a `name`, what the policy `wanted`, what was `observed`, and the `expected` decision; `occasion` says whether a
 * subscribed resource changes or the plan was applied.
 *
 * In `observed`, `{ "known": VALUE }` is what could be read, and `{ "unknown": REASON, "detail": TEXT }` is not. In `expected`,
 * what is named must be so, and what is not named may be anything; lists and actions are whole, and a drift may be its
 * property alone.
 */
export function testDecisionCases(folder: string, decision: DecisionOfType): void {
  const directory = `test/subjects/${folder}/cases`
  for (const file of readdirSync(directory)) {
    const path = join(directory, file)
    const { about, cases } = parse(readFileSync(path, 'utf8')) as { about: string; cases: readonly unknown[] }
    describe(`${about} (${file})`, () => {
      const names = new Set<string>()
      for (const [index, value] of cases.entries()) {
        const problem = problemOfCase(value, decision) ?? repeated(value as Case, names)
        if (problem === undefined) test((value as Case).name, () => check(value as Case, decision))
        else test(`case ${index + 1} is no case`, () => expect.fail(`${path}, case ${index + 1}: ${problem}`))
      }
    })
  }
}

function check({ wanted, observed, occasion, expected }: Case, { decide }: DecisionOfType): void {
  const decided = decide(wanted, withReadings(observed) as Fields, { ...FIRST_LOOK, ...occasion })
  const { drift, ...others } = expected
  expect(decided).toMatchObject(others)
  expect(hasEmptyText({ ...decided, drift: [], plan: { ...decided.plan, action: undefined } })).toBe(false)
  if (isMap(others['plan']) && 'action' in others['plan']) {
    expect(decided.plan.kind === 'act' ? decided.plan.action : undefined).toEqual(others['plan']['action'])
  }
  if (!Array.isArray(drift)) return
  const told = decided.drift.map((found, index) => (typeof drift[index] === 'string' ? found.property : found))
  expect(told).toEqual(drift)
}

/** States and sentences are never empty; values may be. */
function hasEmptyText(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.values(value).some(hasEmptyText) : value === ''
}

/** What is wrong with a case, in a sentence for the person who wrote it; undefined where it is one. */
export function problemOfCase(value: unknown, { wanted, observed }: DecisionOfType): string | undefined {
  if (!isMap(value) || typeof value['name'] !== 'string') return 'a case is a map with a name'
  const parts = { name: undefined, wanted, observed, occasion: ['subscribed', 'applied'], expected: EXPECTED }
  const unknownPart = Object.keys(value).find((key) => !(key in parts))
  if (unknownPart !== undefined) return `"${unknownPart}" is none of ${Object.keys(parts).join(', ')}`
  for (const [part, known] of Object.entries(parts)) {
    if (known === undefined || (part === 'occasion' && !(part in value))) continue
    const fields = value[part]
    if (!isMap(fields)) return `it has no map "${part}"`
    const strange = Object.keys(fields).find((key) => !known.includes(key))
    if (strange !== undefined) return `"${part}" holds "${strange}", which is none of ${known.join(', ')}`
  }
  return Object.keys(value['expected'] as Fields).length === 0
    ? '"expected" is empty, so nothing could fail'
    : undefined
}

function repeated({ name }: Case, names: Set<string>): string | undefined {
  if (names.has(name)) return `the name "${name}" is that of a case before`
  names.add(name)
  return undefined
}

/** Readings as the code has them, however deep they lie. */
function withReadings(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReadings)
  if (!isMap(value)) return value
  if ('known' in value) return { kind: 'known', value: withReadings(value['known']) }
  if (typeof value['unknown'] === 'string') {
    if (!ERROR_REASONS.some((reason) => reason === value['unknown']))
      throw new Error(`"${value['unknown']}" is no reason for being unknown`)
    const { unknown: reason, ...rest } = value
    return { kind: 'unknown', reason, ...rest }
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withReadings(inner)]))
}

function isMap(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
