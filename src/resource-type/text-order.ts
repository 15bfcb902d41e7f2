import type { ValueOrder } from '../model/acceptance.ts'
import { FIELDS } from '../model/fields.ts'
import { LINES } from '../model/value-orders.ts'
import { matchesPattern } from '../templates/expr/regex.ts'

/** Whether a regular expression (RE2) matches a whole text. */
export function matchesWhole(text: string, pattern: string): boolean {
  return matchesPattern(`\\A(?:${pattern})\\z`, text)
}

/** Texts, which are the same or not, and match a pattern as a whole or not. */
export const TEXTS: ValueOrder<string> = {
  equals: (left, right) => left === right,
  isMatch: matchesWhole,
}

/** Texts of fields, which match a pattern as a whole or not. */
export const FIELD_TEXTS: ValueOrder<string> = { ...FIELDS, isMatch: matchesWhole }

/** Contents of files, which have lines and match a pattern as a whole or not. */
export const CONTENTS: ValueOrder<string> = { ...LINES, isMatch: matchesWhole }
