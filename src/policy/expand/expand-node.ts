import type { Problem } from '../../model/problem.ts'
import { type Evaluator, expandTyped } from '../template/index.ts'
import { type GoValue, isInt64, tooLarge } from '../../templates/govalue/index.ts'
import { hasTemplate } from './has-template.ts'
import { errorAt, type SourceText } from '../document/lines.ts'
import { dataProblem } from './template-error.ts'
import type { TreeNode, TreeScalar } from '../document/tree.ts'

/** The context of expanding parts of a policy. */
export interface Expanding {
  readonly source: SourceText
  /** Expands templates; undefined to leave them as they are. */
  readonly evaluator?: Evaluator
  readonly problems: Problem[]
}

/** The value of data with all texts expanded; a failure is a problem at its position. */
export function expandNode(node: TreeNode, expanding: Expanding): GoValue {
  if (node.kind === 'list') return node.items.map((item) => expandNode(item, expanding))
  return node.kind === 'map' ? expandMap(node, expanding) : expandScalar(node, expanding)
}

/** The value of a map. A member whose template returns nil is left out, so that the default of a lookup applies. */
export function expandMap(node: TreeNode, expanding: Expanding): ReadonlyMap<GoValue, GoValue> {
  const map = new Map<GoValue, GoValue>()
  for (const [key, { value }] of node.kind === 'map' ? node.entries : []) {
    const expanded = expandNode(value, expanding)
    if (expanded !== null || (value.kind === 'scalar' && value.value === null)) map.set(key, expanded)
  }
  return map
}

function expandScalar(node: TreeScalar, { source, evaluator, problems }: Expanding): GoValue {
  const value = valueOf(node)
  if (typeof value === 'bigint' && !isInt64(value)) {
    problems.push(errorAt(source, node.offset, tooLarge(value)))
    return null
  }
  if (typeof value !== 'string' || evaluator === undefined || !hasTemplate(value)) return value
  try {
    return expandTyped(value, evaluator)
  } catch (error) {
    problems.push(dataProblem(source, node, error))
    return null
  }
}

/** Integers are ints, even if written with a fraction of zero: data does not distinguish them. */
function valueOf({ value }: TreeScalar): GoValue {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
}
