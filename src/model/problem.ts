/** A position in a policy file. Line and column count from 1; the column counts UTF-16 units, as editors do. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A problem with the operator's input, with its position and source line. */
export interface Problem {
  readonly message: string
  readonly position?: Position
  /** The source line of the position, for the caret. */
  readonly sourceLine?: string
  readonly severity: 'error' | 'warning'
}

/** A value with warnings, or all problems that prevented it. */
export type Result<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] }
