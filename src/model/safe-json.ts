/** What JSON may hold as it is and a terminal, or a reader of lines, would not leave as it is. */
const HIDDEN = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\p{DI}\p{NChar}\u2800]|(?! )\p{Zs}/gu
const LOG_COMMAND = /##(?=(?:vso)?\[)/gi

/**
 * A value as JSON, on one line unless it is indented. What moves the cursor, hides or reorders text, or is a command to a
 * CI log is written as an escape. The value that is read back is the same.
 */
export function toSafeJson(value: unknown, indent?: number): string {
  return escapeInQuotes(JSON.stringify(value, undefined, indent))
}

/** The same for text in which such characters stand between double quotes only, as in JSON. */
export function escapeInQuotes(text: string): string {
  return text.replace(HIDDEN, escape).replace(LOG_COMMAND, String.raw`#\u0023`)
}

function escape(character: string): string {
  return character
    .split('')
    .map((unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, '0'))
    .join('')
}
