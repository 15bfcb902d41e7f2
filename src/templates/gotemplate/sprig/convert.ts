import { floatToInt64, isInt64, type Budget, type GoValue, isGoBytes, isGoList } from '../../govalue/index.ts'
import { fromByteText } from '../byte-text.ts'
import { isGoEnum, isGoInt64 } from '../kinds.ts'
import { parseFloatLiteral, parseIntegerLiteral } from '../number-literal.ts'
import { valueText } from '../text-value.ts'

/** sprig's `strval`: text unchanged, bytes as text, other values as `%v`. */
export function textOf(value: GoValue, budget: Budget): string {
  if (typeof value === 'string') return value
  if (isGoBytes(value)) return fromByteText(Buffer.from(value).toString('latin1'))
  return valueText(value, budget)
}

/** cast's `ToInt64`: floats are truncated, text is parsed as a Go literal, true is 1; invalid values are 0. */
export function toInt64(value: GoValue): bigint {
  switch (typeof value) {
    case 'bigint':
      return value
    case 'number':
      return floatToInt64(value)
    case 'boolean':
      return value ? 1n : 0n
    case 'string':
      return parseInt64(value)
    default:
      return isGoEnum(value) || isGoInt64(value) ? value.value : 0n
  }
}

function parseInt64(text: string): bigint {
  // cast truncates plain decimals, so "22.04" is 22.
  const [, whole, fraction] = /^([-+]?[0-9]*)(\.[0-9]*)?$/.exec(text) ?? []
  const integer = parseIntegerLiteral(
    fraction === undefined ? text : `${whole}${/[0-9]$/.test(whole ?? '') ? '' : '0'}`,
  )
  return integer !== undefined && isInt64(integer) ? integer : 0n
}

/** cast's `ToFloat64`: invalid values are 0. */
export function toFloat64(value: GoValue): number {
  switch (typeof value) {
    case 'number':
      return value
    case 'bigint':
      return Number(value)
    case 'boolean':
      return value ? 1 : 0
    case 'string':
      return parseFloatLiteral(value) ?? 0
    default:
      return isGoEnum(value) || isGoInt64(value) ? Number(value.value) : 0
  }
}

/** sprig's `strslice`: the items of a list as text, without nil; any other value becomes a list of one item. */
export function textsOf(value: GoValue, budget: Budget): string[] {
  if (value === null) return []
  if (isGoBytes(value)) return Array.from(value, String)
  if (!isGoList(value)) return [textOf(value, budget)]
  return value.flatMap((item) => (item === null ? [] : [textOf(item, budget)]))
}
