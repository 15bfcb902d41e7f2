import { TemplateError } from '../errors.ts'
import { compareGoValues } from '../govalue/compare.ts'
import { NIL_LIST } from '../govalue/nil-list.ts'
import { goTypeName, isGoBytes, isGoList, isGoMap } from '../govalue/type-name.ts'
import { anyKeyMap, guardMap } from '../govalue/typed-map.ts'
import type { GoValue } from '../govalue/value.ts'
import { storedKey } from './access.ts'
import { add, lessThan } from './arithmetic.ts'
import { asBool, asString } from './builtins/builtin.ts'
import { itemsOf, type Evaluate, type Items, type Scope } from './scope.ts'
import type { BuiltinNode, ExprNode } from './syntax.ts'

interface Run {
  readonly items: Items
  /** Whether the items are a list literal without further processing. */
  readonly isLiteral: boolean
  readonly scope: Scope
  /** Result of the predicate for an element; without a predicate, the element itself. */
  readonly result: (index: number, accumulator?: GoValue) => GoValue
  /** The third argument, evaluated after the first. */
  readonly extra: () => GoValue | undefined
}

/** Evaluates a call of `all`, `filter`, `reduce` and the like. */
export function evaluatePredicateCall(node: BuiltinNode, scope: Scope, evaluate: Evaluate<ExprNode>): GoValue {
  const [collection, predicate, extra] = node.args
  const handler = HANDLERS.get(node.name)
  if (handler === undefined || collection === undefined) throw new TemplateError(`unknown builtin ${node.name}`)
  const items = itemsOf(evaluate(collection, scope))
  const body = predicate?.kind === 'predicate' ? predicate.body : predicate
  const result = (index: number, accumulator: GoValue = null): GoValue => {
    scope.machine.budget.step()
    if (body === undefined) return items.at(index)
    return evaluate(body, { ...scope, pointer: { items, index, accumulator } })
  }
  const isLiteral = scope.machine.optimized && collection.kind === 'list' && predicate === undefined
  const evaluateExtra = (): GoValue | undefined => (extra === undefined ? undefined : evaluate(extra, scope))
  return handler({ items, isLiteral, scope, result, extra: evaluateExtra })
}

function matching(run: Run, wanted: boolean, limit = Infinity): number[] {
  const indexes: number[] = []
  for (let index = 0; index < run.items.length && indexes.length < limit; index += 1) {
    if (asBool(run.result(index)) === wanted) indexes.push(index)
  }
  return indexes
}

function lastMatch(run: Run): number | undefined {
  for (let index = run.items.length - 1; index >= 0; index -= 1) {
    if (asBool(run.result(index))) return index
  }
  return undefined
}

function itemAt(run: Run, index: number | undefined): GoValue {
  return index === undefined ? null : run.items.at(index)
}

function indexValue(index: number | undefined): GoValue {
  return index === undefined ? null : BigInt(index)
}

function produce(run: Run, values: GoValue[]): GoValue[] {
  run.scope.machine.budget.produce(values.length)
  return values
}

function mapItems(run: Run): GoValue {
  const values: GoValue[] = []
  for (let index = 0; index < run.items.length; index += 1) values.push(run.result(index))
  return produce(run, values)
}

function filterItems(run: Run): GoValue {
  return produce(
    run,
    matching(run, true).map((index) => run.items.at(index)),
  )
}

/** expr-lang expands the sum of a literal list of several items to additions, so that text is joined too. */
function sumLiteral({ items, scope }: Run): GoValue {
  let total = items.at(items.length - 1)
  for (let index = items.length - 2; index >= 0; index -= 1) total = add(items.at(index), total, scope.machine.budget)
  return total
}

function sum(run: Run): GoValue {
  if (run.isLiteral && run.items.length > 1) return sumLiteral(run)
  let total: GoValue = 0n
  for (let index = 0; index < run.items.length; index += 1) {
    total = add(run.result(index), total, run.scope.machine.budget)
  }
  return total
}

function groupBy(run: Run): GoValue {
  const groups = new Map<GoValue, GoValue[]>()
  for (let index = 0; index < run.items.length; index += 1) {
    const key = run.result(index)
    if (isGoList(key) || isGoMap(key) || isGoBytes(key)) {
      throw new TemplateError(`cannot use ${goTypeName(key)} as a key for groupBy: type is not comparable`)
    }
    if (typeof key === 'object') run.scope.machine.budget.step(groups.size)
    const known = groups.get(storedKey(groups, key))
    if (known === undefined) groups.set(key, [run.items.at(index)])
    else known.push(run.items.at(index))
  }
  run.scope.machine.budget.produce(run.items.length)
  // A missing group is a nil list.
  return guardMap(anyKeyMap(groups), { missing: () => NIL_LIST })
}

function sortBy(run: Run): GoValue {
  const order = asString(run.extra() ?? 'asc')
  if (order !== 'asc' && order !== 'desc') throw new TemplateError('unknown order, use asc or desc')
  const sign = order === 'asc' ? 1 : -1
  const keyed: { key: GoValue; item: GoValue }[] = []
  for (let index = 0; index < run.items.length; index += 1) {
    keyed.push({ key: run.result(index), item: run.items.at(index) })
  }
  keyed.sort((a, b) => {
    run.scope.machine.budget.step()
    const difference = compareGoValues(a.key, b.key)
    if (difference === undefined) lessThan(a.key, b.key)
    return sign * (difference ?? 0)
  })
  return produce(
    run,
    keyed.map(({ item }) => item),
  )
}

function reduce(run: Run): GoValue {
  const initial = run.extra()
  if (initial === undefined && run.items.length === 0) {
    throw new TemplateError('reduce of empty array with no initial value')
  }
  let accumulator = initial === undefined ? run.items.at(0) : initial
  for (let index = initial === undefined ? 1 : 0; index < run.items.length; index += 1) {
    accumulator = run.result(index, accumulator)
  }
  return accumulator
}

const HANDLERS: ReadonlyMap<string, (run: Run) => GoValue> = new Map<string, (run: Run) => GoValue>([
  ['all', (run) => matching(run, false, 1).length === 0],
  ['none', (run) => matching(run, true, 1).length === 0],
  ['any', (run) => matching(run, true, 1).length > 0],
  ['one', (run) => matching(run, true).length === 1],
  ['count', (run) => BigInt(matching(run, true).length)],
  ['find', (run) => itemAt(run, matching(run, true, 1)[0])],
  ['findIndex', (run) => indexValue(matching(run, true, 1)[0])],
  ['findLast', (run) => itemAt(run, lastMatch(run))],
  ['findLastIndex', (run) => indexValue(lastMatch(run))],
  ['filter', filterItems],
  ['map', mapItems],
  ['sum', sum],
  ['groupBy', groupBy],
  ['sortBy', sortBy],
  ['reduce', reduce],
])
