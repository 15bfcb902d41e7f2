// Bundles the engines from the sources of the working tree, so that what runs is always what is there.
import { build } from 'esbuild'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const root = path.resolve(import.meta.dirname, '../..')

/** Calls `use` with a map from engine name to engine and loaded module; engines without sources are left out. */
export async function withEngines(engines, use) {
  const present = engines.filter((engine) => existsSync(path.join(root, engine.entry)))
  const folder = mkdtempSync(path.join(tmpdir(), 'driftgate-conformance-'))
  try {
    await build({
      absWorkingDir: root,
      entryPoints: Object.fromEntries(present.map((engine) => [engine.name, engine.entry])),
      bundle: true,
      // Modules shared by engines must exist once: errors are told apart by their class.
      splitting: true,
      format: 'esm',
      platform: 'node',
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      logLevel: 'warning',
    })
    const loaded = new Map()
    for (const engine of present) {
      const module = await import(pathToFileURL(path.join(folder, `${engine.name}.mjs`)).href)
      loaded.set(engine.name, { ...engine, module })
    }
    return await use(loaded)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
