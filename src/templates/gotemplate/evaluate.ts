import { BudgetError } from '../errors.ts'
import { goTypeName, holdsNil, isGoBytes, isGoList, isGoMap, sortedEntries, type GoValue } from '../govalue/index.ts'
import type {
  ActionNode,
  ConditionalNode,
  RangeNode,
  Statement,
  TemplateBody,
  TemplateCallNode,
  TemplateNode,
} from './ast.ts'
import { evaluatePipeline } from './evaluate-operand.ts'
import { quoteGoString } from './go-quote.ts'
import { goInt64, integerOf, isGoFunction } from './kinds.ts'
import { nestedEvaluation } from './nesting.ts'
import {
  assignVariable,
  dropVariables,
  executionError,
  failAt,
  type Evaluation,
  type Scope,
  type Value,
} from './scope.ts'
import { valueText } from './text-value.ts'
import { isTrue } from './truth.ts'

/** Result of executing a list of statements. */
type Outcome = 'done' | 'break' | 'continue'

/** Executes the body of a template with `dot` as its data; appends the text to the output of the evaluation. */
export function evaluateTemplate(evaluation: Evaluation, body: TemplateBody, dot: Value): void {
  const scope: Scope = { evaluation, body, names: ['$'], values: [dot] }
  runBlock(scope, dot, body.statements)
}

/** Adds the current statement to a budget error, which has no location. */
export function placeBudgetError(evaluation: Evaluation, error: unknown): unknown {
  const { place } = evaluation
  if (!(error instanceof BudgetError) || error.offset !== undefined || place === undefined) return error
  return executionError(place.body, place.node, error.message, error)
}

function runBlock(scope: Scope, dot: Value, statements: readonly Statement[]): Outcome {
  return nestedEvaluation(scope.evaluation.context.budget, () => {
    for (const statement of statements) {
      const outcome = runStatement(scope, dot, statement)
      if (outcome !== 'done') return outcome
    }
    return 'done'
  })
}

function runStatement(scope: Scope, dot: Value, node: Statement): Outcome {
  const { evaluation } = scope
  evaluation.place = { body: scope.body, node }
  evaluation.context.budget.step()
  switch (node.kind) {
    case 'text':
      write(scope, node.text)
      return 'done'
    case 'action':
      runAction(scope, dot, node)
      return 'done'
    case 'if':
    case 'with':
      return runConditional(scope, dot, node)
    case 'range':
      return runRange(scope, dot, node)
    case 'template':
      runTemplateCall(scope, dot, node)
      return 'done'
    case 'break':
    case 'continue':
      return node.kind
  }
}

function write(scope: Scope, text: string): void {
  scope.evaluation.context.budget.output(text)
  scope.evaluation.output += text
}

function runAction(scope: Scope, dot: Value, node: ActionNode): void {
  const value = evaluatePipeline(scope, dot, node.pipeline)
  if (node.pipeline.variables.length > 0) return
  const { nil } = scope.evaluation
  if (nil === 'refuse' && (value === undefined || holdsNil(value))) {
    throw failAt(scope, node, 'no printable value')
  }
  if (value === undefined || value === null) write(scope, '<no value>')
  else if (isGoFunction(value)) {
    throw failAt(scope, node, `can't print ${value.name} of type ${goTypeName(value)}`)
  } else write(scope, valueText(value, scope.evaluation.context.budget))
}

function runConditional(scope: Scope, dot: Value, node: ConditionalNode): Outcome {
  const visible = scope.names.length
  const outcome = runFirstTrue(scope, dot, node)
  dropVariables(scope, visible)
  return outcome
}

function runFirstTrue(scope: Scope, dot: Value, node: ConditionalNode): Outcome {
  for (const { pipeline, body } of node.branches) {
    const value = evaluatePipeline(scope, dot, pipeline)
    if (isTrue(value)) return runBlock(scope, node.kind === 'with' ? value : dot, body)
  }
  return node.otherwise === undefined ? 'done' : runBlock(scope, dot, node.otherwise)
}

function runTemplateCall(scope: Scope, dot: Value, node: TemplateCallNode): void {
  const { evaluation } = scope
  const body = evaluation.templates.get(node.name)
  if (body === undefined) throw failAt(scope, node, `template ${quoteGoString(node.name)} not defined`)
  const data = node.pipeline === undefined ? undefined : evaluatePipeline(scope, dot, node.pipeline)
  evaluation.context.budget.nested(() => evaluateTemplate(evaluation, body, data))
}

interface Round {
  /** Absent without an index: Go assigns no index to integers. */
  readonly index: Value
  readonly element: Value
}

function runRange(scope: Scope, dot: Value, node: RangeNode): Outcome {
  const visible = scope.names.length
  const value = evaluatePipeline(scope, dot, node.pipeline)
  let outcome: Outcome = 'done'
  let empty = true
  for (const round of roundsOf(scope, node, value)) {
    empty = false
    if (runRound(scope, node, round) === 'break') break
  }
  if (empty && node.otherwise !== undefined) outcome = runBlock(scope, dot, node.otherwise)
  dropVariables(scope, visible)
  return outcome
}

function* roundsOf(scope: Scope, node: RangeNode, value: Value): Generator<Round> {
  const { budget } = scope.evaluation.context
  if (value === undefined || value === null) return
  const count = integerOf(value)
  if (count !== undefined) {
    if (node.pipeline.variables.length > 1) {
      throw failAt(scope, valueNode(node), `can't use ${count} to iterate over more than one variable`)
    }
    for (let element = 0n; element < count; element += 1n) {
      yield { index: undefined, element: typeof value === 'bigint' ? element : goInt64(element) }
    }
  } else if (isGoList(value)) {
    for (let index = 0; index < value.length; index += 1) yield { index: BigInt(index), element: value[index] }
  } else if (isGoBytes(value)) {
    for (const [index, byte] of value.entries()) yield { index: BigInt(index), element: BigInt(byte) }
  } else if (isGoMap(value)) {
    budget.step(value.size)
    for (const [index, element] of sortedEntries(value)) yield { index, element }
  } else {
    throw failAt(scope, valueNode(node), `range can't iterate over ${describe(scope, value)}`)
  }
}

/** Value that a range iterates over, without its variables and body. */
function valueNode(node: RangeNode): TemplateNode {
  return node.pipeline.commands.at(-1) ?? node.pipeline
}

function describe(scope: Scope, value: GoValue): string {
  return valueText(value, scope.evaluation.context.budget)
}

function runRound(scope: Scope, node: RangeNode, round: Round): Outcome {
  const { variables, assigns } = node.pipeline
  const mark = scope.names.length
  const [first, second] = variables
  scope.evaluation.context.budget.step()
  if (assigns) {
    if (first !== undefined) assignVariable(scope, node, first, second === undefined ? round.element : round.index)
    if (second !== undefined) assignVariable(scope, node, second, round.element)
  } else {
    if (first !== undefined) scope.values[mark - 1] = round.element
    if (second !== undefined) scope.values[mark - 2] = round.index
  }
  const outcome = runBlock(scope, round.element, node.body)
  dropVariables(scope, mark)
  return outcome
}
