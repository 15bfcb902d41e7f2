import { compareGoValues, compareStrings, parseGoFloat } from '../govalue/index.ts'
import type { Query } from './path.ts'
import { exists, numberContent, stringContent, truthOf, type GjsonResult } from './result.ts'
import { matchesWildcard } from './wildcard.ts'
import type { Work } from './work.ts'

/** Whether the value selected by a query's path satisfies the query. */
export function isSatisfied(work: Work, query: Query, selected: GjsonResult): boolean {
  if (query.value.startsWith('~')) return satisfiesLoosely(query, selected)
  if (!exists(selected)) return false
  if (query.operator === '') return true
  switch (selected.type) {
    case 'String':
      return compareText(work, stringContent(selected), query)
    case 'Number':
      return compareOrder(
        compareGoValues(numberContent(selected), parseGoFloat(query.value) ?? 0) ?? NaN,
        query.operator,
      )
    case 'True':
    case 'False':
      return compareBoolean(selected.type === 'True', query)
    case 'Null':
    case 'JSON':
      return false
  }
}

/** `~true`, `~false`, `~null` and `~*` first convert the selected or missing value to a boolean. */
function satisfiesLoosely(query: Query, selected: GjsonResult): boolean {
  const answer = looseAnswer(query.value.slice(1), selected)
  if (answer === undefined) return false
  return query.operator === '' || compareBoolean(answer, { ...query, value: 'true' })
}

function looseAnswer(kind: string, selected: GjsonResult): boolean | undefined {
  switch (kind) {
    case '*':
      return exists(selected)
    case 'null':
      return selected.type === 'Null'
    case 'true':
      return truthOf(selected) === true
    case 'false':
      return selected.type === 'Null' || truthOf(selected) === false
  }
  return undefined
}

function compareText(work: Work, text: string, query: Query): boolean {
  if (query.operator === '%') return matchesWildcard(work, text, query.value)
  if (query.operator === '!%') return !matchesWildcard(work, text, query.value)
  return compareOrder(compareStrings(text, query.value), query.operator)
}

function compareBoolean(value: boolean, query: Query): boolean {
  switch (query.operator) {
    case '=':
      return query.value === String(value)
    case '!=':
      return query.value !== String(value)
    case '>':
      return value && query.value === 'false'
    case '<':
      return !value && query.value === 'true'
    case '>=':
      return value
    case '<=':
      return !value
  }
  return false
}

/** Applies a comparison operator to an order; NaN only satisfies inequality. */
function compareOrder(order: number, operator: string): boolean {
  switch (operator) {
    case '=':
      return order === 0
    case '!=':
      return order !== 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
  return false
}
