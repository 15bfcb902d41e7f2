import type { Redactor } from './redactor.ts'

/** Shorter numbers would blank out half of every sentence; what is made of them is hidden as a whole anyway. */
const SHORTEST_SECRET_NUMBER = 4

/** Every text and number in a value, at any depth, as text. What is called something is no secret, only its value. */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value === 'number' || typeof value === 'bigint') {
    const text = String(value)
    return text.length < SHORTEST_SECRET_NUMBER ? [] : [text]
  }
  if (typeof value !== 'object' || value === null) return []
  const items: Iterable<unknown> = value instanceof Map ? value.values() : Object.values(value)
  return [...items].flatMap(textsOf)
}

/** Tells a redactor every text of a secret, and of one of several lines each line, as differences show it. */
export function noteTexts(value: unknown, redactor: Redactor): void {
  for (const text of textsOf(value)) {
    redactor.addSecret(text)
    if (text.includes('\n')) for (const line of text.split('\n')) redactor.addSecret(line.trim())
  }
}
