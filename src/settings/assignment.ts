/** The key of an assignment that matters for every key: what it does to them is not known. */
export const ANY_KEY = '*'

/** What a line stands in, where programs hand values down from one block to those within it. */
export interface Block {
  /** All of the file; what holds servers; one of these; or what stands within one. */
  readonly kind: 'main' | 'group' | 'server' | 'inner'
  /** What it is called in messages. */
  readonly label: string
  readonly parent?: Block
  /** The names of all directives in it. */
  readonly lists: ReadonlySet<string>
  /** Whether it is, or stands in, a server that listens with TLS. */
  readonly isTls: boolean
  /** Whether it is, or stands in, what is about HTTP. */
  readonly isWeb: boolean
}

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
  /** Why the program's reading of it is unknown. */
  readonly unclear?: string
  /** Why its effect is unknown; what it is, is known. */
  readonly doubt?: string
  /** The block in which it stands, where blocks matter. */
  readonly block?: Block
  /** Whether it is what the scope has where nothing is written; it stands in no file then. */
  readonly isUnwritten?: true
}

/** Which key a policy means. The section is empty if absent. */
export interface KeyName {
  readonly section: string
  readonly key: string
}
