import type { ApplyOutcome } from '../../../model/decision.ts'

/** What went wrong; undefined where nothing did. */
export type Problem = string | undefined

/** A part of a change, and what takes it back. */
export interface Step {
  readonly carryOut: () => Promise<Problem>
  /** Also where carrying it out has failed half-way. Is not interrupted. */
  readonly takeBack: () => Promise<Problem>
}

/** What a manager has to do, or why what would be stored must not be. */
export type Steps = readonly Step[] | { readonly problem: string }

/** Carries out steps and looks at what they have brought about; takes all of them back where anything is wrong. */
export async function carryOutAll(steps: readonly Step[], look: () => Promise<Problem>): Promise<ApplyOutcome> {
  const begun: Step[] = []
  let problem: Problem
  for (const step of steps) {
    begun.push(step)
    problem = await step.carryOut()
    if (problem !== undefined) break
  }
  problem ??= await look()
  if (problem === undefined) return { kind: 'done' }
  const failed: string[] = []
  for (const step of begun.toReversed()) {
    const trouble = await step.takeBack()
    if (trouble !== undefined) failed.push(trouble)
  }
  const state = failed.length === 0 ? 'the previous rules are restored' : `could not be reverted: ${failed.join('; ')}`
  return { kind: 'failed', message: `${problem}; ${state}` }
}
