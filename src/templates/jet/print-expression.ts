import type { AccessStep, Assignment, Command, Expression } from './ast.ts'

/** Prints an expression like Jet's own printer: without parentheses, one space around operators. */
export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'nil':
      return 'nil'
    case 'bool':
      return String(expression.value)
    case 'number':
    case 'string':
      return expression.text
    case 'identifier':
      return expression.name
    case 'context':
      return '.'
    case 'slot':
      return '_'
    case 'access':
      return printAccess(expression.base, expression.steps)
    case 'binary':
      return printBinary(expression)
    case 'sign':
      return `${expression.sign}${printExpression(expression.operand)}`
    case 'not':
      return `!${printExpression(expression.operand)}`
    case 'ternary': {
      const { condition, yes, no } = expression
      return `${printExpression(condition)}?${printExpression(yes)}:${printExpression(no)}`
    }
  }
}

// Sums may have thousands of terms; a loop over the left side avoids recursion.
function printBinary(expression: Expression): string {
  const tail: string[] = []
  let left = expression
  while (left.kind === 'binary') {
    tail.push(`${left.operator} ${printExpression(left.right)}`)
    left = left.left
  }
  return [printExpression(left), ...tail.toReversed()].join(' ')
}

export function printAccess(base: Expression, steps: readonly AccessStep[]): string {
  const first = steps[0]
  const start = base.kind === 'context' && first?.kind === 'fields' ? '' : printExpression(base)
  return start + steps.map(printStep).join('')
}

function printStep(step: AccessStep): string {
  switch (step.kind) {
    case 'fields':
      return step.names.map((name) => `.${name}`).join('')
    case 'index':
      return `[${printExpression(step.index)}]`
    case 'slice':
      return `[${printOptional(step.from)}:${printOptional(step.to)}]`
    case 'call':
      return `(${printList(step.args)})`
  }
}

function printOptional(expression: Expression | undefined): string {
  return expression === undefined ? '' : printExpression(expression)
}

function printList(expressions: readonly Expression[]): string {
  return expressions.map(printExpression).join(', ')
}

/** Prints an assignment without its delimiters. */
export function printAssignment({ targets, declares, values }: Assignment): string {
  return `${printList(targets)}${declares ? ':=' : '='}${printList(values)}`
}

/** Prints a pipeline; prefix calls (`f: a`) become ordinary ones. */
export function printPipeline(pipeline: readonly Command[]): string {
  return pipeline.map(({ base, args }) => printExpression(base) + printCall(args)).join(' | ')
}

function printCall(args: readonly Expression[] | undefined): string {
  return args === undefined ? '' : `(${printList(args)})`
}
