import { formatGoValue, holdsNil } from '../govalue/index.ts'
import type { Command } from './ast.ts'
import { failAt } from './errors.ts'
import { call, evaluate, evaluateArgument } from './evaluate.ts'
import { printExpression } from './print-expression.ts'
import { write, type Runtime } from './runtime.ts'
import { isSpecial, jetTypeName, printValue, type JetArgument, type JetSpecial, type JetValue } from './values.ts'

/** Evaluates a pipeline and prints its value, unless it ends in a writer, which prints its own output. */
export function executePipeline(runtime: Runtime, commands: readonly Command[]): void {
  let piped: Piped | undefined
  for (const command of commands) {
    if (piped?.kind === 'written') {
      const text = printExpression(command.base)
      failAt(runtime, command.offset, `unexpected command ${text}, writer command should be the last command`)
    }
    piped = piped === undefined ? executeFirst(runtime, command) : executeNext(runtime, command, piped.value)
  }
  const last = commands.at(-1)
  if (piped?.kind === 'value' && last !== undefined) printResult(runtime, last, piped.value)
}

type Piped = { readonly kind: 'value'; readonly value: JetValue } | { readonly kind: 'written' }

function printResult(runtime: Runtime, command: Command, value: JetValue): void {
  if (runtime.nil === 'refuse' && value !== undefined && !isSpecial(value) && holdsNil(value)) {
    failAt(runtime, command.offset, `${printExpression(command.base)} has no printable value`)
  }
  const isElement = command.base.kind === 'context' && runtime.contextIsElement && typeof value === 'number'
  const text = isElement ? formatGoValue(value) : printValue(value, runtime.budget)
  write(runtime, isSpecial(value) && value.kind === 'rendered' ? text : runtime.escape(text))
}

function executeFirst(runtime: Runtime, command: Command): Piped {
  const target = evaluate(runtime, command.base)
  // Calling an undefined function returns undefined, as in Jet.
  if (command.args === undefined || target === undefined) return { kind: 'value', value: target }
  if (!isFunction(target)) {
    const name = JSON.stringify(printExpression(command.base))
    failAt(runtime, command.offset, `command ${name} has arguments but is ${jetTypeName(target)}, not a function`)
  }
  const args = command.args.map((expression) => ({ expression }))
  return run(runtime, command, { target, args })
}

function executeNext(runtime: Runtime, command: Command, piped: JetValue): Piped {
  const target = evaluate(runtime, command.base)
  if (target === undefined) failAt(runtime, command.offset, 'base expression of command pipe node is invalid value')
  if (!isFunction(target)) {
    const name = JSON.stringify(printExpression(command.base))
    failAt(runtime, command.offset, `pipe command ${name} must be a function, but is ${jetTypeName(target)}`)
  }
  const given = command.args ?? []
  const hasSlot = given.some(({ kind }) => kind === 'slot')
  const args: JetArgument[] = given.map((expression) => (expression.kind === 'slot' ? { piped } : { expression }))
  return run(runtime, command, { target, args: hasSlot ? args : [{ piped }, ...args] })
}

function isFunction(value: JetValue): boolean {
  if (isSpecial(value)) return value.kind === 'builtin' || value.kind === 'writer'
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'function'
}

function run(
  runtime: Runtime,
  command: Command,
  { target, args }: { readonly target: JetValue; readonly args: readonly JetArgument[] },
): Piped {
  if (isWriter(target)) {
    for (const argument of args) {
      write(runtime, target.write(printValue(evaluateArgument(runtime, argument), runtime.budget)))
    }
    return { kind: 'written' }
  }
  const print = (): string => printExpression(command.base)
  return { kind: 'value', value: call(runtime, target, { offset: command.offset, args, print }) }
}

function isWriter(value: JetValue): value is Extract<JetSpecial, { kind: 'writer' }> {
  return isSpecial(value) && value.kind === 'writer'
}
