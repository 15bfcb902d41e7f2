/** Operators with two operands. `&&`, `||` and `^` are other spellings of `and`, `or` and `**`; messages keep them. */
export type BinaryOperator =
  | 'or'
  | '||'
  | 'and'
  | '&&'
  | '=='
  | '!='
  | '<'
  | '>'
  | '<='
  | '>='
  | 'in'
  | 'matches'
  | 'contains'
  | 'startsWith'
  | 'endsWith'
  | '..'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '**'
  | '^'
  | '??'

/** Operators with one operand. */
export type UnaryOperator = 'not' | '!' | '-' | '+'

interface NodeBase {
  /** UTF-16 index in the source, for errors of this node. */
  readonly offset: number
  /** Levels of nodes from this one downwards, including it. */
  readonly depth: number
}

/** A literal value or name. */
export type LeafNode =
  | (NodeBase & { readonly kind: 'nil' })
  | (NodeBase & { readonly kind: 'bool'; readonly value: boolean })
  | (NodeBase & { readonly kind: 'int'; readonly value: bigint })
  | (NodeBase & { readonly kind: 'float'; readonly value: number })
  | (NodeBase & { readonly kind: 'string'; readonly value: string })
  | (NodeBase & { readonly kind: 'bytes'; readonly value: Uint8Array })
  | (NodeBase & { readonly kind: 'identifier'; readonly name: string })
  /** `#` (empty name), `#index` or `#acc` inside a predicate. */
  | (NodeBase & { readonly kind: 'pointer'; readonly name: string })

/** `-x`, `not x`. */
export interface UnaryNode extends NodeBase {
  readonly kind: 'unary'
  readonly operator: UnaryOperator
  readonly operand: ExprNode
}

/** `a + b`. */
export interface BinaryNode extends NodeBase {
  readonly kind: 'binary'
  readonly operator: BinaryOperator
  readonly left: ExprNode
  readonly right: ExprNode
}

/** `object.property`, `object[property]` and their optional forms. */
export interface MemberNode extends NodeBase {
  readonly kind: 'member'
  readonly object: ExprNode
  readonly property: ExprNode
  /** `?.`: a nil object makes the whole chain nil. */
  readonly optional: boolean
  /** Whether the member is called: `object.property(…)`. */
  readonly called: boolean
}

/** End of a member chain with a `?.`, where a nil object leads to. */
export interface ChainNode extends NodeBase {
  readonly kind: 'chain'
  readonly body: ExprNode
}

/** `object[from:to]`. */
export interface SliceNode extends NodeBase {
  readonly kind: 'slice'
  readonly object: ExprNode
  readonly from: ExprNode | undefined
  readonly to: ExprNode | undefined
}

/** A call of a host function or of a method. */
export interface CallNode extends NodeBase {
  readonly kind: 'call'
  readonly callee: ExprNode
  readonly args: readonly ExprNode[]
}

/** A call of a builtin, predicate builtins included (their second argument is a `PredicateNode`). */
export interface BuiltinNode extends NodeBase {
  readonly kind: 'builtin'
  readonly name: string
  readonly args: readonly ExprNode[]
}

/** The body of a predicate: `# > 1` in `filter(list, # > 1)`. */
export interface PredicateNode extends NodeBase {
  readonly kind: 'predicate'
  readonly body: ExprNode
}

/** `condition ? then : otherwise` and `if`. */
export interface ConditionalNode extends NodeBase {
  readonly kind: 'conditional'
  readonly condition: ExprNode
  readonly then: ExprNode
  readonly otherwise: ExprNode
}

/** `let name = value; body`. */
export interface LetNode extends NodeBase {
  readonly kind: 'let'
  readonly name: string
  readonly value: ExprNode
  readonly body: ExprNode
}

/** `a; b; c`. */
export interface SequenceNode extends NodeBase {
  readonly kind: 'sequence'
  readonly items: readonly ExprNode[]
}

/** `[a, b]`. */
export interface ListNode extends NodeBase {
  readonly kind: 'list'
  readonly items: readonly ExprNode[]
}

/** One `key: value` of a map literal. */
export interface MapEntry {
  readonly key: ExprNode
  readonly value: ExprNode
}

/** `{a: 1}`. */
export interface MapNode extends NodeBase {
  readonly kind: 'map'
  readonly entries: readonly MapEntry[]
}

export type ExprNode =
  | LeafNode
  | UnaryNode
  | BinaryNode
  | MemberNode
  | ChainNode
  | SliceNode
  | CallNode
  | BuiltinNode
  | PredicateNode
  | ConditionalNode
  | LetNode
  | SequenceNode
  | ListNode
  | MapNode
