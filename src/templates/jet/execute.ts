import { BudgetError, TemplateError, lineAt } from '../errors.ts'
import { isGoBytes, isGoList, isGoMap, sortedEntries, type Budget } from '../govalue/index.ts'
import { executeAssignment, assignTarget, declareTarget } from './assign.ts'
import type {
  BlockParameter,
  BlockStatement,
  CatchClause,
  Expression,
  IfStatement,
  IncludeStatement,
  Origin,
  RangeStatement,
  Statement,
  TryStatement,
  YieldStatement,
} from './ast.ts'
import { failAt, isCatchable, withPlace } from './errors.ts'
import { evaluate } from './evaluate.ts'
import { executePipeline } from './pipeline.ts'
import { withSurroundings, write, type ContentRenderer, type Runtime, type Surroundings } from './runtime.ts'
import { childScope, findBlock, type LinkedBlock, type LinkedTemplate } from './scope.ts'
import { isSpecial, isTrue, jetTypeName, type JetCall, type JetValue } from './values.ts'

/**
 * Executes a body and returns its value. `return` does not end a body: later statements are still printed, and the last construct
 * that ran determines the value.
 */
export function executeBody(runtime: Runtime, body: readonly Statement[]): JetValue {
  return withSurroundings(runtime, {}, () => {
    const { scope } = runtime
    let returned: JetValue
    for (const statement of body) {
      runtime.budget.step()
      // All declarations of a body share one scope, which ends with the body.
      const declares = statement.kind === 'action' && statement.assignment?.declares === true
      if (declares && runtime.scope === scope) runtime.scope = childScope(scope)
      returned = executeStatement(runtime, statement, returned)
    }
    return returned
  })
}

// Returns the value of the body so far, which most statements leave unchanged.
function executeStatement(runtime: Runtime, statement: Statement, returned: JetValue): JetValue {
  switch (statement.kind) {
    case 'text':
      write(runtime, statement.text)
      return returned
    case 'action':
      if (statement.assignment !== undefined) executeAssignment(runtime, statement.assignment)
      executePipeline(runtime, statement.pipeline)
      return returned
    case 'if':
      return executeIf(runtime, statement, returned)
    case 'range':
      return executeRange(runtime, statement, returned)
    case 'try':
      return executeTry(runtime, statement)
    case 'block': {
      const own = { block: statement, origin: runtime.origin }
      const { block, origin } = findBlock(runtime.scope, statement.name) ?? own
      renderBlock(runtime, { block, origin }, { ...block, origin })
      return returned
    }
    case 'yield':
      executeYield(runtime, statement)
      return returned
    case 'yieldContent':
      runtime.content?.(contextOf(runtime, statement.context))
      return returned
    case 'include':
      return executeInclude(runtime, statement)
    case 'return':
      return evaluate(runtime, statement.value)
  }
}

function contextOf(runtime: Runtime, expression: Expression | undefined): Pick<Surroundings, 'context'> {
  return expression === undefined ? {} : { context: evaluate(runtime, expression) }
}

function executeIf(runtime: Runtime, { branches, otherwise }: IfStatement, returned: JetValue): JetValue {
  return withSurroundings(runtime, {}, () => {
    for (const { assignment, condition, body } of branches) {
      if (assignment?.declares === true) runtime.scope = childScope(runtime.scope)
      if (assignment !== undefined) executeAssignment(runtime, assignment)
      if (isTrue(evaluate(runtime, condition))) return executeBody(runtime, body)
    }
    return otherwise === undefined ? returned : executeBody(runtime, otherwise)
  })
}

// A `return` inside ends the loop; one before it skips the loop, as in Jet.
function executeRange(runtime: Runtime, statement: RangeStatement, before: JetValue): JetValue {
  const { assignment, subject, body, otherwise, offset } = statement
  const value = evaluate(runtime, subject)
  const entries = withPlace(runtime, offset, () => rangeOver(value, runtime.budget))
  const [keyTarget, elementTarget] = assignment?.targets ?? []
  const store = assignment?.declares === true ? declareTarget : assignTarget
  const scope = assignment?.declares === true ? childScope(runtime.scope) : runtime.scope
  return withSurroundings(runtime, { scope }, () => {
    let returned = before
    let isEmpty = true
    for (const [key, element] of entries) {
      isEmpty = false
      if (returned !== undefined) break
      runtime.budget.step()
      if (keyTarget !== undefined) store(runtime, keyTarget, key)
      if (elementTarget === undefined) Object.assign(runtime, { context: element, contextIsElement: !isSpecial(value) })
      else store(runtime, elementTarget, element)
      returned = executeBody(runtime, body)
    }
    return isEmpty && otherwise !== undefined ? executeBody(runtime, otherwise) : returned
  })
}

function executeTry(runtime: Runtime, { body, handler }: TryStatement): JetValue {
  const output: string[] = []
  let returned: JetValue
  try {
    returned = withSurroundings(runtime, { output }, () => executeBody(runtime, body))
  } catch (error) {
    if (!isCatchable(error)) throw error
    return handler === undefined ? undefined : handle(runtime, handler, error.message)
  }
  runtime.output.push(output.join(''))
  return returned
}

function handle(runtime: Runtime, { name, body }: CatchClause, message: string): JetValue {
  const scope = childScope(runtime.scope)
  if (name !== undefined) scope.variables.set(name, { kind: 'caught', message })
  return withSurroundings(runtime, { scope }, () => executeBody(runtime, body))
}

function executeYield(runtime: Runtime, statement: YieldStatement): void {
  const linked = findBlock(runtime.scope, statement.name)
  if (linked === undefined) {
    failAt(runtime, statement.offset, `unresolved block ${JSON.stringify(statement.name)}!!`)
  }
  renderBlock(runtime, linked, { ...statement, origin: runtime.origin })
}

// Arguments of a block, from a yield or from its own definition.
interface BlockUse {
  readonly parameters: readonly BlockParameter[]
  readonly context: Expression | undefined
  readonly content: readonly Statement[] | undefined
  readonly origin: Origin
}

function renderBlock(runtime: Runtime, { block, origin }: LinkedBlock, use: BlockUse): void {
  const hasParameters = block.parameters.length > 0 || use.parameters.length > 0
  const scope = hasParameters ? childScope(runtime.scope) : runtime.scope
  withSurroundings(runtime, { scope, origin: use.origin }, () => {
    bindGiven(runtime, block, use)
    const changes: Surroundings = { origin, ...contextOf(runtime, use.context) }
    if (use.content !== undefined) changes.content = contentRenderer(runtime, use.content)
    withSurroundings(runtime, changes, () => {
      bindDefaults(runtime, block)
      runtime.budget.nested(() => executeBody(runtime, block.body))
    })
  })
}

function bindGiven(runtime: Runtime, block: BlockStatement, { parameters }: BlockUse): void {
  for (const [index, { name, value }] of parameters.entries()) {
    if (name === undefined || value === undefined) {
      const missing = block.parameters[index]?.name ?? name ?? String(index)
      failAt(runtime, block.offset, `missing name for block parameter '${missing}'`)
    }
    runtime.scope.variables.set(name, evaluate(runtime, value))
  }
}

// An omitted parameter without a default is false.
function bindDefaults(runtime: Runtime, { parameters }: BlockStatement): void {
  const { variables } = runtime.scope
  for (const { name, value } of parameters) {
    if (name === undefined || variables.has(name)) continue
    variables.set(name, value === undefined ? false : evaluate(runtime, value))
  }
}

// Content sees the names and the content of its definition, in any block that renders it.
function contentRenderer(runtime: Runtime, body: readonly Statement[]): ContentRenderer {
  const { scope, origin, content } = runtime
  return (context) => {
    withSurroundings(runtime, { scope, origin, content, ...context }, () => {
      runtime.budget.nested(() => executeBody(runtime, body))
    })
  }
}

function executeInclude(runtime: Runtime, { name, context, offset }: IncludeStatement): JetValue {
  const path = evaluate(runtime, name)
  if (typeof path !== 'string') {
    const problem =
      path === undefined ? 'name is not a valid value' : `unexpected expression type "${jetTypeName(path)}"`
    failAt(runtime, offset, `evaluating name of template to include: ${problem}`)
  }
  const linked = withPlace(runtime, offset, () => runtime.library.get(path, runtime.origin.name))
  const limit = runtime.budget.limits.nesting
  if (runtime.includeDepth >= limit) {
    const place = `${JSON.stringify(runtime.origin.name)}:${lineAt(runtime.origin.source, offset)}`
    throw new BudgetError(`Jet Runtime Error (${place}): maximum 'include' depth (${limit}) exceeded`)
  }
  return renderTemplate(runtime, linked, contextOf(runtime, context))
}

/** Renders a linked template inside the current rendering. */
export function renderTemplate(runtime: Runtime, linked: LinkedTemplate, changes: Surroundings): JetValue {
  const scope = childScope(runtime.scope, linked.blocks)
  runtime.includeDepth += 1
  try {
    return runtime.budget.nested(() =>
      withSurroundings(runtime, { scope, origin: linked.root.origin, ...changes }, () =>
        executeBody(runtime, linked.root.body),
      ),
    )
  } finally {
    runtime.includeDepth -= 1
  }
}

/** Renders a template named by a builtin; its path is relative to the root, not to the current template. */
export function renderOther(
  runtime: Runtime,
  ...[path, request]: Parameters<JetCall['render']>
): ReturnType<JetCall['render']> {
  const linked = runtime.library.find(path, '/')
  if (linked === undefined) return undefined
  const context = request.context === undefined ? {} : { context: request.context.value }
  const output = request.output === 'discard' ? { output: [] } : {}
  return { returned: renderTemplate(runtime, linked, { ...context, ...output }) }
}

/**
 * Keys and elements that a `range` iterates over: lists and bytes by index, maps by sorted key (Go's order is random), `ints()`
 * by index. Throws a `TemplateError` for other values.
 */
function rangeOver(subject: JetValue, budget: Budget): Iterable<readonly [key: JetValue, element: JetValue]> {
  if (isSpecial(subject)) {
    if (subject.kind === 'ints') return wholeNumbers(subject.from, subject.to)
  } else if (subject !== undefined) {
    if (isGoList(subject)) return indexed(subject)
    if (isGoBytes(subject)) return indexed(Array.from(subject, BigInt))
    if (isGoMap(subject)) {
      budget.step(1 + subject.size)
      return sortedEntries(subject)
    }
  }
  throw new TemplateError(`value of type ${jetTypeName(subject)} is not rangeable`)
}

function* wholeNumbers(from: bigint, to: bigint): Iterable<readonly [JetValue, JetValue]> {
  for (let value = from; value < to; value += 1n) yield [value - from, value]
}

function* indexed(list: readonly JetValue[]): Iterable<readonly [JetValue, JetValue]> {
  for (const [index, element] of list.entries()) yield [BigInt(index), element]
}
