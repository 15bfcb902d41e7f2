import { TemplateError } from '../../errors.ts'
import { chargeText } from '../text-value.ts'
import { fromByteText, toByteText } from '../byte-text.ts'
import { fixed, renamed, variadic, type TemplateFunction } from '../functions.ts'
import { quoteGoString } from '../go-quote.ts'
import { trimRunes, trimSpace } from '../runes.ts'
import { mapCase, stringMap, type Budget, type GoValue } from '../../govalue/index.ts'
import { textOf, textsOf } from './convert.ts'

/** Counts the occurrences of `separator`, to compute the size of a result in advance. */
function countOccurrences(text: string, separator: string): number {
  if (separator === '') return text.length + 1
  let count = 0
  for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + separator.length)) count += 1
  return count
}

function repeat(count: bigint, text: string, budget: Budget): string {
  if (count < 0n) throw new TemplateError('strings: negative Repeat count')
  chargeText(budget, Number(count) * text.length)
  return text.repeat(Number(count))
}

function replaceAll(from: string, to: string, text: string, budget: Budget): string {
  chargeText(budget, text.length + countOccurrences(text, from) * to.length)
  if (from !== '') return text.split(from).join(to)
  // Go inserts the replacement before every rune and at the end.
  return to + Array.from(text, (rune) => rune + to).join('')
}

function indent(spaces: bigint, text: string, budget: Budget): string {
  if (spaces < 0n) throw new TemplateError('strings: negative Repeat count')
  chargeText(budget, Number(spaces) * (countOccurrences(text, '\n') + 1))
  const pad = ' '.repeat(Number(spaces))
  return pad + text.replaceAll('\n', `\n${pad}`)
}

function truncate(count: bigint, text: string): string {
  const bytes = toByteText(text)
  const length = BigInt(bytes.length)
  if (count < 0n && length + count > 0n) return fromByteText(bytes.slice(Number(length + count)))
  return count >= 0n && length > count ? fromByteText(bytes.slice(0, Number(count))) : text
}

function substring(start: bigint, end: bigint, text: string): string {
  const bytes = toByteText(text)
  const length = BigInt(bytes.length)
  const from = start < 0n ? 0n : start
  const to = start >= 0n && (end < 0n || end > length) ? length : end
  if (from > to || to > length || to < 0n) {
    const bounds = from > to ? `[${from}:${to}]` : `[:${to}] with length ${length}`
    throw new TemplateError(`runtime error: slice bounds out of range ${bounds}`)
  }
  return fromByteText(bytes.slice(Number(from), Number(to)))
}

function join(separator: string, value: GoValue, budget: Budget): string {
  const texts = textsOf(value, budget)
  chargeText(
    budget,
    texts.reduce((sum, text) => sum + text.length + separator.length, 0),
  )
  return texts.join(separator)
}

function splitInto(text: string, separator: string, limit: bigint): string[] {
  if (limit === 0n) return []
  const parts = separator === '' ? Array.from(text) : text.split(separator)
  if (limit < 0n || BigInt(parts.length) <= limit) return parts
  const count = Number(limit)
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)]
}

/** The parts as a dict with the keys `_0`, `_1`… */
function numbered(parts: readonly string[]): GoValue {
  return stringMap(parts.map((part, index) => [`_${index}`, part]))
}

function notNil(values: readonly GoValue[]): GoValue[] {
  return values.filter((value) => value !== null)
}

function cat(values: readonly GoValue[], budget: Budget): string {
  // sprig formats with "%v %v" and trims the format only, not the result.
  const texts = notNil(values).map((value) => textOf(value, budget))
  chargeText(
    budget,
    texts.reduce((sum, text) => sum + text.length + 1, 0),
  )
  return texts.join(' ')
}

function quoteAll(values: readonly GoValue[], budget: Budget): string {
  const texts = textsOf(values, budget)
  chargeText(
    budget,
    texts.reduce((sum, text) => sum + text.length * 10, 0),
  )
  return texts.map((text) => quoteGoString(text)).join(' ')
}

const trimAll = fixed('trimAll', ['string', 'string'], ([cut, text]) => {
  const runes = new Set(cut)
  return trimRunes(text, (rune) => runes.has(rune))
})

/** Functions that split, join and compare text. Offsets and lengths count bytes, as in Go. */
export const STRING_FUNCTIONS: readonly TemplateFunction[] = [
  fixed('trim', ['string'], ([text]) => trimSpace(text)),
  trimAll,
  renamed(trimAll, 'trimall'),
  fixed('trimSuffix', ['string', 'string'], ([suffix, text]) =>
    suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text,
  ),
  fixed('trimPrefix', ['string', 'string'], ([prefix, text]) =>
    text.startsWith(prefix) ? text.slice(prefix.length) : text,
  ),
  fixed('upper', ['string'], ([text]) => mapCase(text, 'upper')),
  fixed('lower', ['string'], ([text]) => mapCase(text, 'lower')),
  fixed('trunc', ['integer', 'string'], ([count, text]) => truncate(count, text)),
  fixed('substr', ['integer', 'integer', 'string'], ([start, end, text]) => substring(start, end, text)),
  fixed('repeat', ['integer', 'string'], ([count, text], { budget }) => repeat(count, text, budget)),
  fixed('contains', ['string', 'string'], ([part, text]) => text.includes(part)),
  fixed('hasPrefix', ['string', 'string'], ([prefix, text]) => text.startsWith(prefix)),
  fixed('hasSuffix', ['string', 'string'], ([suffix, text]) => text.endsWith(suffix)),
  fixed('replace', ['string', 'string', 'string'], ([from, to, text], { budget }) =>
    replaceAll(from, to, text, budget),
  ),
  fixed('indent', ['integer', 'string'], ([spaces, text], { budget }) => indent(spaces, text, budget)),
  fixed('nindent', ['integer', 'string'], ([spaces, text], { budget }) => `\n${indent(spaces, text, budget)}`),
  fixed('plural', ['string', 'string', 'integer'], ([one, many, count]) => (count === 1n ? one : many)),
  fixed('join', ['string', 'any'], ([separator, value], { budget }) => join(separator, value, budget)),
  fixed('split', ['string', 'string'], ([separator, text]) => numbered(splitInto(text, separator, -1n))),
  fixed('splitn', ['string', 'integer', 'string'], ([separator, limit, text]) =>
    numbered(splitInto(text, separator, limit)),
  ),
  fixed('splitList', ['string', 'string'], ([separator, text]) => splitInto(text, separator, -1n)),
  fixed('toStrings', ['any'], ([value], { budget }) => textsOf(value, budget)),
  fixed('toString', ['any'], ([value], { budget }) => textOf(value, budget)),
  variadic('cat', [[], 'any'], (_, values, { budget }) => cat(values, budget)),
  variadic('quote', [[], 'any'], (_, values, { budget }) => quoteAll(values, budget)),
  variadic('squote', [[], 'any'], (_, values, { budget }) =>
    notNil(values)
      .map((value) => `'${textOf(value, budget)}'`)
      .join(' '),
  ),
  fixed('abbrev', ['integer', 'string'], ([width, text]) => (width < 4n ? text : abbreviate(text, 0, Number(width)))),
  fixed('abbrevboth', ['integer', 'integer', 'string'], ([left, right, text]) =>
    right < 4n || (left > 0n && right < 7n) ? text : abbreviate(text, Number(left), Number(right)),
  ),
]

/** goutils' `AbbreviateFull`: at most `width` bytes from about `offset` on, with dots for omitted text. */
function abbreviate(text: string, offset: number, width: number): string {
  return fromByteText(abbreviateBytes(toByteText(text), offset, width))
}

function abbreviateBytes(bytes: string, offset: number, width: number): string {
  const { length } = bytes
  if (length <= width) return bytes
  const room = width - 3
  const start = Math.min(offset, length, length - room)
  if (start <= 4) return `${bytes.slice(0, room)}...`
  if (start + room < length) return `...${abbreviateBytes(bytes.slice(start), 0, room)}`
  return `...${bytes.slice(length - room)}`
}
