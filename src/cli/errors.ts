import { escapeForTerminal } from '../core/escape.ts'
import { OperatorError } from '../core/operator-error.ts'

/** Wrong usage of a command. */
export function usageError(message: string, command: string): OperatorError {
  return new OperatorError(message, { helpOf: command })
}

/**
 * What standard error says about a failure: the message of an `OperatorError` with where to find help; for anything
 * else, which is our fault, one line, and the stack only with `DRIFTGATE_DEBUG`.
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
