import { build } from './build-node.ts'
import { advance, isAt, describeToken, expect, failAt, unexpectedToken, type Cursor } from './cursor.ts'
import type { ExprNode, MapEntry } from './syntax.ts'

/** Parses one whole expression; passed in to avoid import cycles. */
export type ParseItem = (cursor: Cursor) => ExprNode

/** `(a, b)` with an optional trailing comma; `given` is the piped value before the arguments. */
export function parseArguments(cursor: Cursor, given: readonly ExprNode[], parseItem: ParseItem): ExprNode[] {
  expect(cursor, 'Bracket', '(')
  const args = [...given]
  let isFirst = true
  while (!isAt(cursor, 'Bracket', ')')) {
    if (!isFirst) expect(cursor, 'Operator', ',')
    if (!isFirst && isAt(cursor, 'Bracket', ')')) break
    isFirst = false
    args.push(parseItem(cursor))
  }
  expect(cursor, 'Bracket', ')')
  return args
}

/** `[a, b]`. */
export function parseList(cursor: Cursor, parseItem: ParseItem): ExprNode {
  const { offset } = expect(cursor, 'Bracket', '[')
  const items: ExprNode[] = []
  while (!isAt(cursor, 'Bracket', ']')) {
    if (items.length > 0) expect(cursor, 'Operator', ',')
    if (items.length > 0 && isAt(cursor, 'Bracket', ']')) break
    items.push(parseItem(cursor))
  }
  expect(cursor, 'Bracket', ']')
  return build(cursor, { kind: 'list', offset, items }, items)
}

/** `{a: 1, "b": 2, (key): 3}`. */
export function parseMap(cursor: Cursor, parseItem: ParseItem): ExprNode {
  const { offset } = expect(cursor, 'Bracket', '{')
  const entries: MapEntry[] = []
  while (!isAt(cursor, 'Bracket', '}')) {
    if (entries.length > 0) expect(cursor, 'Operator', ',')
    if (entries.length > 0 && isAt(cursor, 'Bracket', '}')) break
    if (entries.length > 0 && isAt(cursor, 'Operator', ',')) throw unexpectedToken(cursor)
    const key = parseMapKey(cursor, parseItem)
    expect(cursor, 'Operator', ':')
    entries.push({ key, value: parseItem(cursor) })
  }
  expect(cursor, 'Bracket', '}')
  const children = entries.flatMap(({ key, value }) => [key, value])
  return build(cursor, { kind: 'map', offset, entries }, children)
}

function parseMapKey(cursor: Cursor, parseItem: ParseItem): ExprNode {
  const { kind, text, offset } = cursor.current
  if (kind === 'Number' || kind === 'String' || kind === 'Identifier') {
    advance(cursor)
    return build(cursor, { kind: 'string', offset, value: text }, [])
  }
  if (isAt(cursor, 'Bracket', '(')) return parseItem(cursor)
  const wanted = 'a quoted string, a number, a identifier, or an expression enclosed in parentheses'
  throw failAt(cursor, `a map key must be ${wanted} (unexpected token ${describeToken(cursor.current)})`)
}
