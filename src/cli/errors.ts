/**
 * Something the operator can correct kept the command from doing its work: the message is shown as it is, without a
 * stack trace, and the exit code is 1.
 */
export class OperatorError extends Error {
  /** The command whose help says more, where the words on the command line were wrong. */
  readonly helpOf: string | undefined

  constructor(message: string, options: ErrorOptions & { readonly helpOf?: string } = {}) {
    super(message, options)
    this.name = 'OperatorError'
    this.helpOf = options.helpOf
  }
}

/** Wrong usage of a command. */
export function usageError(message: string, command: string): OperatorError {
  return new OperatorError(message, { helpOf: command })
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
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'the name is too long',
}
