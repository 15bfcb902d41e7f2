import type { Position } from '../../../model/problem.ts'
import { positionAt, type SourceText } from '../../../policy/document/lines.ts'

/** Where something of an inventory is written. */
export interface Place {
  readonly source: SourceText
  readonly offset: number
}

/** A variable of Ansible. */
export interface Variable {
  /** Plain data: whole numbers are bigint. Means nothing where it is `unusable`. */
  readonly value: unknown
  readonly place: Place
  /** Why nobody but Ansible knows its value. */
  readonly unusable?: 'encrypted' | 'template' | 'unreadable'
}

/** Variables by name. */
export type Variables = ReadonlyMap<string, Variable>

/** A variable with a value that was read. */
export function variableOf(value: unknown, place: Place): Variable {
  if (holds(value, (text) => text.startsWith('$ANSIBLE_VAULT;'))) return { value, place, unusable: 'encrypted' }
  if (holds(value, (text) => /\{[{%#]/.test(text))) return { value, place, unusable: 'template' }
  return { value, place }
}

/** Where it is written, for who has to find it. */
export function positionOf({ source, offset }: Place): Position {
  return positionAt(source, offset)
}

function holds(value: unknown, has: (text: string) => boolean): boolean {
  if (typeof value === 'string') return has(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, inner]) => has(key) || holds(inner, has))
}

/**
 * Hides the lines of a text that may hold a secret from messages: a password in an inventory must not be shown because something else on
 * its line is wrong.
 */
export function hideSecrets({ text, secrets }: SourceText): void {
  for (const [index, line] of text.split('\n').entries()) {
    if (NAMES_A_SECRET.test(line)) secrets.lines.add(index + 1)
  }
}

/** What the name of a variable or a line around it tells of its value. */
export const NAMES_A_SECRET: RegExp =
  /pass|secret|token|credential|vault|(?:private|api|access|encryption)_?key|(?:^|_)pin(?:_|$)/i
