import { countOf } from '../../model/count-of.ts'
import { unreadable } from '../../model/differences.ts'
import type { UnknownProperty } from '../../model/drift.ts'
import { showName } from '../../model/file-name.ts'
import type { Unknown } from '../../model/observation.ts'
import type { LeftOut } from '../../host/file-trees.ts'

/** Maximum number of skipped paths in a message. */
const MOST_PLACES = 20

/** Maximum number of unreadable paths in a message. */
const MOST_UNREAD = 20

/** Unreadable parts of a tree; the property is unknown while there are any. */
export function notLookedAt(property: string, unread: readonly Unknown[]): readonly UnknownProperty[] {
  const named = unread.slice(0, MOST_UNREAD).map((trouble) => unreadable(property, trouble))
  const [next] = unread.slice(MOST_UNREAD)
  if (next === undefined) return named
  const others = `and ${countOf(unread.length - MOST_UNREAD, 'other path')}`
  return [...named, { property, reason: next.reason, detail: others }]
}

/** Message about paths that were skipped because of their location, if any. */
export function notEntered(leftOut: readonly LeftOut[]): readonly string[] {
  if (leftOut.length === 0) return []
  const named = leftOut.slice(0, MOST_PLACES).map(({ path, why }) => `${showName(path)} (${why})`)
  const others = leftOut.length - named.length
  return [`not entered: ${[...named, ...(others === 0 ? [] : [`${others} more`])].join(', ')}`]
}
