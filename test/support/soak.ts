import process from 'node:process'

/** Whether this is the long run, `npm run soak`, in which tests try far more cases of the same kind. */
export const IS_SOAK: boolean = process.env['DRIFTGATE_SOAK'] !== undefined

/** How many cases a test makes: enough to find a break of the rule in every run, and many more in the long one. */
export function cases(counts: { readonly usual: number; readonly soak: number }): number {
  return IS_SOAK ? counts.soak : counts.usual
}
