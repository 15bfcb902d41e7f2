// What packages are made of beside the program: the declarations of commands, from which pages and completions follow, and the units
// of a schedule.
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** The modules of the sources that packages need, loaded once and thrown away. */
export async function loadSources(root) {
  const folder = await mkdtemp(join(root, 'node_modules/.driftgate-package-'))
  try {
    await build({
      stdin: {
        contents: `export { commands } from './src/cli/commands/index.ts'
          export { usageLine } from './src/cli/help.ts'
          export { systemdUnits } from './src/schedule/systemd-units.ts'`,
        resolveDir: root,
        loader: 'ts',
      },
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
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
