import { countOf } from '../../model/count-of.ts'
import { unreadable } from '../../model/differences.ts'
import type { UnknownProperty } from '../../model/drift.ts'
import { showName } from '../../model/file-name.ts'
import type { Unknown } from '../../model/observation.ts'
import type { LeftOut } from '../../host/file-trees.ts'

/** How many places that were left out are named. */
const MOST_PLACES = 20

/** How many things are named that could not be looked at. */
const MOST_UNREAD = 20

/** What of a tree could not be looked at: as long as there is any, it is unknown whether something else is wrong. */
export function notLookedAt(property: string, unread: readonly Unknown[]): readonly UnknownProperty[] {
  const named = unread.slice(0, MOST_UNREAD).map((trouble) => unreadable(property, trouble))
  const [next] = unread.slice(MOST_UNREAD)
  if (next === undefined) return named
  const others = `and ${countOf(unread.length - MOST_UNREAD, 'other place')}`
  return [...named, { property, reason: next.reason, detail: others }]
}

/** Which places were left out because of where they lie, as a message where there are any. */
export function notEntered(leftOut: readonly LeftOut[]): readonly string[] {
  if (leftOut.length === 0) return []
  const named = leftOut.slice(0, MOST_PLACES).map(({ path, why }) => `${showName(path)} (${why})`)
  const others = leftOut.length - named.length
  return [`not entered: ${[...named, ...(others === 0 ? [] : [`${others} more`])].join(', ')}`]
}
