import { TemplateError } from '../errors.ts'
import {
  countBytes,
  decodeUtf8,
  encodeGoJson,
  encodeUtf8,
  isGoBytes,
  isGoList,
  isGoMap,
  type GoValue,
} from '../govalue/index.ts'
import * as strings from './go-strings.ts'
import { toWholeNumber } from './operators.ts'
import {
  isSpecial,
  jetTypeName,
  toGoValue,
  type JetBuiltin,
  type JetCall,
  type JetHidden,
  type JetValue,
  type JetWriter,
} from './values.ts'

/**
 * The functions of every Jet template, except `dump`, which prints Go internals.
 * @see https://github.com/CloudyKit/jet/blob/master/docs/builtins.md
 */
export const BUILTINS: ReadonlyMap<string, JetBuiltin | JetWriter> = new Map(
  [
    builtin('lower', 1, (call) => strings.toLower(text(call, 0))),
    builtin('upper', 1, (call) => strings.toUpper(text(call, 0))),
    builtin('hasPrefix', 2, (call) => text(call, 0).startsWith(text(call, 1))),
    builtin('hasSuffix', 2, (call) => text(call, 0).endsWith(text(call, 1))),
    builtin('repeat', 2, (call) => strings.repeat(text(call, 0), wholeArgument(call, 1), call.budget)),
    builtin('replace', 4, (call) => {
      const options = { from: text(call, 1), to: text(call, 2), limit: wholeArgument(call, 3) }
      return strings.replace(text(call, 0), options, call.budget)
    }),
    builtin('split', 2, (call) => strings.split(text(call, 0), text(call, 1), call.budget)),
    builtin('trimSpace', 1, (call) => strings.trimSpace(text(call, 0))),
    builtin('html', 1, (call) => strings.escapeHtml(text(call, 0))),
    builtin('url', 1, (call) => strings.queryEscape(text(call, 0))),
    builtin('json', 1, (call) => encodeUtf8(encodeGoJson(requireArgument(call, 0), { budget: call.budget }))),
    builtin('writeJson', 1, (call) => {
      return { kind: 'rendered', text: `${encodeGoJson(requireArgument(call, 0), { budget: call.budget })}\n` }
    }),
    builtin('map', [0, Infinity], newMap),
    builtin('slice', [0, Infinity], newList),
    builtin('array', [0, Infinity], newList),
    builtin('isset', [1, Infinity], (call) => indexes(call).every((index) => call.isSet(index))),
    builtin('len', 1, length),
    builtin('ints', 2, ints),
    builtin('exec', [1, 2], execute),
    builtin('includeIfExists', [1, 2], includeIfExists),
    writer('safeHtml', strings.escapeTemplateHtml),
    writer('safeJs', strings.escapeJs),
    writer('raw', (printed) => printed),
    writer('unsafe', (printed) => printed),
  ].map((entry) => [entry.name, entry]),
)

function builtin(
  name: string,
  count: number | readonly [least: number, most: number],
  call: JetBuiltin['call'],
): JetBuiltin | JetWriter {
  const [least, most] = typeof count === 'number' ? [count, count] : count
  return {
    kind: 'builtin',
    name,
    call: (site) => {
      if (site.count >= least && site.count <= most) return call(site)
      const needed =
        least === most ? `${least} arguments` : most === Infinity ? `at least ${least}` : `${least} or ${most}`
      throw new TemplateError(
        `unexpected number of arguments in a call to ${name}: needs ${needed}, but have ${site.count}`,
      )
    },
  }
}

function writer(name: string, write: JetWriter['write']): JetBuiltin | JetWriter {
  return { kind: 'writer', name, write }
}

function indexes(call: JetCall): readonly number[] {
  return Array.from({ length: call.count }, (_, index) => index)
}

// Go would convert an int to the rune of that code, which is never intended.
function text(call: JetCall, index: number): string {
  const value = call.value(index)
  const result = value !== undefined && !isSpecial(value) && isGoBytes(value) ? decodeUtf8(value) : value
  if (typeof result !== 'string') {
    throw new TemplateError(`argument for position ${index} must be a string, not ${jetTypeName(value)}`)
  }
  call.budget.step(1 + (result.length >> 4))
  return result
}

function wholeArgument(call: JetCall, index: number): bigint {
  const value = call.value(index)
  const number = toWholeNumber(value)
  if (number === undefined) {
    throw new TemplateError(`argument for position ${index} must be a number, not ${jetTypeName(value)}`)
  }
  return number
}

function requireArgument(call: JetCall, index: number): GoValue {
  const value = call.value(index)
  if (value === undefined) throw new TemplateError(`argument for position ${index} is not a valid value`)
  return toGoValue(value)
}

function newMap(call: JetCall): JetValue {
  if (call.count % 2 > 0) {
    throw new TemplateError('map(): incomplete key-value pair (even number of arguments required)')
  }
  call.budget.produce(call.count)
  const map = new Map<GoValue, GoValue>()
  for (let index = 0; index < call.count; index += 2) {
    const key = text(call, index)
    const value = call.value(index + 1)
    // Setting `undefined` removes the key, as in Go.
    if (value === undefined) map.delete(key)
    else map.set(key, toGoValue(value))
  }
  return map
}

function newList(call: JetCall): JetValue {
  call.budget.produce(call.count)
  return indexes(call).map((index) => requireArgument(call, index))
}

function length(call: JetCall): JetValue {
  const value = call.value(0)
  if (typeof value === 'string') return BigInt(countBytes(value))
  if (value !== undefined && !isSpecial(value)) {
    if (isGoList(value) || isGoBytes(value)) return BigInt(value.length)
    if (isGoMap(value)) return BigInt(value.size)
  }
  if (value === undefined) throw new TemplateError('len(): argument is not a valid value')
  throw new TemplateError(`len(): invalid value type ${jetTypeName(value)}`)
}

function ints(call: JetCall): JetValue {
  const from = wholeArgument(call, 0)
  const to = wholeArgument(call, 1)
  if (to <= from) throw new TemplateError("invalid range for ints ranger: 'from' must be smaller than 'to'")
  return { kind: 'ints', from, to }
}

function execute(call: JetCall): JetValue {
  const path = text(call, 0)
  const result = call.render(path, { output: 'discard', ...contextOf(call) })
  if (result === undefined)
    throw new TemplateError(`exec(${path}): template ${toAbsolutePath(path)} could not be found`)
  return result.returned
}

function includeIfExists(call: JetCall): JetHidden {
  const result = call.render(text(call, 0), { output: 'print', ...contextOf(call) })
  return { kind: 'hidden', value: result !== undefined }
}

function contextOf(call: JetCall): { readonly context?: { readonly value: JetValue } } {
  return call.count > 1 ? { context: { value: call.value(1) } } : {}
}

function toAbsolutePath(path: string): string {
  return path.startsWith('/') ? path : `/${path}`
}
