import { OperatorError } from '../../core/operator-error.ts'

/** That the format of a report does not work: it threw `cause`, or where there is none gave something that is no text. */
export function cannotMake(format: string, ...cause: readonly [cause?: unknown]): OperatorError {
  if (cause.length === 0) return new OperatorError(`the report ${format} cannot be made: its format gives no text`)
  const [error] = cause
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return new OperatorError(`the report ${format} cannot be made: its format throws ${reason}`, { cause: error })
}
