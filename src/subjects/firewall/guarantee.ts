import { firstCut, type KeptPort } from './rules/kept.ts'
import type { Ruleset } from './rules/ruleset.ts'
import { compareHook, questionsOf, type Scene } from './compare.ts'
import type { FirewallDesired } from './wanted.ts'

/** What has to hold of rules before they are put in place: no client is cut off that gets in now. */
export interface Guarantee {
  /** What decides about packets before the fix. */
  readonly scene: Scene
  readonly kept: readonly KeptPort[]
}

/** Why rules must not be put in place, or do not do what is wanted; undefined where they are right. */
export function problemWith(wanted: FirewallDesired, { scene, kept }: Guarantee, rules: Ruleset): string | undefined {
  const { machine, families } = scene
  for (const question of questionsOf(wanted, { ruleset: rules, machine, families })) {
    const { drift, unknown } = compareHook(wanted, question)
    const [wrong] = drift
    if (wrong !== undefined) {
      const how = wrong.note ?? 'no matching rule'
      return `"${wrong.property}" would still not be met (${question.family}): ${how}; correct that by hand first`
    }
    const [unclear] = unknown
    if (unclear !== undefined) return `cannot verify the effect of the new rules: ${unclear.detail}`
  }
  for (const family of families) {
    const cut = firstCut({ ruleset: scene.ruleset, family, machine }, rules, kept)
    if (cut === undefined) continue
    const { port, by } = cut
    if (port === undefined) {
      return `established connections would be cut (${family}) by ${by}: add a rule before it that accepts established connections`
    }
    const named = `${port.protocol}:${port.port}`
    const who = port.isSsh ? ' (used by ssh)' : ''
    return `connections to ${named}${who} would be cut (${family}) by ${by}: add a rule before it that accepts them, or name "${named}" under "allowed"`
  }
  return undefined
}
