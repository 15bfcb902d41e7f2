/** A `{{…}}` action that prints its value or declares a variable. */
export interface ActionNode {
  readonly kind: 'action'
  readonly offset: number
  readonly pipeline: PipelineNode
}

/** Literal text between actions. */
interface TextNode {
  readonly kind: 'text'
  readonly offset: number
  readonly text: string
}

/** Condition of an `if` or `with`, and its body. */
export interface Branch {
  readonly offset: number
  readonly pipeline: PipelineNode
  readonly body: readonly Statement[]
}

/** `if` or `with`, its `else if` or `else with` branches in order, and the final `else`. */
export interface ConditionalNode {
  readonly kind: 'if' | 'with'
  readonly offset: number
  readonly branches: readonly Branch[]
  readonly otherwise: readonly Statement[] | undefined
}

/** `range` and its `else`. */
export interface RangeNode {
  readonly kind: 'range'
  readonly offset: number
  readonly pipeline: PipelineNode
  readonly body: readonly Statement[]
  readonly otherwise: readonly Statement[] | undefined
}

/** The call of a named template; a `block` is one too. */
export interface TemplateCallNode {
  readonly kind: 'template'
  readonly offset: number
  readonly name: string
  readonly pipeline: PipelineNode | undefined
}

/** `break` or `continue` of the innermost `range`. */
interface JumpNode {
  readonly kind: 'break' | 'continue'
  readonly offset: number
}

export type Statement = ActionNode | TextNode | ConditionalNode | RangeNode | TemplateCallNode | JumpNode

/** Commands joined by `|`, the variables that receive the result, and whether they are assigned or declared. */
export interface PipelineNode {
  readonly kind: 'pipeline'
  readonly offset: number
  readonly assigns: boolean
  readonly variables: readonly string[]
  readonly commands: readonly CommandNode[]
}

/** A function or value and its arguments. */
export interface CommandNode {
  readonly kind: 'command'
  readonly offset: number
  readonly operands: readonly [Operand, ...Operand[]]
}

export interface IdentifierNode {
  readonly kind: 'identifier'
  readonly offset: number
  readonly name: string
}

/** `$x.a.b`: the variable, with its `$`, and the fields. */
export interface VariableNode {
  readonly kind: 'variable'
  readonly offset: number
  readonly name: string
  readonly fields: readonly string[]
}

/** `.a.b`. */
export interface FieldNode {
  readonly kind: 'field'
  readonly offset: number
  readonly fields: readonly string[]
}

/** Fields of a value other than a variable: `(pipeline).a.b` or `function.a`. */
export interface ChainNode {
  readonly kind: 'chain'
  readonly offset: number
  readonly base: Operand
  readonly fields: readonly string[]
}

/** Number constant. It has an integer value, a float value or both; a complex one has neither. */
export interface NumberNode {
  readonly kind: 'number'
  readonly offset: number
  readonly text: string
  readonly integer: bigint | undefined
  readonly float: number | undefined
}

/** A string constant: its source text and its value. */
interface StringNode {
  readonly kind: 'string'
  readonly offset: number
  readonly quoted: string
  readonly text: string
}

/** `true` or `false`. */
interface BooleanNode {
  readonly kind: 'boolean'
  readonly offset: number
  readonly value: boolean
}

/** `.` or `nil`. */
interface WordNode {
  readonly kind: 'dot' | 'nil'
  readonly offset: number
}

export type Operand =
  | IdentifierNode
  | VariableNode
  | FieldNode
  | ChainNode
  | NumberNode
  | StringNode
  | BooleanNode
  | WordNode
  | PipelineNode

/** Syntax node that an error can refer to. */
export type TemplateNode = Statement | CommandNode | Operand

/** Body of a named template, with its source. */
export interface TemplateBody {
  readonly name: string
  /** The name of the source, for error messages. */
  readonly sourceName: string
  readonly source: string
  readonly statements: readonly Statement[]
}
