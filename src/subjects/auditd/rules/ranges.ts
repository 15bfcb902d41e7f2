import type { AuditField } from './fields.ts'

/** Conditions that an event meets together. */
type Conditions = readonly AuditField[]

/** The possible values of a field: `from` to `to`, except those in `without`. */
interface Range {
  readonly from: number
  readonly to: number
  readonly without: ReadonlySet<number>
}

const ALL: Range = { from: 0, to: 0xff_ff_ff_ff, without: new Set() }

/** The smallest exit value that is an error. @see IS_ERR_VALUE in linux/err.h */
const FIRST_ERROR = 0xff_ff_f0_01

/** Whether every event that meets the conditions also meets the desired one. */
export function implies(conditions: Conditions, wanted: AuditField): boolean {
  if (conditions.some((each) => isSame(each, wanted))) return true
  if (wanted.kind === 'number') return withinRange(rangeOf(conditions, wanted.name), wanted)
  if (wanted.kind !== 'text' || wanted.operator !== '!=') return false
  const exactly = conditions.find(({ name, kind, operator }) => {
    return name === wanted.name && kind === 'text' && operator === '='
  })
  return exactly !== undefined && exactly.value !== wanted.value
}

/** Whether no event can meet both sets of conditions; false if unknown. */
export function areDisjoint(left: Conditions, right: Conditions): boolean {
  return right.some((each) => {
    if (each.kind !== 'number') return left.some((other) => contradict(each, other) || contradict(other, each))
    const related = each.name === 'exit' || each.name === 'success' ? RESULTS : [each.name]
    if (!left.some(({ name }) => related.includes(name))) return false
    return isEmpty(rangeOf([...left, ...right], each.name))
  })
}

/** Two fields for the result of a system call. */
const RESULTS = ['exit', 'success']

/** Whether no event can meet all of the conditions. */
export function areImpossible(conditions: Conditions): boolean {
  return conditions.some((each) => areDisjoint(conditions, [each]))
}

function isSame(left: AuditField, right: AuditField): boolean {
  return (
    left.kind === right.kind &&
    left.name === right.name &&
    left.operator === right.operator &&
    left.value === right.value
  )
}

/** Compares two conditions on texts or on pairs of fields. */
function contradict(left: AuditField, right: AuditField): boolean {
  if (left.kind === 'number' || left.kind !== right.kind || left.name !== right.name || left.operator !== '=')
    return false
  if (left.kind === 'compare') return right.operator === '!=' && left.value === right.value
  return right.operator === '=' ? left.value !== right.value : right.operator === '!=' && left.value === right.value
}

function rangeOf(conditions: Conditions, name: string): Range {
  let range = ALL
  for (const each of conditions) {
    const { kind, operator, value } = each
    if (kind !== 'number') continue
    if (each.name === name) range = narrowRange(range, operator, value)
    // A system call fails if and only if its exit value is an error.
    else if (each.name === 'exit' && name === 'success') range = narrowRange(range, '=', successOf(conditions) ?? -1)
    else if (each.name === 'success' && name === 'exit')
      range = narrowRange(range, value === 0 ? '>=' : '<', FIRST_ERROR)
  }
  return range
}

function successOf(conditions: Conditions): number | undefined {
  const results = conditions.filter(({ name }) => name === 'exit')
  const { from, to } = tightenRange(rangeOf(results, 'exit'))
  return from >= FIRST_ERROR ? 0 : to < FIRST_ERROR ? 1 : undefined
}

function narrowRange({ from, to, without }: Range, operator: string, value: number): Range {
  switch (operator) {
    case '=':
      return value < 0 ? { from, to, without } : { from: Math.max(from, value), to: Math.min(to, value), without }
    case '!=':
      return { from, to, without: new Set([...without, value]) }
    case '>=':
      return { from: Math.max(from, value), to, without }
    case '>':
      return { from: Math.max(from, value + 1), to, without }
    case '<=':
      return { from, to: Math.min(to, value), without }
    case '<':
      return { from, to: Math.min(to, value - 1), without }
    default:
      return { from, to, without }
  }
}

/** Moves the bounds past excluded values. */
function tightenRange({ from, to, without }: Range): Range {
  let [low, high] = [from, to]
  while (low <= high && without.has(low)) low += 1
  while (high >= low && without.has(high)) high -= 1
  return { from: low, to: high, without }
}

function isEmpty(range: Range): boolean {
  const { from, to } = tightenRange(range)
  return from > to
}

function withinRange(range: Range, { operator, value }: AuditField & { readonly kind: 'number' }): boolean {
  const { from, to, without } = tightenRange(range)
  switch (operator) {
    case '=':
      return from === value && to === value
    case '!=':
      return value < from || value > to || without.has(value)
    case '>=':
      return from >= value
    case '>':
      return from > value
    case '<=':
      return to <= value
    case '<':
      return to < value
    default:
      // Bit masks are compared only as they are written.
      return false
  }
}
