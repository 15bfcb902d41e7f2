import { SHORTEST_FINDABLE, withLines } from '../../model/secret-text.ts'
import { formatGoValue, type GoValue, isGoList, isGoMap } from '../../templates/govalue/index.ts'
import type { Redactor } from './redactor.ts'

/**
 * What can be looked for of a secret value: every text and number in it, at any depth. What is called something is no
 * secret, only its value; true and false and numbers of few digits would be found everywhere, so they are hidden only with
 * the value that they are part of.
 */
export function secretTexts(value: unknown): readonly string[] {
  return leavesOf(value, membersOf).flatMap((leaf) => {
    if (typeof leaf === 'string') return leaf === '' ? [] : [leaf]
    return typeof leaf === 'number' || typeof leaf === 'bigint' ? spellingsOf(leaf).filter(isFindable) : []
  })
}

/** The same of a secret of the data, which is looked for however short it is: each value there is judged by itself. */
export function secretTextsOfData(value: GoValue): readonly string[] {
  return leavesOf(value, membersOfData).flatMap((leaf) => {
    if (leaf === null || leaf === '' || typeof leaf === 'boolean') return []
    return typeof leaf === 'number' ? spellingsOf(leaf) : [formatGoValue(leaf)]
  })
}

/** Tells a redactor every text of a secret. */
export function noteTexts(value: unknown, redactor: Redactor): void {
  for (const text of secretTexts(value)) withLines(text).forEach(redactor.addSecret)
}

function isFindable(text: string): boolean {
  return text.length >= SHORTEST_FINDABLE
}

/** A number as JavaScript writes it and as templates do, which for large ones is not the same. */
function spellingsOf(number: number | bigint): readonly string[] {
  return [...new Set([String(number), formatGoValue(number)])]
}

/** The values at the ends of a value that consists of others. */
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
