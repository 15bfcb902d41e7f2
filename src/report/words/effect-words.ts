import { describeEffects } from '../../core/effect.ts'
import type { ResourceResult } from '../../core/run.ts'

/**
 * What a fix would do to a resource or has done, for people. A type that does not say its effects, or a report of an
 * earlier version, has the sentences of `actions` instead.
 */
export function effectWords({ verdict, actions, effect }: ResourceResult): readonly string[] {
  if (effect === undefined || actions.length === 0) return actions
  return [describeEffects(effect, verdict === 'fixed' ? 'done' : 'planned')]
}
