// A saved image of 200 MB: scanning it means to read all of it, to compare the hash of each layer, and to merge them. Beside that
// what others need to read the same file once, and to hash it once.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

/** As many files as a distribution with a language and its libraries has, below directories of forty. */
const LAYERS = [9_000, 3_000]
const IMAGE_BYTES = 200e6
const FILES_IN_EACH = 40
const ARCHITECTURES = { x64: 'amd64', ia32: '386' }

export async function run({ driftgate, folder, median, peakMemoryBytes, compare, isInstalled }) {
  const place = join(folder, 'image')
  const image = makeImage(place)
  const policy = join(folder, 'image.json')
  const file = { ensure: 'present', owner: 'root', group: 'root', mode: '0644' }
  writeFileSync(policy, JSON.stringify({ ccm: { resources: [{ file: [{ '/etc/passwd': file }] }] } }))
  const scan = driftgate('scan', policy, '--target', `image:${image}`, '--quiet')
  const others = [
    ['cat', ['cat', image]],
    ['sha256sum', ['sha256sum', image]],
    ...(isInstalled('openssl') ? [['openssl dgst -sha256', ['openssl', 'dgst', '-sha256', image]]] : []),
  ]
  const [scanned, ...times] = median([scan, ...others.map(([, command]) => command)], { runs: 7 })
  const peak = await peakMemoryBytes(scan)
  const work = `image of 200 MB, ${LAYERS.reduce((sum, each) => sum + each).toLocaleString('en')} files, whole command`
  return [
    ...others.map(([name], at) =>
      compare(work, scanned, { against: name, baseline: times[at], ...(name === 'cat' ? { atMost: 3 } : {}) }),
    ),
    { work: 'image of 200 MB, memory', measured: peak / 1024 ** 2, unit: 'MB' },
  ]
}

/** What `docker save` writes, of layers as `tar` makes them. */
function makeImage(place) {
  const sizeBytes = Math.floor(IMAGE_BYTES / LAYERS.reduce((sum, each) => sum + each)) - 512
  const layers = LAYERS.map((count, number) => {
    const tree = join(place, `layer-${number}`)
    for (let index = 0; index < count; index++) {
      const directory = join(tree, 'usr/share', `${number}-${Math.floor(index / FILES_IN_EACH)}`)
      if (index % FILES_IN_EACH === 0) mkdirSync(directory, { recursive: true })
      writeFileSync(join(directory, `file-${index}`), Buffer.alloc(sizeBytes, String(index)))
    }
    mkdirSync(join(tree, 'etc'), { recursive: true })
    writeFileSync(join(tree, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n', { mode: 0o644 })
    writeFileSync(join(tree, 'etc/group'), 'root:x:0:\n', { mode: 0o644 })
    const name = `layer-${number}.tar`
    execFileSync('tar', ['--create', '--owner=0', '--group=0', '--file', name, '--directory', tree, '.'], {
      cwd: place,
    })
    rmSync(tree, { recursive: true })
    return { name, diffId: `sha256:${sha256(readFileSync(join(place, name)))}` }
  })
  const config = JSON.stringify({
    os: 'linux',
    architecture: ARCHITECTURES[process.arch] ?? process.arch,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  })
  const configName = `${sha256(config)}.json`
  writeFileSync(join(place, configName), config)
  const manifest = [{ Config: configName, RepoTags: ['bench:1'], Layers: layers.map(({ name }) => name) }]
  writeFileSync(join(place, 'manifest.json'), JSON.stringify(manifest))
  const files = [...layers.map(({ name }) => name), configName, 'manifest.json']
  execFileSync('tar', ['--create', '--file', 'image.tar', ...files], { cwd: place })
  for (const { name } of layers) rmSync(join(place, name))
  return join(place, 'image.tar')
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}
