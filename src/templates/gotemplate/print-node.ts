import type { CommandNode, ConditionalNode, Operand, PipelineNode, Statement, TemplateNode } from './ast.ts'
import { quoteGoString } from './go-quote.ts'

/**
 * Prints a node in the canonical form of text/template's `Node.String`, which its error messages quote. Literal text becomes a
 * quoted string.
 */
export function printNode(node: TemplateNode): string {
  switch (node.kind) {
    case 'command':
      return printCommand(node)
    case 'action':
    case 'text':
    case 'if':
    case 'with':
    case 'range':
    case 'template':
    case 'break':
    case 'continue':
      return printStatement(node)
    default:
      return printOperand(node)
  }
}

/** Prints a list of statements in canonical form. */
export function printStatements(statements: readonly Statement[]): string {
  return statements.map(printStatement).join('')
}

function printStatement(node: Statement): string {
  switch (node.kind) {
    case 'text':
      return quoteGoString(node.text)
    case 'action':
      return `{{${printPipeline(node.pipeline)}}}`
    case 'if':
    case 'with':
      return printConditional(node)
    case 'range':
      return `{{range ${printPipeline(node.pipeline)}}}${printStatements(node.body)}${printElse(node.otherwise)}{{end}}`
    case 'template': {
      const argument = node.pipeline === undefined ? '' : ` ${printPipeline(node.pipeline)}`
      return `{{template ${quoteGoString(node.name)}${argument}}}`
    }
    case 'break':
    case 'continue':
      return `{{${node.kind}}}`
  }
}

function printElse(statements: readonly Statement[] | undefined): string {
  return statements === undefined ? '' : `{{else}}${printStatements(statements)}`
}

// `else if` is printed as an `if` inside the `else`, as text/template stores it.
function printConditional(node: ConditionalNode): string {
  const heads = node.branches.map(
    (branch) => `{{${node.kind} ${printPipeline(branch.pipeline)}}}${printStatements(branch.body)}`,
  )
  return heads.join('{{else}}') + printElse(node.otherwise) + '{{end}}'.repeat(node.branches.length)
}

function printPipeline(node: PipelineNode): string {
  const commands = node.commands.map(printCommand).join(' | ')
  if (node.variables.length === 0) return commands
  return `${node.variables.join(', ')} ${node.assigns ? '=' : ':='} ${commands}`
}

function printCommand(node: CommandNode): string {
  return node.operands.map(printNested).join(' ')
}

function printNested(node: Operand): string {
  return node.kind === 'pipeline' ? `(${printPipeline(node)})` : printOperand(node)
}

function printOperand(node: Operand): string {
  switch (node.kind) {
    case 'identifier':
      return node.name
    case 'variable':
      return [node.name, ...node.fields].join('.')
    case 'field':
      return node.fields.map((field) => `.${field}`).join('')
    case 'chain':
      return printNested(node.base) + node.fields.map((field) => `.${field}`).join('')
    case 'number':
      return node.text
    case 'string':
      return node.quoted
    case 'boolean':
      return String(node.value)
    case 'dot':
      return '.'
    case 'nil':
      return 'nil'
    case 'pipeline':
      return printPipeline(node)
  }
}
