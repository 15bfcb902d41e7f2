import { TemplateError } from '../../errors.ts'
import { formatGoValue } from '../../govalue/format.ts'
import { decodeGoJson } from '../../govalue/json-decode.ts'
import { encodeGoJson } from '../../govalue/json-encode.ts'
import { tagGoValue, type GoKind } from '../../govalue/type-name.ts'
import { decodeUtf8, encodeUtf8 } from '../../govalue/utf8.ts'
import type { GoValue } from '../../govalue/value.ts'
import { STRING, UNKNOWN } from '../types.ts'
import { asString, overloaded, signature, type Builtin } from './builtin.ts'

const TYPE_NAMES: Readonly<Record<Exclude<GoKind, 'enum'>, string>> = {
  nil: 'nil',
  bool: 'bool',
  int: 'int',
  float: 'float',
  string: 'string',
  bytes: 'array',
  list: 'array',
  map: 'map',
  duration: 'time.Duration',
  time: 'time.Time',
  location: 'time.Location',
  function: 'func',
}

/** Result of `type(x)`. */
export function exprTypeName(value: GoValue): string {
  const tagged = tagGoValue(value)
  return tagged.kind === 'enum' ? tagged.value.type : TYPE_NAMES[tagged.kind]
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function fromBase64(text: string): string {
  const compact = text.replace(/[\r\n]/g, '')
  if (!BASE64.test(compact)) {
    const valid = /^[A-Za-z0-9+/]*={0,2}/.exec(compact)?.[0].length ?? 0
    const at = valid < compact.length ? valid : compact.length - (compact.length % 4)
    throw new TemplateError(`illegal base64 data at input byte ${at}`)
  }
  return decodeUtf8(Buffer.from(compact, 'base64'))
}

export const CONVERSION_BUILTINS: readonly Builtin[] = [
  overloaded('type', [signature([UNKNOWN], STRING)], ([value = null]) => exprTypeName(value)),
  overloaded('string', [signature([UNKNOWN], STRING)], ([value = null], budget) => formatGoValue(value, budget)),
  overloaded('toJSON', [signature([UNKNOWN], STRING)], ([value = null], budget) =>
    encodeGoJson(value, { indent: '  ', budget }),
  ),
  overloaded('fromJSON', [signature([STRING], UNKNOWN)], ([text], budget) => decodeGoJson(asString(text), { budget })),
  overloaded('toBase64', [signature([STRING], STRING)], ([value], budget) => {
    const bytes = encodeUtf8(asString(value))
    budget.text(Math.ceil(bytes.length / 3) * 4)
    return Buffer.from(bytes).toString('base64')
  }),
  overloaded('fromBase64', [signature([STRING], STRING)], ([value], budget) => {
    const text = asString(value)
    budget.text(text.length)
    return fromBase64(text)
  }),
]
