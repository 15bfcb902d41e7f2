/** The key of an assignment that matters for every key: what it does to them is not known. */
export const ANY_KEY = '*'

/** One line that gives a key a value. */
export interface Assignment {
  /** Empty where the format has no sections, or the line stands before the first. */
  readonly section: string
  /** As it is written. */
  readonly key: string
  /** As the program takes it: without quotes, one space for the break of a continued line. */
  readonly value: string
  readonly file: string
  /** From 1. */
  readonly line: number
  /** For whom alone it counts, as it is written: the condition of a `Match` block, say. */
  readonly scope?: string
  /** Why nobody can tell what the program makes of it. */
  readonly unclear?: string
  /** Why nobody can tell whether it counts; what it is, is known. */
  readonly doubt?: string
  /** Whether it is what the scope has where nothing is written; it stands in no file then. */
  readonly isUnwritten?: true
}

/** Which key a policy means. The section is empty where there is none. */
export interface KeyName {
  readonly section: string
  readonly key: string
}
