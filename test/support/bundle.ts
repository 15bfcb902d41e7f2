import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

/** A program for a child process. It stays until it is removed. */
export interface Bundle {
  readonly file: string
  readonly remove: () => void
}

/**
 * Bundles TypeScript into one module that a child process of the running Node can execute. Imports in the text are
 * relative to the project's root.
 */
export async function bundle(text: string): Promise<Bundle> {
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-bundle-'))
  const file = join(directory, 'child.mjs')
  await build({
    stdin: { contents: text, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile: file,
    logLevel: 'error',
  })
  return { file, remove: () => rmSync(directory, { recursive: true, force: true }) }
}
