import type { BlockParameter, BlockStatement, IfStatement, JetTemplate, Statement, YieldStatement } from './ast.ts'
import { printAssignment, printExpression, printPipeline } from './print-expression.ts'

/**
 * Prints a template in Jet's canonical form: default delimiters, no comments, no trim markers, no parentheses, `else if` as a
 * nested `if`.
 */
export function printTemplate(template: JetTemplate): string {
  const references = template.imports.map(({ text }) => `{{import ${text}}}`)
  if (template.extends !== undefined) references.unshift(`{{extends ${template.extends.text}}}`)
  const body = printBody(template.body)
  if (references.length > 0 && template.body.length > 0) return `${references.join('\n')}\n${body}`
  return references.join('\n') + body
}

function printBody(body: readonly Statement[]): string {
  return body.map(printStatement).join('')
}

function printStatement(statement: Statement): string {
  switch (statement.kind) {
    case 'text':
      return statement.text
    case 'action': {
      const assignment = statement.assignment === undefined ? [] : [printAssignment(statement.assignment)]
      const pipeline = statement.pipeline.length === 0 ? [] : [printPipeline(statement.pipeline)]
      return `{{${[...assignment, ...pipeline].join(';')}}}`
    }
    case 'if':
      return printIf(statement)
    case 'range': {
      const { assignment, subject } = statement
      const head = assignment === undefined ? printExpression(subject) : printAssignment(assignment)
      return `{{range ${head}}}${printBody(statement.body)}${printElse(statement.otherwise)}{{end}}`
    }
    case 'try': {
      const { handler } = statement
      const name = handler?.name === undefined ? '' : ` ${handler.name}`
      const caught = handler === undefined ? '' : `{{catch${name}}}${printBody(handler.body)}`
      return `{{try}}${printBody(statement.body)}${caught}{{end}}`
    }
    case 'block':
      return printBlock(statement)
    case 'yield':
      return printYield(statement)
    case 'yieldContent':
      return `{{${joinWords('yield content', statement.context)}}}`
    case 'include':
      return `{{${joinWords(`include ${printExpression(statement.name)}`, statement.context)}}}`
    case 'return':
      return `{{return ${printExpression(statement.value)}}}`
  }
}

function printIf({ branches, otherwise }: IfStatement): string {
  let text = ''
  for (const [index, { assignment, condition, body }] of branches.entries()) {
    const head = assignment === undefined ? '' : `${printAssignment(assignment)};`
    text += `${index === 0 ? '' : '{{else}}'}{{if ${head}${printExpression(condition)}}}${printBody(body)}`
  }
  return text + printElse(otherwise) + '{{end}}'.repeat(branches.length)
}

function printElse(body: readonly Statement[] | undefined): string {
  return body === undefined ? '' : `{{else}}${printBody(body)}`
}

function printBlock({ name, parameters, context, body, content }: BlockStatement): string {
  const head = joinWords(`block ${name}(${printParameters(parameters)})`, context)
  const contentText = content === undefined ? '' : `{{content}}${printBody(content)}`
  return `{{${head}}}${printBody(body)}${contentText}{{end}}`
}

function printYield({ name, parameters, context, content }: YieldStatement): string {
  const head = joinWords(`yield ${name}(${printParameters(parameters)})`, context)
  return content === undefined ? `{{${head}}}` : `{{${head} content}}${printBody(content)}{{end}}`
}

function printParameters(parameters: readonly BlockParameter[]): string {
  return parameters
    .map(({ name, value }) => [name ?? [], value === undefined ? [] : printExpression(value)].flat().join('='))
    .join(',')
}

function joinWords(start: string, context: BlockStatement['context']): string {
  return context === undefined ? start : `${start} ${printExpression(context)}`
}
