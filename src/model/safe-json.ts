/** Characters that JSON allows unescaped, but that a terminal or a line reader would interpret. */
const HIDDEN = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\p{DI}\p{NChar}\u2800]|(?! )\p{Zs}/gu
const LOG_COMMAND = /##(?=(?:vso)?\[)/gi

/**
 * Serializes a value as JSON, on one line unless indented. Characters that move the cursor, hide or reorder text, or
 * start a CI command are escaped. Parsing returns the same value.
 */
export function toSafeJson(value: unknown, indent?: number): string {
  return escapeInQuotes(JSON.stringify(value, undefined, indent))
}

/** Escapes such characters in text that has them only between double quotes, as JSON does. */
export function escapeInQuotes(text: string): string {
  return text.replace(HIDDEN, escape).replace(LOG_COMMAND, String.raw`#\u0023`)
}

function escape(character: string): string {
  return character
    .split('')
    .map((unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, '0'))
    .join('')
}
