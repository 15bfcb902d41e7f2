// Builds dist: the library with its types by tsc, and the command line as one bundle with chunks that load when needed.
import { spawnSync } from 'node:child_process'
import { chmod, cp, readdir, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')

// Yargs and others are CommonJS inside and ask for Node's modules with `require`, which a module does not have.
const REQUIRE = `import { createRequire as $createRequire } from 'node:module'; const require = $createRequire(import.meta.url);`

await rm(dist, { recursive: true, force: true })
runNode('scripts/generate.mjs')
runNode(createRequire(import.meta.url).resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json')
// What is generated as JavaScript is nothing tsc would write.
await cp(join(root, 'src/policy/generated'), join(dist, 'policy/generated'), { recursive: true })
// The command line is no part of the library: it is bundled below.
await rm(join(dist, 'cli'), { recursive: true })
await build({
  absWorkingDir: root,
  entryPoints: { driftgate: 'src/cli/main.ts' },
  outdir: 'dist/bin',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  minifyWhitespace: true,
  minifySyntax: true,
  // One banner per file: only chunks with CommonJS inside need it, but all may have it.
  banner: { js: REQUIRE },
  legalComments: 'none',
  logLevel: 'warning',
})
await chmod(join(dist, 'bin/driftgate.js'), 0o755)

const chunks = await readdir(join(dist, 'bin/chunks'))
console.log(`built dist: library, and dist/bin/driftgate.js with ${chunks.length} chunks`)

function runNode(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
