import type { Place } from '../../../host/live/place.ts'

/** Descends name by name without following links, and closes the directories after `use`. */
export function withChild<T>(root: Place, components: readonly string[], use: (place: Place) => T): T {
  const [first, ...rest] = components
  if (first === undefined) return use(root)
  const place = root.child(first)
  try {
    return withChild(place, rest, use)
  } finally {
    place.close()
  }
}
