import type { Problem } from './problem.ts'
import { systemReason } from './system-reason.ts'

interface OperatorErrorDetails {
  readonly helpOf?: string
  readonly problems?: readonly Problem[]
}

/** An error that the operator can correct: the message is shown without a stack trace, and the exit code is 1. */
export class OperatorError extends Error {
  /** The command whose help is suggested, if the command line was wrong. */
  readonly helpOf: string | undefined
  /** The problems in a file of the operator with their positions, if the message alone does not list them. */
  readonly problems: readonly Problem[]

  constructor(message: string, options: ErrorOptions & OperatorErrorDetails = {}) {
    super(message, options)
    this.name = 'OperatorError'
    this.helpOf = options.helpOf
    this.problems = options.problems ?? []
  }
}

/** What `act` returns. An error becomes an `OperatorError` of what failed and the reason. */
export function attempt<Value>(failure: string, act: () => Value): Value {
  try {
    return act()
  } catch (error) {
    throw new OperatorError(`${failure}: ${systemReason(error)}`, { cause: error })
  }
}
