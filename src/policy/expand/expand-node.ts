import type { Problem } from '../../model/problem.ts'
import { type Evaluator, expandTyped } from '../template/index.ts'
import { type GoValue, isInt64, tooLarge } from '../../templates/govalue/index.ts'
import { hasTemplate } from './has-template.ts'
import { errorAt, type SourceText } from '../document/lines.ts'
import { templateProblem } from './template-error.ts'
import type { TreeNode, TreeScalar } from '../document/tree.ts'

/** What expanding parts of a policy needs: its text for positions, and where problems go. */
export interface Expanding {
  readonly source: SourceText
  /** What expands texts with templates; absent where they stay as they are. */
  readonly evaluator?: Evaluator
  readonly problems: Problem[]
}

/** The value of data as templates see it, every text expanded; what fails is a problem at its place. */
export function expandNode(node: TreeNode, expanding: Expanding): GoValue {
  if (node.kind === 'list') return node.items.map((item) => expandNode(item, expanding))
  return node.kind === 'map' ? expandMap(node, expanding) : expandScalar(node, expanding)
}

/** The value of a map. A member whose template gives nil is left out, so that a lookup's default applies to it. */
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
    problems.push(templateProblem(source, node, error))
    return null
  }
}

/** Whole numbers are ints, also where they are written with a fraction of zero: data knows no other difference. */
function valueOf({ value }: TreeScalar): GoValue {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
}
