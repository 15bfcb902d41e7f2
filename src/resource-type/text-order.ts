import type { ValueOrder } from '../model/acceptance.ts'
import { FIELDS } from '../model/fields.ts'
import { LINES } from '../model/value-orders.ts'
import { matchesPattern } from '../templates/expr/regex.ts'

/** Whether a regular expression (RE2) matches the whole text. */
export function matchesWhole(text: string, pattern: string): boolean {
  return matchesPattern(`\\A(?:${pattern})\\z`, text)
}

/** Order of texts: compared for equality, or matched as a whole against a pattern. */
export const TEXTS: ValueOrder<string> = {
  equals: (left, right) => left === right,
  isMatch: matchesWhole,
}

/** Texts of fields; a pattern matches the whole text. */
export const FIELD_TEXTS: ValueOrder<string> = { ...FIELDS, isMatch: matchesWhole }

/** File contents as lines; a pattern matches the whole text. */
export const CONTENTS: ValueOrder<string> = { ...LINES, isMatch: matchesWhole }
