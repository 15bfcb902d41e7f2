import type { Acceptance } from '../../model/acceptance.ts'

/** Acceptance of these texts only; empty if absent. */
export function oneOrSeveral(
  property: string,
  texts: readonly string[],
): Readonly<Record<string, string | Acceptance<string>>> {
  const values = [...new Set(texts)].toSorted()
  const [only] = values
  if (only === undefined) return {}
  return { [property]: values.length === 1 ? only : { one_of: values } }
}
