import type { Place } from '../../../host/live/place.ts'

/** Goes down from a directory, name by name and through no link, and closes the way again when `use` is done. */
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
