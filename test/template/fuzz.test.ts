import process from 'node:process'
import { expect, test } from 'vitest'
import { engines, fuzz, prepare } from '../../scripts/fuzz/engines.ts'
import { makeInput } from '../../scripts/fuzz/inputs.ts'
import { seededRandom } from '../../scripts/fuzz/random.ts'

const SEED = Number(process.env['DRIFTGATE_TEST_SEED'] ?? 1)

const RUNS: Readonly<Record<string, number>> = { expr: 100_000, template: 10_000, gjson: 30_000, jet: 15_000 }

test.each(engines.map((engine) => [engine.name, engine] as const))(
  `%s: random and mutated inputs of seed ${SEED} give a value or a TemplateError within the budgets`,
  async (name, engine) => {
    await prepare()
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
