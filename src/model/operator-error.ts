import type { Problem } from './problem.ts'

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
