import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The directory of this project. */
export const PROJECT: string = fileURLToPath(new URL('../..', import.meta.url))

/** The documents for users, by their path in the project. */
export const DOCUMENTS: readonly string[] = ['README.md', ...guides()]

function guides(): readonly string[] {
  return readdirSync(join(PROJECT, 'docs/guide'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/guide/${name}`)
}

/** The text of a document. */
export function readDocument(path: string): string {
  return readFileSync(join(PROJECT, path), 'utf8')
}

/** The programs a machine needs for the examples of a document, as its comment `needs: a b` says. */
export function neededBy(markdown: string): readonly string[] {
  const [, programs = ''] = /^<!-- needs: (.*) -->$/m.exec(markdown) ?? []
  return programs.split(' ').filter((program) => program !== '')
}
