/** Start of a node: a zero-based UTF-16 index into the template source. */
interface Located {
  readonly offset: number
}

/** Operators with two operands. `and` and `or` are stored as `&&` and `||`. */
export type BinaryOperator = '||' | '&&' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%'

/** Expression. Parentheses only shape the tree. */
export type Expression =
  | NilLiteral
  | BoolLiteral
  | NumberLiteral
  | StringLiteral
  | Identifier
  | ContextReference
  | PipeSlot
  | AccessExpression
  | BinaryExpression
  | SignExpression
  | NotExpression
  | TernaryExpression

/** `nil` */
export interface NilLiteral extends Located {
  readonly kind: 'nil'
}

/** `true` or `false` */
export interface BoolLiteral extends Located {
  readonly kind: 'bool'
  readonly value: boolean
}

/** Number, or character in single quotes; Jet has only floats. `text` is the source spelling. */
export interface NumberLiteral extends Located {
  readonly kind: 'number'
  readonly value: number
  readonly text: string
}

/** String. `text` is the source spelling, with quotes. */
export interface StringLiteral extends Located {
  readonly kind: 'string'
  readonly value: string
  readonly text: string
}

export interface Identifier extends Located {
  readonly kind: 'identifier'
  readonly name: string
}

/** The dot: the current value of the template, block or loop. */
export interface ContextReference extends Located {
  readonly kind: 'context'
}

/** `_`: the position of the piped value among the arguments, or a discarded value in an assignment. */
export interface PipeSlot extends Located {
  readonly kind: 'slot'
}

/** Value followed by access steps, as in `a.b[1](x)`. A list, not a tree, so that long chains need no recursion. */
export interface AccessExpression extends Located {
  readonly kind: 'access'
  readonly base: Expression
  readonly steps: readonly AccessStep[]
}

export type AccessStep = FieldsStep | IndexStep | SliceStep | CallStep

/**
 * `.a.b.c`. `strict` is the form that starts with the dot (`.a.b`), which requires every name; otherwise the last name may be
 * missing from a map.
 */
export interface FieldsStep extends Located {
  readonly kind: 'fields'
  readonly names: readonly string[]
  readonly strict: boolean
}

/** `[index]` */
export interface IndexStep extends Located {
  readonly kind: 'index'
  readonly index: Expression
}

/** `[from:to]`, both may be absent. */
export interface SliceStep extends Located {
  readonly kind: 'slice'
  readonly from: Expression | undefined
  readonly to: Expression | undefined
}

/** `(arguments)` */
export interface CallStep extends Located {
  readonly kind: 'call'
  readonly args: readonly Expression[]
}

/** `left operator right` */
export interface BinaryExpression extends Located {
  readonly kind: 'binary'
  readonly operator: BinaryOperator
  readonly left: Expression
  readonly right: Expression
}

/** `+x` or `-x`, where the sign is not part of a number. */
export interface SignExpression extends Located {
  readonly kind: 'sign'
  readonly sign: '+' | '-'
  readonly operand: Expression
}

/** `!x` or `not x` */
export interface NotExpression extends Located {
  readonly kind: 'not'
  readonly operand: Expression
}

/** `condition ? yes : no` */
export interface TernaryExpression extends Located {
  readonly kind: 'ternary'
  readonly condition: Expression
  readonly yes: Expression
  readonly no: Expression
}

/**
 * `targets = values` or, as a declaration, `targets := values`. With `lookup` there are two targets and one index expression: the
 * second target tells whether the index exists.
 */
export interface Assignment extends Located {
  readonly declares: boolean
  readonly lookup: boolean
  readonly targets: readonly Expression[]
  readonly values: readonly Expression[]
}

/** Command of a pipeline; `args` is absent without a call. */
export interface Command extends Located {
  readonly base: Expression
  readonly args: readonly Expression[] | undefined
}

/** Text, action or control structure. */
export type Statement =
  | TextStatement
  | ActionStatement
  | IfStatement
  | RangeStatement
  | TryStatement
  | BlockStatement
  | YieldStatement
  | YieldContentStatement
  | IncludeStatement
  | ReturnStatement

export interface TextStatement extends Located {
  readonly kind: 'text'
  readonly text: string
}

/** An assignment, a pipeline whose value is printed, or both. */
export interface ActionStatement extends Located {
  readonly kind: 'action'
  readonly assignment: Assignment | undefined
  readonly pipeline: readonly Command[]
}

/** `if` with its `else if` branches and the final `else`. */
export interface IfStatement extends Located {
  readonly kind: 'if'
  readonly branches: readonly IfBranch[]
  readonly otherwise: readonly Statement[] | undefined
}

export interface IfBranch {
  readonly assignment: Assignment | undefined
  readonly condition: Expression
  readonly body: readonly Statement[]
}

/** `range`; the targets of the assignment take the key and the element. */
export interface RangeStatement extends Located {
  readonly kind: 'range'
  readonly assignment: Assignment | undefined
  readonly subject: Expression
  readonly body: readonly Statement[]
  readonly otherwise: readonly Statement[] | undefined
}

/** `try` with its optional `catch`. */
export interface TryStatement extends Located {
  readonly kind: 'try'
  readonly body: readonly Statement[]
  readonly handler: CatchClause | undefined
}

/** `catch` with its optional name for the error. */
export interface CatchClause {
  readonly name: string | undefined
  readonly body: readonly Statement[]
}

/** Parameter of a block (value = default) or of a yield (positional without a name). */
export interface BlockParameter {
  readonly name: string | undefined
  readonly value: Expression | undefined
}

/** Definition of a block, which is also rendered in place. */
export interface BlockStatement extends Located {
  readonly kind: 'block'
  readonly name: string
  readonly parameters: readonly BlockParameter[]
  readonly context: Expression | undefined
  readonly body: readonly Statement[]
  readonly content: readonly Statement[] | undefined
}

/** `yield name(…)`, with its optional content for the block. */
export interface YieldStatement extends Located {
  readonly kind: 'yield'
  readonly name: string
  readonly parameters: readonly BlockParameter[]
  readonly context: Expression | undefined
  readonly content: readonly Statement[] | undefined
}

/** `yield content`: renders the content passed to the block. */
export interface YieldContentStatement extends Located {
  readonly kind: 'yieldContent'
  readonly context: Expression | undefined
}

/** `include name context` */
export interface IncludeStatement extends Located {
  readonly kind: 'include'
  readonly name: Expression
  readonly context: Expression | undefined
}

/** `return value` */
export interface ReturnStatement extends Located {
  readonly kind: 'return'
  readonly value: Expression
}

/** Reference to another template at the start of a template. `text` is the source spelling. */
export interface TemplateReference extends Located {
  readonly path: string
  readonly text: string
}

/** Source template of a syntax node, for messages. */
export interface Origin {
  readonly name: string
  readonly source: string
}

/** Parsed template. Immutable, so it can be cached and rendered repeatedly. */
export interface JetTemplate {
  readonly origin: Origin
  readonly syntax: JetSyntax
  readonly extends: TemplateReference | undefined
  readonly imports: readonly TemplateReference[]
  readonly blocks: ReadonlyMap<string, BlockStatement>
  readonly body: readonly Statement[]
}

/** Delimiters of actions and comments. */
export interface JetSyntax {
  readonly delimiters: readonly [left: string, right: string]
  readonly commentDelimiters: readonly [left: string, right: string]
}
