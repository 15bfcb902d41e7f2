/** What JSON may hold as it is and a terminal, or a reader of lines, would not leave as it is. */
const HIDDEN = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu
const LOG_COMMAND = /##(?=(?:vso)?\[)/gi

/**
 * A value as JSON on one line, whatever counts as the end of one: what moves the cursor, hides or reorders text, or is a
 * command to a CI log is written as an escape. The value that is read back is the same.
 */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value)
    .replace(HIDDEN, escape)
    .replace(LOG_COMMAND, String.raw`#\u0023`)
  return `${text}\n`
}

function escape(character: string): string {
  return character
    .split('')
    .map((unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, '0'))
    .join('')
}
