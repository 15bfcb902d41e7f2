import { originOf, type PamEntry, type PamType } from './stack/stack.ts'
import { findWay, isPass, possibleReturns, type Search, type Step } from './stack/walk.ts'

/** A stack of one type, and which of its lines are meant. */
export interface Walked {
  readonly entries: readonly PamEntry[]
  readonly type: PamType
  readonly isMeant: (entry: PamEntry) => boolean
}

/** A way through the stack that should not be there, in words; undefined if absent. */
export type WayFound = string | undefined

/** Whether a line is called at all, for any return of the modules before it. */
export function isCalled(walked: Walked): boolean {
  const way = find(walked, {
    seen: (before, { entry }) => (walked.isMeant(entry) ? 1 : before),
    isSought: (seen) => seen === 1,
  })
  return way !== undefined
}

/** The way to success on which no line that is meant was called. */
export function wayUncalled(walked: Walked): WayFound {
  return find(walked, {
    seen: (before, { entry }) => (walked.isMeant(entry) ? 1 : before),
    isSought: (seen, answer) => answer === 'success' && seen === 0,
  })
}

/** The way to success on which no line that is meant was passed, and no module that may stand in for it has said yes. */
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
 * The way on which the other module refuses and the service, too, without that a line that is meant is called after that, or a
 * module that may stand in for the other one says yes.
 */
export function wayUncaught(walked: Walked, other: string, standIns: readonly string[]): WayFound {
  return find(walked, {
    seen: (before, { entry, returned }) => {
      if (before === 1 && returned === 'success' && standIns.includes(entry.name)) return 0
      if (entry.name === other && !walked.isMeant(entry) && !isPass(returned)) return 1
      return walked.isMeant(entry) && before === 1 ? 2 : before
    },
    // Who has to choose a new password is not refused.
    isSought: (seen, answer) => answer !== 'success' && answer !== 'new_authtok_reqd' && seen === 1,
  })
}

/** The way on which the other module is called and no line that is meant was called before it. */
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

/** The way on which the other module is called after a line that is meant. */
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

/** The last calls of a way say enough of it. */
const MOST_CALLS = 8

function wordsOf(steps: readonly Step[]): string {
  const calls = steps.slice(-MOST_CALLS).map(({ entry, returned }) => `${entry.name} ${returned} (${originOf(entry)})`)
  return `${steps.length > MOST_CALLS ? '…, ' : ''}${calls.join(', ')}`
}
