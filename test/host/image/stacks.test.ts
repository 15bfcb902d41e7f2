import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openImageTarget } from '../../../src/host/image/open-image.ts'
import { openRootedTarget } from '../../../src/host/root/open-root.ts'
import type { Target } from '../../../src/host/target.ts'
import { dockerFiles, savedTar } from '../../support/image.ts'
import { numbersFrom } from '../../support/numbers.ts'
import { cases } from '../../support/soak.ts'
import { type TarEntry, tarBytes } from '../../support/tar-bytes.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'

/** What a layer does at a path; directories on the way have entries of their own, as every builder writes them. */
type Deed = TarEntry | 'whiteout' | 'opaque'

const NAMES = ['a', 'b', 'c d', 'ü', 'new\nline']
const STABLE = 'usr/stable'

function isDirectory(deed: Deed | undefined): boolean {
  return typeof deed === 'object' && deed.type === '5'
}

function generateLayer(next: () => number, isFirst: boolean): ReadonlyMap<string, Deed> {
  const deeds = new Map<string, Deed>()
  const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(next() * list.length)] as Value
  const entry = (more: Partial<TarEntry>): Omit<TarEntry, 'name'> => ({
    uid: pick([0, 0, 33, 1000]),
    gid: pick([0, 42, 1001]),
    mtime: Math.floor(next() * 1_700_000_000),
    ...more,
  })
  const isOther = (path: string): boolean => {
    const deed = deeds.get(path)
    return deed !== undefined && !isDirectory(deed)
  }
  const add = (path: string, deed: Omit<TarEntry, 'name'> | 'whiteout'): void => {
    const names = path.split('/')
    const above = names.slice(1).map((_name, index) => names.slice(0, index + 1).join('/'))
    if (deeds.has(path) || above.some(isOther)) return
    for (const directory of above) {
      if (!deeds.has(directory)) {
        deeds.set(directory, {
          name: `${directory}/`,
          ...entry({ type: '5', mode: pick([0o755, 0o700, 0o1777, 0o711]) }),
        })
      }
    }
    deeds.set(path, deed === 'whiteout' ? deed : { name: path, ...deed })
  }
  if (isFirst) add(STABLE, entry({ content: 'stable', mode: 0o640 }))
  for (let count = 4 + next() * 12; count > 0; count--) {
    const path = ['etc', ...Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(NAMES))].join('/')
    const content = pick(['', 'x', 'y'.repeat(700), `${next()}`])
    const files = [...deeds].flatMap(([name, deed]) => (typeof deed === 'object' && deed.type === '0' ? [name] : []))
    switch (Math.floor(next() * 8)) {
      case 0:
        add(path, 'whiteout')
        break
      case 1:
        add(
          path,
          entry({ type: '2', mode: 0o777, link: pick(['a', '../etc/b', '/etc/a', 'nowhere', '../../../usr/stable']) }),
        )
        break
      case 2:
        add(path, entry({ type: '1', link: pick([STABLE, ...files]) }))
        break
      case 3:
        add(path, entry({ type: '5', mode: pick([0o755, 0o750]) }))
        break
      case 4:
        add(path, entry({ type: '6', mode: 0o600 }))
        break
      case 5:
        add(`${path}/${pick(NAMES)}`, entry({ type: '0', content }))
        if (isDirectory(deeds.get(path)) && next() < 0.5) deeds.set(`${path}/.wh..wh..opq`, 'opaque')
        break
      default:
        add(path, entry({ type: '0', content, mode: pick([0o644, 0o600, 0o4755, 0o000]) }))
    }
  }
  return deeds
}

/** As a builder orders them, or with the opaque marks at the end. Whiteouts stand before all that has their directory. */
function entriesOf(deeds: ReadonlyMap<string, Deed>): readonly TarEntry[] {
  const opaque = [...deeds].flatMap(([name, deed]) => (deed === 'opaque' ? [{ name }] : []))
  const rest = [...deeds].flatMap(([path, deed]): TarEntry[] => {
    if (deed === 'opaque') return []
    return [deed === 'whiteout' ? { name: path.replace(/[^/]*$/, (name) => `.wh.${name}`) } : deed]
  })
  return [...rest, ...opaque]
}

/** Does with a directory what the layer says: what it hides goes first, then tar(1) unpacks what it has. */
function unpack(root: string, deeds: ReadonlyMap<string, Deed>): void {
  const stats = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false })
  for (const [path, deed] of deeds) {
    const at = join(root, path)
    if (deed === 'opaque') {
      const directory = join(at, '..')
      if (stats(directory)?.isDirectory() !== true) continue
      for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true })
    } else {
      const existing = stats(at)
      const stays = isDirectory(deed) && existing?.isDirectory() === true
      if (existing !== undefined && !stays) rmSync(at, { recursive: true })
    }
  }
  const archive = join(root, '..', 'layer.tar')
  writeFileSync(archive, tarBytes([...deeds.values()].filter((deed) => typeof deed === 'object')))
  const tar = spawnSync('tar', ['-xpf', archive, '--same-owner', '--numeric-owner', '-C', root])
  expect([tar.status, tar.stderr.toString()]).toEqual([0, ''])
}

async function seen(target: Target): Promise<readonly unknown[]> {
  const tree = target.files.listTree('/')
  if (tree.kind === 'unknown') throw new Error(tree.detail)
  return Promise.all(
    tree.value.map(async ({ path }) => {
      const at = `/${path}`
      const found = target.files.lstat(at)
      if (found.kind !== 'present') throw new Error(`${at} is not there`)
      const { kind, mode, uid, gid, sizeBytes, modifiedMs, linkCount } = found.state
      const isFile = kind === 'file'
      const digest = isFile ? await target.files.digest(at, found.state) : undefined
      const link = kind === 'symlink' ? target.files.linkTarget(at) : undefined
      const empty = kind === 'directory' ? target.files.isDirectoryEmpty(at) : undefined
      const own = kind === 'directory' ? {} : { sizeBytes, modifiedMs }
      return { path, kind, mode, uid, gid, linkCount, ...own, digest, link, empty, real: target.files.realPath(at) }
    }),
  )
}

test.skipIf(needsRoot)(
  'are what tar makes of the same layers in a directory (needs root)',
  async () => {
    const base = temporaryDirectory()
    let entries = 0
    for (let seed = 1; seed <= cases({ usual: 200, soak: 5000 }); seed++) {
      const next = numbersFrom(seed)
      const layers = Array.from({ length: 2 + Math.floor(next() * 4) }, (_unused, index) =>
        generateLayer(next, index === 0),
      )
      const root = join(base, 'root')
      mkdirSync(root, { mode: 0o755 })
      for (const layer of layers) unpack(root, layer)
      const pack = seed % 2 === 0 ? { pack: (layer: Buffer) => gzipSync(layer) } : {}
      const path = join(base, 'image.tar')
      writeFileSync(path, savedTar(dockerFiles({ layers: layers.map(entriesOf), ...pack })))
      const [image, directory] = [await openImageTarget(path), openRootedTarget(root)]
      if (image.kind === 'refused' || directory.kind === 'refused')
        throw new Error(`${seed}: ${JSON.stringify([image, directory])}`)
      const expected = await seen(directory.target)
      expect({ seed, seen: await seen(image.target) }).toEqual({ seed, seen: expected })
      entries += expected.length
      rmSync(root, { recursive: true })
    }
    // So that what is compared is not next to nothing.
    expect(entries).toBeGreaterThan(2000)
  },
  120_000,
)
