import process from 'node:process'
import fc from 'fast-check'

/** Whether this is the long run, `npm run soak`, in which tests try far more cases of the same kind. */
export const IS_SOAK: boolean = process.env['DRIFTGATE_SOAK'] !== undefined

const TEXTS = process.env['DRIFTGATE_TEST_TEXTS']
const SEED = process.env['DRIFTGATE_TEST_SEED']

interface Counts {
  readonly usual: number
  readonly soak: number
}

/**
 * How many cases a test makes: enough to find a break of the rule in every run, and many more in the long one.
 * DRIFTGATE_TEST_TEXTS sets another number, up to that of the long run.
 */
export function cases({ usual, soak }: Counts): number {
  if (TEXTS !== undefined) return Math.min(Number(TEXTS), Math.max(usual, soak))
  return IS_SOAK ? soak : usual
}

/** Values of a kind, the same in every run; DRIFTGATE_TEST_SEED makes others. */
export function sample<Value>(arbitrary: fc.Arbitrary<Value>, counts: Counts, seed = 14): readonly Value[] {
  return fc.sample(arbitrary, { numRuns: cases(counts), seed: Number(SEED ?? seed) })
}

/** The timeout of a comparison with a real program, which takes as long as there are texts. */
export const PATIENCE = 3_600_000
