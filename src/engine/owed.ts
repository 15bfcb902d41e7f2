import type { Declaration } from '../model/policy.ts'
import type { ResourceResult } from '../model/run.ts'
import { placeOf } from '../model/saved-plan.ts'

/** Reactions to a change (`subscribe`) that a fix has not brought to an end, by `placeOf`, with the id of what was changed. */
export interface OwedReactions {
  readonly by: (place: string) => string | undefined
  /** Keeps that a reaction is owed, or with undefined that it is not any more, before anything else is done. Gives why it cannot. */
  readonly set: (place: string, by: string | undefined) => string | undefined
}

/** What is known of the resource whose turn it is. */
interface Turn {
  readonly policy: string
  readonly path: readonly string[]
  readonly resources: readonly Declaration[]
  readonly changed: ReadonlySet<string>
  readonly isFix: boolean
  readonly owed: OwedReactions | undefined
}

/** What a resource owes to others, and others to it. */
export interface Reaction {
  /** Whether it has to react. */
  readonly isDue: boolean
  /** To be called before it is changed: those that subscribe to it owe a reaction from then on. Gives why it must not be changed. */
  readonly begin: () => string | undefined
  /** To be called with what became of it; a reaction that an earlier fix owes is said. */
  readonly end: (result: ResourceResult) => ResourceResult
}

/** Follows the reactions around one resource. */
export function trackReactions({ id, subscribe }: Declaration, turn: Turn): Reaction {
  const { policy, path, resources, changed, isFix, owed } = turn
  const place = (of: string): string => placeOf(policy, { path, id: of })
  const cause = subscribe.find((each) => changed.has(each))
  const earlier = subscribe.length === 0 ? undefined : owed?.by(place(id))
  let begun: readonly string[] = []
  return {
    isDue: (cause ?? earlier) !== undefined,
    begin() {
      if (owed === undefined) return undefined
      const subscribers = resources.filter((each) => each.subscribe.includes(id)).map((each) => place(each.id))
      begun = subscribers.filter((each) => owed.by(each) === undefined)
      return begun.map((each) => owed.set(each, id)).find((failure) => failure !== undefined)
    },
    end(result) {
      // A change that failed asks for nothing.
      if (result.verdict === 'fix-failed') for (const each of begun) owed?.set(each, undefined)
      const by = cause ?? earlier
      if (by === undefined) return result
      if (isFix) settle(result, by)
      // What this run has changed itself explains the reaction.
      if (cause !== undefined || result.verdict === 'not-applicable') return result
      const warning = `the reaction to the change of ${earlier} was still owed: an earlier fix did not get to its end`
      return { ...result, warnings: [...(result.warnings ?? []), warning] }
    },
  }
  function settle({ verdict }: ResourceResult, by: string): void {
    if (verdict === 'fix-failed' || verdict === 'error') owed?.set(place(id), by)
    else if (owed?.by(place(id)) !== undefined) owed.set(place(id), undefined)
  }
}
