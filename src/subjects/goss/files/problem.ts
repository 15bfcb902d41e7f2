/** A problem in a Goss document, with its key path; an empty path is the document. */
export interface GossProblem {
  readonly path: readonly string[]
  readonly message: string
  /** Whether the problem is only a warning. */
  readonly isWarning?: true
}

/** Collects problems at a key path. */
export interface Finder {
  readonly problem: (message: string) => void
  readonly warning: (message: string) => void
  readonly below: (...keys: readonly (string | number)[]) => Finder
}

/** Creates a finder that appends to a list. */
export function findInto(problems: GossProblem[], path: readonly string[] = []): Finder {
  return {
    problem: (message) => void problems.push({ path, message }),
    warning: (message) => void problems.push({ path, message, isWarning: true }),
    below: (...keys) => findInto(problems, [...path, ...keys.map(String)]),
  }
}

/** Formats a problem as a sentence with its key path. */
export function sentence(path: readonly string[], message: string): string {
  return path.length === 0 ? message : `${path.join(': ')}: ${message}`
}
