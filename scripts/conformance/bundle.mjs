// Bundles the engines from the sources of the working tree, so that what runs is always what is there.
import { build } from 'esbuild'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const root = path.resolve(import.meta.dirname, '../..')

/** Calls `use` with the loaded modules by name; those without sources are left out. */
export async function withModules(wanted, use) {
  const present = wanted.filter((module) => existsSync(path.join(root, module.entry)))
  const folder = mkdtempSync(path.join(root, 'node_modules/.driftgate-conformance-'))
  try {
    await build({
      absWorkingDir: root,
      entryPoints: Object.fromEntries(present.map((module) => [module.name, module.entry])),
      bundle: true,
      // One of them is loaded with the first pattern, so it must lie above the folder.
      packages: 'external',
      // Modules shared by engines must exist once: errors are told apart by their class.
      splitting: true,
      format: 'esm',
      platform: 'node',
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      logLevel: 'warning',
    })
    const modules = {}
    for (const { name } of present) {
      modules[name] = await import(pathToFileURL(path.join(folder, `${name}.mjs`)).href)
    }
    return await use(modules)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
