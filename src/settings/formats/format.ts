import type { Reading } from '../../model/observation.ts'
import type { Assignment, KeyName } from '../assignment.ts'

/** The result of an edit: a text that differs only in this key, or why that cannot be guaranteed. */
export type Edited =
  { readonly kind: 'edited'; readonly text: string } | { readonly kind: 'refused'; readonly reason: string }

/** The lines that an edit applies to. */
export interface EditPlace extends KeyName {
  /** Whether an assignment has this key. */
  readonly isSame: (found: KeyName) => boolean
  /** Which of several lines is changed: the effective one, or all of them. */
  readonly which: 'first' | 'last' | 'all'
}

/** A syntax of configuration files. Edits keep comments, order and spacing of all other lines. */
export interface Format {
  readonly name: string
  readonly hasSections: boolean
  /** Whether a carriage return at the end of a line is a part of its value. */
  readonly keepsReturns?: boolean
  /** Normalizes a key. */
  readonly keyOf?: (text: string) => string
  /** The assignments of a text, in order; unknown if the program would reject it. */
  parse(text: string, file: string): Reading<readonly Assignment[]>
  /** Assigns values to the key, one per line, in place or in new lines of its section. */
  set(text: string, place: EditPlace, values: readonly string[]): Edited
  /** Removes all lines of the key. */
  remove(text: string, place: EditPlace): Edited
}

/** Parses `/a/b` or `a.b`: nested formats have paths as keys. */
export function keyPathOf(text: string): string {
  return text.startsWith('/') ? text : `/${text.replaceAll('.', '/')}`
}

/** A JSON or YAML value that is not text. */
export const PLAIN_VALUE = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/

/** The refusal to remove a key if that could change other lines. */
export function removedByHand(format: string): Edited {
  return {
    kind: 'refused',
    reason: `removing a key from ${format} may reformat the rest: remove it by hand`,
  }
}

/** The refusal to add a key if that would change other lines. */
export function addedByHand(key: string): Edited {
  return { kind: 'refused', reason: `adding ${key} would reformat the rest: add it by hand` }
}
