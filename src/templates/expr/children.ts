import type { ExprNode } from './syntax.ts'

/** Direct child nodes, in source order. */
export function childrenOf(node: ExprNode): readonly ExprNode[] {
  switch (node.kind) {
    case 'nil':
    case 'bool':
    case 'int':
    case 'float':
    case 'string':
    case 'bytes':
    case 'identifier':
    case 'pointer':
      return []
    case 'unary':
      return [node.operand]
    case 'binary':
      return [node.left, node.right]
    case 'member':
      return [node.object, node.property]
    case 'chain':
    case 'predicate':
      return [node.body]
    case 'slice':
      return [node.object, node.from, node.to].filter((child) => child !== undefined)
    case 'call':
      return [node.callee, ...node.args]
    case 'builtin':
      return node.args
    case 'conditional':
      return [node.condition, node.then, node.otherwise]
    case 'let':
      return [node.value, node.body]
    case 'sequence':
    case 'list':
      return node.items
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value])
  }
}
