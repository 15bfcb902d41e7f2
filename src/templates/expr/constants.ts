import type { ExprNode } from './syntax.ts'

/** Value of a bool that expr-lang's optimizer knows before evaluation; otherwise undefined. */
export function constantBool(node: ExprNode): boolean | undefined {
  if (node.kind === 'bool') return node.value
  if (node.kind === 'unary' && (node.operator === 'not' || node.operator === '!')) {
    const operand = constantBool(node.operand)
    return operand === undefined ? undefined : !operand
  }
  if (node.kind !== 'binary') return undefined
  const [left, right] = [constantBool(node.left), constantBool(node.right)]
  switch (node.operator) {
    case 'and':
    case '&&':
      if (left === false || right === false) return false
      return left === undefined ? undefined : right
    case 'or':
    case '||':
      if (left === true || right === true) return true
      return left === undefined ? undefined : right
    case '==':
      return left === undefined || right === undefined ? undefined : left === right
    default:
      return undefined
  }
}

/** Whether an index is the literal 0 or -1, which expr-lang turns into a search when applied to a filter. */
export function isEndIndex(node: ExprNode): boolean {
  if (node.kind === 'int') return node.value === 0n
  return node.kind === 'unary' && node.operator === '-' && node.operand.kind === 'int' && node.operand.value === 1n
}
