import type { Reading } from '../../model/observation.ts'
import type { Assignment, KeyName } from '../assignment.ts'

/** What an edit comes to: a text that differs in this key alone, or why that cannot be guaranteed. */
export type Edited =
  { readonly kind: 'edited'; readonly text: string } | { readonly kind: 'refused'; readonly reason: string }

/** Which lines of a text an edit is about. */
export interface EditPlace extends KeyName {
  /** Whether an assignment is one of this key. */
  readonly isSame: (found: KeyName) => boolean
  /** Which of several lines is changed: the one that counts, or all of them together. */
  readonly which: 'first' | 'last' | 'all'
}

/** A way to write keys and values. Edits keep comments, order and spacing of everything else. */
export interface Format {
  readonly name: string
  /** Whether keys stand in sections. */
  readonly hasSections: boolean
  /** The key that a text means, where that is another one. */
  readonly keyOf?: (text: string) => string
  /** The assignments of a text in their order; unknown where the program would refuse it. */
  parse(text: string, file: string): Reading<readonly Assignment[]>
  /** Gives the key these values, one in a line each, where it stands, or else in new lines of its section. */
  set(text: string, place: EditPlace, values: readonly string[]): Edited
  /** Takes every line of the key out. */
  remove(text: string, place: EditPlace): Edited
}

/** `/a/b` or `a.b`: formats whose values stand in each other have paths as keys. */
export function keyPathOf(text: string): string {
  return text.startsWith('/') ? text : `/${text.replaceAll('.', '/')}`
}

/** A value of JSON or YAML that is no text. */
export const PLAIN_VALUE = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/

/** What taking a key out of a format comes to whose other lines it may change. */
export function removedByHand(format: string): Edited {
  return {
    kind: 'refused',
    reason: `taking a key out of ${format} may change how the rest is written: do it by hand`,
  }
}

/** What adding a key comes to where other lines would change with it. */
export function addedByHand(key: string): Edited {
  return { kind: 'refused', reason: `${key} cannot be added without changing how the rest is written: add it by hand` }
}
