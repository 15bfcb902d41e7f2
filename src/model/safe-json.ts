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

/** Length of a piece at which it is given. */
const PIECE_LENGTH = 65_536

/** The text of `toSafeJson` with an indent of 2 in pieces, so that the text of a large value is never held as a whole. */
export function* toSafeJsonPieces(value: unknown): Generator<string> {
  let piece = ''
  for (const part of partsOf(value, '', DEEPEST_PARTS)) {
    piece += part
    if (piece.length < PIECE_LENGTH) continue
    yield escapeInQuotes(piece)
    piece = ''
  }
  yield escapeInQuotes(piece)
}

/** Values below this depth are one part: the fields of a resource, which is an item of a list in a policy in a list of a report. */
const DEEPEST_PARTS = 4

/** Parts never end within a string. */
function* partsOf(value: unknown, indent: string, depth: number): Generator<string> {
  if (depth === 0 || typeof value !== 'object' || value === null) {
    yield (JSON.stringify(value, undefined, 2) ?? 'null').replaceAll('\n', `\n${indent}`)
    return
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const deeper = `${indent}  `
  let isEmpty = true
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined && !Array.isArray(value)) continue
    const name = Array.isArray(value) ? '' : `${JSON.stringify(key)}: `
    yield `${isEmpty ? open : ','}\n${deeper}${name}`
    yield* partsOf(item, deeper, depth - 1)
    isEmpty = false
  }
  yield isEmpty ? `${open}${close}` : `\n${indent}${close}`
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
