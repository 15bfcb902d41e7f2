import process from 'node:process'
import { expect, test } from 'vitest'
import { engines, fuzz } from '../../../scripts/fuzz/engines.ts'
import { makeInput } from '../../../scripts/fuzz/inputs.ts'
import { seededRandom } from '../../../scripts/fuzz/random.ts'
import { cases } from '../../support/soak.ts'

const SEED = Number(process.env['DRIFTGATE_TEST_SEED'] ?? 1)

const RUNS: Readonly<Record<string, number>> = {
  expr: cases({ usual: 5_000, soak: 500_000 }),
  template: cases({ usual: 500, soak: 50_000 }),
  gjson: cases({ usual: 2_000, soak: 150_000 }),
  jet: cases({ usual: 1_000, soak: 75_000 }),
}

test.each(engines.map((engine) => [engine.name, engine] as const))(
  `%s: random and mutated inputs of seed ${SEED} give a value or a TemplateError within the budgets`,
  (name, engine) => {
    expect(() => fuzz(engine, RUNS[name] ?? 0, seededRandom(SEED))).not.toThrow()
  },
)

test('inputs repeat with their seed and are many', () => {
  for (const { grammar } of engines) {
    const inputs = (seed: number): string[] => {
      const random = seededRandom(seed)
      return Array.from({ length: 500 }, () => makeInput(grammar, random))
    }
    expect(inputs(1)).toEqual(inputs(1))
    expect(new Set(inputs(2)).size).toBeGreaterThan(400)
  }
})
