import { escapeForTerminal } from '../core/escape.ts'
import type { Problem } from '../core/problem.ts'

interface OperatorErrorDetails {
  readonly helpOf?: string
  readonly problems?: readonly Problem[]
}

/**
 * Something the operator can correct kept the command from doing its work: the message is shown as it is, without a
 * stack trace, and the exit code is 1.
 */
export class OperatorError extends Error {
  /** The command whose help says more, where the words on the command line were wrong. */
  readonly helpOf: string | undefined
  /** What is wrong with a file of the operator, each with its place, where the message alone would not say it. */
  readonly problems: readonly Problem[]

  constructor(message: string, options: ErrorOptions & OperatorErrorDetails = {}) {
    super(message, options)
    this.name = 'OperatorError'
    this.helpOf = options.helpOf
    this.problems = options.problems ?? []
  }
}

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

/** What went wrong with a file, in words, from a system error. */
export function systemReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error))
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOENT: 'no such directory',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'a part of the path is not a directory',
  EISDIR: 'it is a directory',
  EROFS: 'the file system is read-only',
  ENXIO: 'nobody reads the pipe',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'the name is too long',
}
