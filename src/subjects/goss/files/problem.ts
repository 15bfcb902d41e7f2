/** Something wrong in a document of Goss, with the keys that lead to it: an empty path is the document. */
export interface GossProblem {
  readonly path: readonly string[]
  readonly message: string
  /** Whether it is only to be said. */
  readonly isWarning?: true
}

/** Collects problems below a place. */
export interface Finder {
  readonly problem: (message: string) => void
  readonly warning: (message: string) => void
  readonly below: (...keys: readonly (string | number)[]) => Finder
}

/** A finder that adds what is found to a list. */
export function findInto(problems: GossProblem[], path: readonly string[] = []): Finder {
  return {
    problem: (message) => void problems.push({ path, message }),
    warning: (message) => void problems.push({ path, message, isWarning: true }),
    below: (...keys) => findInto(problems, [...path, ...keys.map(String)]),
  }
}

/** A problem as a sentence of its own: the keys that lead to it, and what is wrong there. */
export function sentence(path: readonly string[], message: string): string {
  return path.length === 0 ? message : `${path.join(': ')}: ${message}`
}
