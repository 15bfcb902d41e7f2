import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const PROJECT: string = fileURLToPath(new URL('../..', import.meta.url))

/** The documents for users, by their path in the project. */
export const DOCUMENTS: readonly string[] = ['README.md', ...pagesOf('docs/guide'), ...pagesOf('docs/tutorials')]

/** The pages that are written from the resource types, by their path in the project. */
export const REFERENCE: readonly string[] = pagesOf('docs/reference')

function pagesOf(folder: string): readonly string[] {
  return readdirSync(join(PROJECT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
}

export function readDocument(path: string): string {
  return readFileSync(join(PROJECT, path), 'utf8')
}

/** What a machine needs for the examples of a document, as its comment `needs: a b` says: programs, or to be `root`. */
export function neededBy(markdown: string): readonly string[] {
  const [, programs = ''] = /^<!-- needs: (.*) -->$/m.exec(markdown) ?? []
  return programs.split(' ').filter((program) => program !== '')
}
