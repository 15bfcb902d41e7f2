import { originOf, type PamEntry, type PamType } from './stack/stack.ts'
import { findWay, isPass, possibleReturns, type Search, type Step } from './stack/walk.ts'

/** A stack of one type, with a predicate for the lines of the requirement. */
export interface Walked {
  readonly entries: readonly PamEntry[]
  readonly type: PamType
  readonly isMeant: (entry: PamEntry) => boolean
}

/** Description of a forbidden path through the stack; undefined if there is no such path. */
export type WayFound = string | undefined

/** Whether any return values lead to a call of a matching line. */
export function isCalled(walked: Walked): boolean {
  const way = find(walked, {
    seen: (before, { entry }) => (walked.isMeant(entry) ? 1 : before),
    isSought: (seen) => seen === 1,
  })
  return way !== undefined
}

/** A successful path that calls no matching line. */
export function wayUncalled(walked: Walked): WayFound {
  return find(walked, {
    seen: (before, { entry }) => (walked.isMeant(entry) ? 1 : before),
    isSought: (seen, answer) => answer === 'success' && seen === 0,
  })
}

/** A successful path on which no matching line passes and no stand-in module succeeds. */
export function wayWithout(walked: Walked, standIns: readonly string[]): WayFound {
  return find(walked, {
    seen: (before, { entry, returned }) => {
      const isIn = walked.isMeant(entry) ? isPass(returned) : standIns.includes(entry.name) && returned === 'success'
      return isIn ? 1 : before
    },
    isSought: (seen, answer) => answer === 'success' && seen === 0,
  })
}

/**
 * A path on which the other module and the service fail, but no matching line is called after the failure and no stand-in
 * module succeeds.
 */
export function wayUncaught(walked: Walked, other: string, standIns: readonly string[]): WayFound {
  return find(walked, {
    seen: (before, { entry, returned }) => {
      if (before === 1 && returned === 'success' && standIns.includes(entry.name)) return 0
      if (entry.name === other && !walked.isMeant(entry) && !isPass(returned)) return 1
      return walked.isMeant(entry) && before === 1 ? 2 : before
    },
    // An expired password (`new_authtok_reqd`) is not a failure.
    isSought: (seen, answer) => answer !== 'success' && answer !== 'new_authtok_reqd' && seen === 1,
  })
}

/** A path that calls the other module before any matching line. */
export function wayTooLate(walked: Walked, other: string): WayFound {
  return find(walked, {
    seen: (before, { entry }) => {
      if (before !== 0) return before
      if (walked.isMeant(entry)) return 1
      return entry.name === other ? 2 : 0
    },
    isSought: (seen) => seen === 2,
  })
}

/** A path that calls the other module after a matching line. */
export function wayTooEarly(walked: Walked, other: string): WayFound {
  return find(walked, {
    seen: (before, { entry }) => {
      if (walked.isMeant(entry)) return before === 2 ? 2 : 1
      return entry.name === other && before === 1 ? 2 : before
    },
    isSought: (seen) => seen === 2,
  })
}

function find({ entries, type }: Walked, search: Omit<Search, 'returns'>): WayFound {
  const returns = new Map(entries.map((entry) => [entry, possibleReturns(type, entry)]))
  const way = findWay(entries, { returns: (entry) => returns.get(entry) ?? [], ...search })
  return way === undefined ? undefined : wordsOf(way)
}

/** The last calls suffice to describe a path. */
const MOST_CALLS = 8

function wordsOf(steps: readonly Step[]): string {
  const calls = steps.slice(-MOST_CALLS).map(({ entry, returned }) => `${entry.name} ${returned} (${originOf(entry)})`)
  return `${steps.length > MOST_CALLS ? '…, ' : ''}${calls.join(', ')}`
}
