// Makes what is installed without npm: the single executable file and the packages around it, in `packages` or the directory of
// --out, with their sums. `--node PATH --arch arm64` makes them of another Node, of the version that runs this. `--only binary` ends with the first.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadSources } from './build/load-sources.mjs'
import { buildInfo } from './package/build-info.mjs'
import { debName, debOf } from './package/deb.mjs'
import { makeOneFile } from './package/one-file.mjs'
import { gzipped, tarOf } from './package/tar.mjs'
import { treeOf } from './package/tree.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** What packages are made of beside the program: commands, for their pages and completions, and the units of a schedule and an agent. */
const SOURCES = `export { commands } from './src/cli/commands/index.ts'
  export { withSubcommands } from './src/cli/command.ts'
  export { usageLine } from './src/cli/help.ts'
  export { systemdUnits } from './src/runs/schedule/systemd-units.ts'
  export { agentUnit } from './src/runs/schedule/agent-unit.ts'`
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'packages') },
    node: { type: 'string', default: process.execPath },
    arch: { type: 'string', default: process.arch },
    only: { type: 'string' },
  },
})
const out = resolve(values.out)
const info = buildInfo(root)
const scratch = await mkdtemp(join(tmpdir(), 'driftgate-package-'))

try {
  await mkdir(out, { recursive: true })
  const name = `driftgate-${info.version}-linux-${values.arch}`
  const file = join(out, name)
  const { isStripped } = await makeOneFile({ ...values, root, file, info, scratch })
  await tell(file, isStripped ? '' : ', with the names of its functions, because "strip" could not take them out')
  if (values.only !== 'binary') await makePackages(file, name)
} finally {
  await rm(scratch, { recursive: true, force: true })
}

async function makePackages(program, name) {
  const tree = treeOf({ root, program, info, sources: await loadSources(root, SOURCES) })
  const inFolder = tree.map((entry) => ({ ...entry, path: `${name}/${entry.path}` }))
  const files = [program]
  const write = async (path, bytes) => {
    await writeFile(join(out, path), bytes)
    await tell(join(out, path))
    files.push(join(out, path))
  }
  await write(debName(info.version, values.arch), debOf(tree, { arch: values.arch, info }))
  await write(`${name}.tar.gz`, gzipped(tarOf(inFolder, info.seconds ?? 0)))
  files.push(await packForNpm())
  const sums = await Promise.all(files.map(async (path) => `${sha256(await readFile(path))}  ${basename(path)}\n`))
  await writeFile(join(out, `SHA256SUMS-${values.arch}`), sums.join(''))
}

/** What npm would publish, and beside the command of what it was made. */
async function packForNpm() {
  await writeFile(join(root, 'dist/bin/build.json'), JSON.stringify(info))
  const pack = ['pack', '--offline', '--no-update-notifier', '--ignore-scripts', '--silent', '--pack-destination', out]
  const { status, stdout, stderr } = spawnSync('npm', pack, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm pack ended with ${status}: ${stderr}`)
  await tell(join(out, stdout.trim()))
  return join(out, stdout.trim())
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

async function tell(file, note = '') {
  const { size } = await stat(file)
  console.log(`${file}: ${(size / 1_000_000).toFixed(1)} MB${note}`)
}
