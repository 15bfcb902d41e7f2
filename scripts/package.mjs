// Makes what is installed without npm: the single executable file and the packages around it, in `packages` or the directory of
// --out, with their sums. The Node inside is the pinned one of --arch; `--node PATH` takes another, of the version that runs this.
// `--only binary` ends with the first. `--sign FILE` signs the sums with an Ed25519 key in PEM.
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
import { fetchRuntime, RUNTIME } from './package/runtime.mjs'
import { rpmOf } from './package/rpm.mjs'
import { sbomOf } from './package/sbom.mjs'
import { signatureOf } from './package/sign.mjs'
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
    node: { type: 'string' },
    arch: { type: 'string', default: process.arch },
    only: { type: 'string' },
    sign: { type: 'string' },
  },
})
if (values.node === undefined && process.versions.node !== RUNTIME) await restart()
const node = values.node ?? (await fetchRuntime(values.arch))
const out = resolve(values.out)
const info = buildInfo(root)
const scratch = await mkdtemp(join(tmpdir(), 'driftgate-package-'))

try {
  await mkdir(out, { recursive: true })
  const name = `driftgate-${info.version}-linux-${values.arch}`
  const file = join(out, name)
  const { isStripped } = await makeOneFile({ ...values, node, root, file, info, scratch })
  await tell(file, isStripped ? '' : ', with the names of its functions, because "strip" could not take them out')
  if (values.only !== 'binary') await makePackages(file, name)
} finally {
  await rm(scratch, { recursive: true, force: true })
}

/** The blob is laid out and compiled by the Node that it is for, so the pinned one of this processor does the work. */
async function restart() {
  const program = await fetchRuntime(process.arch)
  for (const args of [[join(root, 'dist/bin/make-cache.js')], process.argv.slice(1)]) {
    const { status } = spawnSync(program, args, { stdio: 'inherit' })
    if (status !== 0) process.exit(status ?? 1)
  }
  process.exit(0)
}

async function makePackages(program, name) {
  const sbom = sbomOf({ root, info, runtime: process.versions.node })
  const tree = treeOf({ root, program, info, sbom, sources: await loadSources(root, SOURCES) })
  const inFolder = tree.map((entry) => ({ ...entry, path: `${name}/${entry.path}` }))
  const files = [program]
  const write = async (path, bytes) => {
    await writeFile(join(out, path), bytes)
    await tell(join(out, path))
    files.push(join(out, path))
  }
  await write(debName(info.version, values.arch), debOf(tree, { arch: values.arch, info }))
  await write(`${name}.tar.gz`, gzipped(tarOf(inFolder, info.seconds ?? 0)))
  await write(`${name}.cdx.json`, sbom)
  const rpm = rpmOf(tree, { arch: values.arch, info, scratch })
  if (rpm === undefined) console.log('no rpm, because rpmbuild is not installed')
  else await write(basename(rpm), await readFile(rpm))
  files.push(await packForNpm())
  const sums = await Promise.all(files.map(async (path) => `${sha256(await readFile(path))}  ${basename(path)}\n`))
  const list = join(out, `SHA256SUMS-${values.arch}`)
  await writeFile(list, sums.join(''))
  if (values.sign !== undefined) {
    await writeFile(`${list}.sig`, signatureOf(Buffer.from(sums.join('')), await readFile(values.sign, 'utf8')))
  }
}

/** What npm would publish, and beside the command of what it was made. */
async function packForNpm() {
  await writeFile(join(root, 'dist/bin/build.json'), JSON.stringify(info))
  await writeFile(join(root, 'dist/sbom.cdx.json'), sbomOf({ root, info }))
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
