import { appendFileSync } from 'node:fs'
import process from 'node:process'
import { expect } from 'vitest'

export interface Proof {
  readonly reader: string
  /** The program, by its name or as a path. */
  readonly program: string
  readonly texts: number
}

/** Expects that a reader and its program agree, and reports the comparison to `npm run prove:readers`. */
export function expectAgreement(proof: Proof, differences: readonly unknown[]): void {
  const file = process.env['DRIFTGATE_PROOFS']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ ...proof, differences })}\n`)
  expect(differences.slice(0, 3)).toEqual([])
}
