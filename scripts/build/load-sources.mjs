import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** The modules of the sources that a script names with `export` lines, loaded once and thrown away. */
export async function loadSources(root, contents, external = []) {
  const folder = await mkdtemp(join(root, 'node_modules/.driftgate-sources-'))
  try {
    await build({
      stdin: { contents, resolveDir: root, loader: 'ts' },
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      external,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      logLevel: 'warning',
    })
    return await import(pathToFileURL(join(folder, 'stdin.mjs')).href)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
