import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

/**
 * Bundles TypeScript into one module that a child process of the running Node can execute, and returns its path. Imports
 * in the text are relative to the project's root.
 */
export async function bundle(text: string): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'driftgate-bundle-')), 'child.mjs')
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
