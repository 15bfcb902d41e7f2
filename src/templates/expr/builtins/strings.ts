import { TemplateError } from '../../errors.ts'
import type { Budget } from '../../govalue/budget.ts'
import { goTypeName, isGoList } from '../../govalue/type-name.ts'
import { countBytes, mapCase } from '../../govalue/utf8.ts'
import type { GoValue } from '../../govalue/value.ts'
import { INT, BOOL, LIST, STRING, STRINGS, type Signature } from '../types.ts'
import { asIndex, asString, overloaded, signature, type Builtin } from './builtin.ts'

const ONE: Signature = signature([STRING], STRING)
const TWO: Signature = signature([STRING, STRING], STRING)

// White space of strings.TrimSpace; JavaScript's trim lacks U+0085 and adds U+FEFF.
const LEADING_SPACE = /^[\p{White_Space}]+/u
const TRAILING_SPACE = /[\p{White_Space}]$/u

function trimSpace(text: string): string {
  const start = LEADING_SPACE.exec(text)?.[0].length ?? 0
  let end = text.length
  while (end > start && TRAILING_SPACE.test(text[end - 1] ?? '')) end -= 1
  return text.slice(start, end)
}

function trimCharacters(text: string, cutset: string): string {
  const cut = new Set(cutset)
  const points = Array.from(text)
  let start = 0
  let end = points.length
  while (start < end && cut.has(points[start] ?? '')) start += 1
  while (end > start && cut.has(points[end - 1] ?? '')) end -= 1
  return points.slice(start, end).join('')
}

function trim(args: readonly GoValue[]): string {
  const text = asString(args[0])
  return args.length === 1 ? trimSpace(text) : trimCharacters(text, asString(args[1]))
}

function trimPrefix(args: readonly GoValue[]): string {
  const [text, prefix] = [asString(args[0]), args.length > 1 ? asString(args[1]) : ' ']
  return text.startsWith(prefix) ? text.slice(prefix.length) : text
}

function trimSuffix(args: readonly GoValue[]): string {
  const [text, suffix] = [asString(args[0]), args.length > 1 ? asString(args[1]) : ' ']
  return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text
}

/** Go's SplitN: at most `limit` pieces, with the rest in the last; 0 returns an empty list, a negative limit all pieces. */
function splitPieces(text: string, separator: string, limit: number): string[] {
  if (limit === 0) return []
  const pieces = separator === '' ? Array.from(text) : text.split(separator)
  if (limit < 0 || pieces.length <= limit) return pieces
  return [...pieces.slice(0, limit - 1), pieces.slice(limit - 1).join(separator)]
}

function split(args: readonly GoValue[], budget: Budget): string[] {
  const limit = args.length > 2 ? asIndex(args[2]) : -1
  const pieces = splitPieces(asString(args[0]), asString(args[1]), limit)
  budget.produce(pieces.length)
  return pieces
}

function splitAfter(args: readonly GoValue[], budget: Budget): string[] {
  const separator = asString(args[1])
  const pieces = split(args, budget)
  return pieces.map((piece, index) => (index < pieces.length - 1 ? piece + separator : piece))
}

function replace(args: readonly GoValue[], budget: Budget): string {
  const [text, old, replacement] = [asString(args[0]), asString(args[1]), asString(args[2])]
  const limit = args.length > 3 ? asIndex(args[3]) : -1
  const isEverywhere = old === ''
  const pieces = isEverywhere ? ['', ...Array.from(text), ''] : text.split(old)
  const count = limit < 0 ? pieces.length - 1 : Math.min(limit, pieces.length - 1)
  budget.text(text.length + count * replacement.length)
  return pieces.map((piece, index) => (index === 0 ? '' : index <= count ? replacement : old) + piece).join('')
}

function repeat(args: readonly GoValue[], budget: Budget): string {
  const [text, count] = [asString(args[0]), asIndex(args[1])]
  if (count < 0) throw new TemplateError(`invalid argument for repeat (expected positive integer, got ${count})`)
  budget.produce(Math.max(count > 1_000_000 ? Infinity : 0, countBytes(text) * count))
  return text.repeat(count)
}

function join(args: readonly GoValue[], budget: Budget): string {
  const [list = null] = args
  const glue = args.length > 1 ? asString(args[1]) : ''
  if (!isGoList(list)) throw new TemplateError(`invalid argument for join (type ${goTypeName(list)})`)
  const pieces = list.map(asString)
  budget.text(pieces.reduce((length, piece) => length + piece.length + glue.length, 0))
  return pieces.join(glue)
}

function byteOffset(text: string, index: number): bigint {
  return BigInt(index < 0 ? -1 : countBytes(text.slice(0, index)))
}

export const STRING_BUILTINS: readonly Builtin[] = [
  overloaded('trim', [ONE, TWO], trim),
  overloaded('trimPrefix', [TWO, ONE], trimPrefix),
  overloaded('trimSuffix', [TWO, ONE], trimSuffix),
  overloaded('upper', [ONE], (args) => mapCase(asString(args[0]), 'upper')),
  overloaded('lower', [ONE], (args) => mapCase(asString(args[0]), 'lower')),
  overloaded('split', [signature([STRING, STRING], STRINGS), signature([STRING, STRING, INT], STRINGS)], split),
  overloaded(
    'splitAfter',
    [signature([STRING, STRING], STRINGS), signature([STRING, STRING, INT], STRINGS)],
    splitAfter,
  ),
  overloaded(
    'replace',
    [signature([STRING, STRING, STRING, INT], STRING), signature([STRING, STRING, STRING], STRING)],
    replace,
  ),
  overloaded('repeat', [signature([STRING, INT], STRING)], repeat),
  overloaded(
    'join',
    [
      signature([LIST, STRING], STRING),
      signature([LIST], STRING),
      signature([STRINGS, STRING], STRING),
      signature([STRINGS], STRING),
    ],
    join,
  ),
  overloaded('indexOf', [signature([STRING, STRING], INT)], (args) => {
    const text = asString(args[0])
    return byteOffset(text, text.indexOf(asString(args[1])))
  }),
  overloaded('lastIndexOf', [signature([STRING, STRING], INT)], (args) => {
    const text = asString(args[0])
    return byteOffset(text, text.lastIndexOf(asString(args[1])))
  }),
  overloaded('hasPrefix', [signature([STRING, STRING], BOOL)], (args) =>
    asString(args[0]).startsWith(asString(args[1])),
  ),
  overloaded('hasSuffix', [signature([STRING, STRING], BOOL)], (args) => asString(args[0]).endsWith(asString(args[1]))),
]
