import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

/**
 * Bundles TypeScript into one module that a child process of the running Node can execute, and returns its path. Imports
 * in the text are relative to the project's root.
 */
export async function bundle(text: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-bundle-'))
  // Bundles are shared by the tests of a file, so they go when its worker ends.
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const outfile = join(directory, 'child.mjs')
  await build({
    stdin: { contents: text, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile,
    logLevel: 'error',
  })
  return outfile
}
