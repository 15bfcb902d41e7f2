import { formatGoValue, fromPlain, parseGoFloat } from '../../../../templates/govalue/index.ts'
import type { GossContent } from '../resource.ts'
import { isList } from './parse.ts'

/** Converts a value to text as Go prints it; list items become lines. */
export function asText(value: GossContent): string {
  return isList(value) ? value.map(asText1).join('\n') : asText1(value)
}

function asText1(value: GossContent): string {
  return formatGoValue(fromPlain(value))
}

/** Converts a value to a number; undefined if invalid. */
export function asNumber(value: GossContent): number | undefined {
  if (typeof value === 'number') return value
  const isText = typeof value === 'string' || (isList(value) && value.every((item) => typeof item === 'string'))
  return isText ? parseGoFloat(asText(value).trim()) : undefined
}

/** Converts a value to a list: a text becomes its lines, with an empty one after a trailing newline. */
export function asList(value: GossContent): GossContent {
  return typeof value === 'string' ? value.split('\n') : value
}

/** The elements of a list or map; undefined for other values. */
export function elementsOf(value: GossContent): readonly GossContent[] | undefined {
  if (isList(value)) return value
  return typeof value === 'object' && value !== null ? Object.values(value) : undefined
}

/** Deep equality; the order of lists matters. */
export function isSame(left: GossContent, right: GossContent): boolean {
  if (isList(left) || isList(right)) {
    if (!isList(left) || !isList(right) || left.length !== right.length) return false
    return left.every((item, index) => isSame(item, right[index] ?? null))
  }
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right
  const keys = Object.keys(left)
  const other: Readonly<Record<string, GossContent>> = right
  const own: Readonly<Record<string, GossContent>> = left
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(own[key] ?? null, other[key] ?? null))
  )
}
