/** A place in a policy file. Line and column count from 1; the column counts UTF-16 units as editors do. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** Something wrong with what the operator gave us, with where it is and the line it is on. */
export interface Problem {
  readonly message: string
  readonly position?: Position
  /** The source line the position points into, for the caret. */
  readonly sourceLine?: string
  readonly severity: 'error' | 'warning'
}

/** Either a value with the warnings met on the way, or every problem that prevented it. */
export type Result<T> =
  | { readonly ok: true; readonly value: T; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] }
