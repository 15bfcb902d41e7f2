import { TemplateError } from '../errors.ts'
import { isInt64, parseGoFloat } from '../govalue/int64.ts'
import type { NumberNode } from './ast.ts'
import { quoteGoString, unquoteGoCharacter } from './go-quote.ts'
import type { Token } from './token.ts'

const INTEGER = /^[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|0(?:_?[0-7])*|[1-9](?:_?[0-9])*)$/
const OLD_OCTAL = /^0[0-7]+$/
// The form of almost all numbers in templates; it needs none of the checks below.
const PLAIN_DECIMAL = /^(?:0|[1-9][0-9]{0,14})$/
const UINT64_MAX = 18446744073709551615n

/** Go's `strconv.ParseInt(text, 0, …)` without a size; absent when the text is no integer literal. */
export function parseIntegerLiteral(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined
  const digits = text.replace(/^[+-]/, '').replaceAll('_', '')
  const magnitude = BigInt(OLD_OCTAL.test(digits) ? `0o${digits}` : digits)
  return text.startsWith('-') ? -magnitude : magnitude
}

/** Go's `strconv.ParseFloat`, which allows underscores between digits. Absent when the text is no number. */
export function parseFloatLiteral(text: string): number | undefined {
  if (!text.includes('_')) return parseGoFloat(text)
  const misplaced = /^[+-]?0[xX]/.test(text)
    ? /[^0-9a-fA-FxX]_|_(?![0-9a-fA-F])/.test(text)
    : /(?:^|[^0-9])_|_(?![0-9])/.test(text)
  return misplaced ? undefined : parseGoFloat(text.replaceAll('_', ''))
}

function integerOfFloat(float: number): bigint | undefined {
  if (!Number.isInteger(float)) return undefined
  const integer = BigInt(float)
  return isInt64(integer) ? integer : undefined
}

/**
 * Reads a number, character or complex token as text/template does: `1e3` fits an integer parameter as well as a float.
 * Throws `TemplateError` when it is invalid.
 */
export function numberNode(token: Token): NumberNode {
  const { value: text, offset } = token
  const node = { kind: 'number', offset, text } as const
  if (token.kind === 'characterConstant') {
    const code = unquoteGoCharacter(text, offset)
    return { ...node, integer: BigInt(code), float: code }
  }
  if (token.kind === 'complex') return { ...node, integer: undefined, float: undefined }
  if (text.endsWith('i') && parseFloatLiteral(text.slice(0, -1)) !== undefined) {
    return { ...node, integer: undefined, float: undefined }
  }
  if (PLAIN_DECIMAL.test(text)) return { ...node, integer: BigInt(text), float: Number(text) }
  const integer = parseIntegerLiteral(text)
  if (integer !== undefined && (isInt64(integer) || (integer > 0n && integer <= UINT64_MAX))) {
    return { ...node, integer: isInt64(integer) ? integer : undefined, float: Number(integer) }
  }
  const float = parseFloatLiteral(text)
  if (float === undefined) throw new TemplateError(`illegal number syntax: ${quoteGoString(text)}`, offset)
  if (!/[.eEpP]/.test(text)) throw new TemplateError(`integer overflow: ${quoteGoString(text)}`, offset)
  return { ...node, integer: integerOfFloat(float), float }
}
