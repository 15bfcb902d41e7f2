import { SHORTEST_FINDABLE, withLines } from '../../model/secret-text.ts'
import { formatGoValue, type GoValue, isGoList, isGoMap } from '../../templates/govalue/index.ts'
import type { Redactor } from './redactor.ts'

/**
 * The searchable texts of a secret value: every text and number in it, at any depth. Keys are not secret; booleans and
 * numbers with few digits would match everywhere, so they are hidden only with the value that contains them.
 */
export function secretTexts(value: unknown): readonly string[] {
  return leavesOf(value, membersOf).flatMap((leaf) => {
    if (typeof leaf === 'string') return leaf === '' ? [] : [leaf]
    return typeof leaf === 'number' || typeof leaf === 'bigint' ? spellingsOf(leaf).filter(isFindable) : []
  })
}

/** The searchable texts of secret data, regardless of their length: each value there is checked separately. */
export function secretTextsOfData(value: GoValue): readonly string[] {
  return leavesOf(value, membersOfData).flatMap((leaf) => {
    if (leaf === null || leaf === '' || typeof leaf === 'boolean') return []
    return typeof leaf === 'number' ? spellingsOf(leaf) : [formatGoValue(leaf)]
  })
}

/** Adds every text of a secret to a redactor. */
export function noteTexts(value: unknown, redactor: Redactor): void {
  for (const text of secretTexts(value)) withLines(text).forEach(redactor.addSecret)
}

function isFindable(text: string): boolean {
  return text.length >= SHORTEST_FINDABLE
}

/** A number as JavaScript and as templates print it, which differs for large ones. */
function spellingsOf(number: number | bigint): readonly string[] {
  return [...new Set([String(number), formatGoValue(number)])]
}

function leavesOf<Value>(value: Value, membersIn: (value: Value) => Iterable<Value> | undefined): readonly Value[] {
  const members = membersIn(value)
  return members === undefined ? [value] : [...members].flatMap((member) => leavesOf(member, membersIn))
}

function membersOf(value: unknown): Iterable<unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return value instanceof Map ? value.values() : Object.values(value)
}

function membersOfData(value: GoValue): Iterable<GoValue> | undefined {
  if (isGoMap(value)) return value.values()
  return isGoList(value) ? value : undefined
}
