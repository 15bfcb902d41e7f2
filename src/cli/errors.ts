import { escapeForTerminal } from '../model/escape.ts'
import { OperatorError } from '../model/operator-error.ts'
import type { Problem } from '../model/problem.ts'
import type { Io } from './output/io.ts'

export function usageError(message: string, command: string): OperatorError {
  return new OperatorError(message, { helpOf: command })
}

/**
 * Formats a failure for standard error: the message of an `OperatorError` with a hint to the help; for an internal
 * error one line, with the stack only if `DRIFTGATE_DEBUG` is set.
 */
export function describeFailure(error: unknown, env: Readonly<Record<string, string | undefined>>): string {
  const message = escapeForTerminal(error instanceof Error ? error.message : String(error))
  if (error instanceof OperatorError) {
    const help = error.helpOf === undefined ? '' : `Run "${`driftgate ${error.helpOf}`.trim()} --help" for usage.\n`
    return `driftgate: ${message}\n${help}`
  }
  const isDebugging = env['DRIFTGATE_DEBUG'] !== undefined && env['DRIFTGATE_DEBUG'] !== ''
  return isDebugging && error instanceof Error && error.stack !== undefined
    ? `driftgate: internal error\n${error.stack}\n`
    : `driftgate: internal error: ${message} (set DRIFTGATE_DEBUG=1 for details)\n`
}

/** Prints a failure to standard error, with the positions of all problems that the operator can correct. */
export async function tellFailure(error: unknown, io: Io): Promise<void> {
  if (error instanceof OperatorError && error.problems.length > 0) await reportProblems(error.problems, io)
  else io.say(describeFailure(error, io.env))
}

/** Limits the output: one mistake can repeat in thousands of resources. Reports contain all problems. */
const MOST_SHOWN = 200

/**
 * Prints problems to standard error with position and source line; beyond the limit only the first, errors before
 * warnings.
 */
export async function reportProblems(problems: readonly Problem[], io: Io): Promise<void> {
  if (problems.length === 0) return
  const { problemLines } = await import('../model/format-problem.ts')
  const paint = await io.paintMessages()
  const shown =
    problems.length <= MOST_SHOWN
      ? problems
      : problems.toSorted((left, right) => rankOf(left) - rankOf(right)).slice(0, MOST_SHOWN)
  for (const problem of shown) {
    const [headline = '', ...excerpt] = problemLines(problem)
    const tone = problem.severity === 'error' ? 'bad' : 'warn'
    io.say([paint(tone, headline), ...excerpt].map((line) => `${line}\n`).join(''))
  }
  if (shown.length < problems.length) io.say(`and ${problems.length - shown.length} more problems\n`)
}

function rankOf({ severity }: Problem): number {
  return severity === 'error' ? 0 : 1
}
