// The single executable file: a copy of Node with the command line, what V8 has compiled of it, and the policies inside.
import { spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { inject } from 'postject'

/** Where Node looks for what is put into it; the second one is changed where something was. */
const RESOURCE = 'NODE_SEA_BLOB'
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** The machine an ELF file is for. */
const MACHINES = new Map([
  [0x3e, 'x64'],
  [0xb7, 'arm64'],
])

/** Writes `file`. `node` is the Node inside, of the version that runs this; `scratch` an empty directory. */
export async function makeOneFile({ root, file, node, arch, info, scratch }) {
  await checkNode(node, arch)
  const blob = await makeBlob({ root, arch, info, scratch })
  await mkdir(join(file, '..'), { recursive: true })
  await copyFile(await realpath(node), file)
  await chmod(file, 0o755)
  // Names that only a debugger reads are an eighth of it. What loads native modules needs is kept.
  const { status } = spawnSync('strip', [file], { stdio: 'ignore' })
  await injectQuietly(file, await readFile(blob))
  return { isStripped: status === 0 }
}

/** The layout of the blob is that of one version of Node, and compiled code that of one processor. */
async function checkNode(node, arch) {
  const bytes = await readFile(node)
  const machine = bytes.readUInt32BE(0) === 0x7f454c46 ? MACHINES.get(bytes.readUInt16LE(18)) : undefined
  if (machine === undefined) throw new Error(`${node} is no program for Linux on x64 or arm64`)
  if (machine !== arch)
    throw new Error(`${node} is for ${machine}, not for ${arch}: name the right one with --node or --arch`)
  if (!bytes.includes(FUSE))
    throw new Error(`${node} cannot take a program: it must be a Node that is linked statically`)
  if (!bytes.includes(`node/${process.version}`) && !bytes.includes(process.version)) {
    throw new Error(`${node} is not Node ${process.version}, which runs this: use the same version`)
  }
}

async function makeBlob({ root, arch, info, scratch }) {
  const bin = join(root, 'dist/bin')
  const files = await readdir(bin)
  const command = files.find((name) => /^command-\w+\.js$/.test(name)).slice(0, -'.js'.length)
  const texts = { command: `${command}.js`, parts: `${command}.parts.js` }
  const bundles = Object.entries(texts).flatMap(([bundle, text]) => {
    const compiled = `${text}.${process.version}-${arch}`
    const caches = ['.cache', '.cache.baseline'].filter((suffix) => files.includes(compiled + suffix))
    return [
      [`${bundle}.js`, join(bin, text)],
      ...caches.map((suffix) => [bundle + suffix, join(bin, compiled + suffix)]),
    ]
  })
  const folders = await Promise.all(
    ['dist/policies', 'policies', 'policies/catalogue', 'policies/recommendations'].map(async (folder, index) => {
      const names = (await readdir(join(root, folder))).filter((name) => name.endsWith('.yaml')).toSorted()
      const list = join(scratch, `folder-${index}.json`)
      await writeFile(list, JSON.stringify(names))
      return [[`${folder}/`, list], ...names.map((name) => [`${folder}/${name}`, join(root, folder, name)])]
    }),
  )
  const build = join(scratch, 'build.json')
  await writeFile(build, JSON.stringify(info))
  const assets = {
    ...Object.fromEntries(bundles),
    'build.json': build,
    ...Object.fromEntries(folders.flat()),
  }
  // Node writes the name of the main file into the blob, so it is one without a directory.
  await copyFile(join(bin, 'one-file.js'), join(scratch, 'driftgate.js'))
  const config = { main: 'driftgate.js', output: 'blob', disableExperimentalSEAWarning: true, assets }
  await writeFile(join(scratch, 'config.json'), JSON.stringify(config))
  const { status, stderr } = spawnSync(process.execPath, ['--experimental-sea-config', 'config.json'], {
    cwd: scratch,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`Node made no blob: ${stderr}`)
  return join(scratch, 'blob')
}

/** postject prints warnings about sections that it then writes correctly. */
async function injectQuietly(file, blob) {
  const { log, warn, error } = console
  Object.assign(console, { log: () => {}, warn: () => {}, error: () => {} })
  try {
    await inject(file, RESOURCE, blob, { sentinelFuse: FUSE })
  } finally {
    Object.assign(console, { log, warn, error })
  }
}
