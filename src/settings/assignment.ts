/** The key of an assignment with an unknown effect on every key. */
export const ANY_KEY = '*'

/** The block of a directive, in programs where inner blocks inherit values. */
export interface Block {
  /** The whole file; a block with servers; a server; or a block within one. */
  readonly kind: 'main' | 'group' | 'server' | 'inner'
  /** Its name in messages. */
  readonly label: string
  readonly parent?: Block
  /** The names of all directives in it. */
  readonly lists: ReadonlySet<string>
  /** Whether the block is, or is in, a server with TLS. */
  readonly isTls: boolean
  /** Whether the block is, or is in, an HTTP block. */
  readonly isWeb: boolean
}

/** A line that assigns a value to a key. */
export interface Assignment {
  /** Empty if the format has no sections, or before the first section. */
  readonly section: string
  /** As written. */
  readonly key: string
  /** As the program reads it: without quotes, with one space for the break of a continued line. */
  readonly value: string
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  /** The restriction of its effect, as written, such as the condition of a `Match` block. */
  readonly scope?: string
  /** Why its value is unknown. */
  readonly unclear?: string
  /** Why its effect is unknown, although its value is known. */
  readonly doubt?: string
  /** Its block, in formats with blocks. */
  readonly block?: Block
  /** Whether it is the default of the scope rather than a line of a file. */
  readonly isUnwritten?: true
}

/** The key of a policy. The section may be empty. */
export interface KeyName {
  readonly section: string
  readonly key: string
}
