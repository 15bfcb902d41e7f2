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
