import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ImageTarget, openImageTarget } from '../../../src/host/image/open-image.ts'
import {
  dockerFiles,
  type ImageParts,
  ociFiles,
  OWN_ARCHITECTURE,
  savedBothWays,
  savedTar,
  sha256,
} from '../../support/image.ts'
import { needsPrograms } from '../../support/programs.ts'
import { type TarEntry, tarBytes } from '../../support/tar-bytes.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

type Files = ReadonlyMap<string, Buffer>

const needsZstd = needsPrograms('zstd')

const zstd = (bytes: Buffer): Buffer => execFileSync('zstd', ['-q', '-c'], { input: bytes, maxBuffer: 1e9 })
const gzip = (bytes: Buffer): Buffer => gzipSync(bytes)

const image = (content: string, more: Partial<ImageParts> = {}): ImageParts => ({
  layers: [
    [{ name: 'etc/a', content: 'low' }],
    [
      { name: 'etc/a', content },
      { name: 'etc/big', content: 'b'.repeat(3_000_000) },
    ],
  ],
  ...more,
})

function saved(bytes: Buffer): string {
  const path = join(temporaryDirectory(), 'image')
  writeFileSync(path, bytes)
  return path
}

function unpacked(files: Files): string {
  const directory = temporaryDirectory()
  for (const [name, content] of files) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content)
  }
  return directory
}

async function contentOf(opening: Promise<ImageTarget>): Promise<string> {
  const opened = await opening
  if (opened.kind === 'refused') return opened.message
  const head = opened.target.files.readHead('/etc/a', 100)
  const big = opened.target.files.stat('/etc/big')
  if (head.kind === 'unknown' || big.kind !== 'present') throw new Error('it is not there')
  const digest = await opened.target.files.digest('/etc/big', big.state)
  expect(digest).toEqual({ kind: 'known', value: { sha256: sha256('b'.repeat(3_000_000)), sizeBytes: 3_000_000 } })
  return Buffer.from(head.value).toString()
}

describe('an image is read', () => {
  test.each<[string, () => string]>([
    ['as docker save writes it', () => saved(savedTar(dockerFiles(image('new'))))],
    ['of that, unpacked', () => unpacked(dockerFiles(image('new')))],
    ['of that, compressed', () => saved(gzip(savedTar(dockerFiles(image('new')))))],
    ['with layers that are compressed', () => saved(savedTar(dockerFiles(image('new', { pack: gzip }))))],
    ['as an OCI layout', () => unpacked(ociFiles([image('new')]))],
    ['as an OCI layout in an archive', () => saved(savedTar(ociFiles([image('new', { pack: gzip })])))],
    ['described in both ways', () => saved(savedTar(savedBothWays([image('new', { names: ['web:1'] })])))],
    [
      'and one for another machine, which is in the index alone',
      () => saved(savedTar(savedBothWays([image('new'), image('else', { architecture: 's390x' })], 1))),
    ],
    ['behind an index in an index', () => saved(gzip(savedTar(ociFiles([image('new')], 'nested'))))],
  ])('%s', async (_name, make) => {
    expect(await contentOf(openImageTarget(make()))).toBe('new')
  })

  test.skipIf(needsZstd)('compressed with zstd, inside and out (needs zstd)', async () => {
    expect(await contentOf(openImageTarget(saved(zstd(savedTar(ociFiles([image('new', { pack: zstd })]))))))).toBe(
      'new',
    )
    const cut = zstd(savedTar(dockerFiles(image('new'))))
    expect(await contentOf(openImageTarget(saved(cut.subarray(0, -5))))).toMatch(/damaged compressed data/)
  })

  test.skipIf(needsPrograms('skopeo'))('as skopeo copies it (needs skopeo)', async () => {
    const from = unpacked(ociFiles([image('new', { names: ['web'], pack: gzip })]))
    const directory = temporaryDirectory()
    for (const [kind, path] of [
      ['docker-archive', join(directory, 'd.tar')],
      ['oci-archive', join(directory, 'o.tar')],
      ['oci', join(directory, 'o')],
    ]) {
      execFileSync('skopeo', ['--insecure-policy', 'copy', `oci:${from}:web`, `${kind}:${path}:own:tag`], {
        stdio: 'ignore',
      })
      expect(await contentOf(openImageTarget(String(path)))).toBe('new')
    }
  })

  test('and leaves nothing among the temporary files', async () => {
    const path = saved(gzip(savedTar(dockerFiles(image('new', { pack: gzip })))))
    const directory = temporaryDirectory()
    vi.stubEnv('TMPDIR', directory)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await contentOf(openImageTarget(path))).toBe('new')
    expect(readdirSync(directory)).toEqual([])
  })

  test('and what is changed afterwards is not observable', async () => {
    const path = saved(savedTar(dockerFiles(image('new'))))
    const opened = await openImageTarget(path)
    if (opened.kind === 'refused') throw new Error(opened.message)
    expect(opened.target.files.readHead('/etc/a', 10)).toMatchObject({ kind: 'known' })
    appendFileSync(path, 'x')
    const changed = expect.stringContaining('the image changed during the scan') as unknown
    expect(opened.target.files.readHead('/etc/a', 10)).toMatchObject({ kind: 'unknown', detail: changed })
  })
})

describe('of several images', () => {
  const two = dockerFiles(image('one', { names: ['web:1', 'web:latest'] }), image('two', { names: ['web:2'] }))
  const other = OWN_ARCHITECTURE === 's390x' ? 'amd64' : 's390x'
  const platforms = ociFiles([image('own', { names: ['v1'] }), image('other', { names: ['v1'], architecture: other })])

  test.each([
    [two, '#web:1', 'one'],
    [two, '#web:2', 'two'],
    [two, '', /several images.*"web:1".*"web:2"/],
    [two, '#web:3', /no image "web:3"; the images are "web:1"/],
    [platforms, '', 'own'],
    [platforms, '#v1', 'own'],
    [platforms, `#linux/${other}`, 'other'],
    [platforms, `#v1,linux/${other}`, 'other'],
    [
      ociFiles([image('a', { architecture: other }), image('b', { architecture: 'mips' })]),
      '',
      /no image for this architecture.*linux\/mips/,
    ],
  ])('the one that is meant: %#', async (files, reference, expected) => {
    expect(await contentOf(openImageTarget(saved(savedTar(files)) + reference))).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    )
  })

  test('a digest names one', async () => {
    const digest = [...two.keys()].find((name) => two.get(name)?.includes('rootfs'))?.replace('.json', '')
    expect(await contentOf(openImageTarget(`${saved(savedTar(two))}#sha256:${digest}`))).toBe('one')
  })
})

test('a layer that is stored twice with the same bytes is taken', async () => {
  const files = [...dockerFiles(image('x'))].map(([name, content]): TarEntry => ({ name, content }))
  const layers = files.filter(({ name }) => name.endsWith('layer.tar'))
  expect(layers.length).toBeGreaterThan(0)
  expect(await contentOf(openImageTarget(saved(tarBytes([...files, ...layers]))))).toBe(
    await contentOf(openImageTarget(saved(tarBytes(files)))),
  )
})

describe('an image is refused', () => {
  const change = (files: Files, find: (name: string) => boolean, make: (bytes: Buffer) => Buffer): Files =>
    new Map([...files].map(([name, bytes]) => [name, find(name) ? make(bytes) : bytes]))
  const flip = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte, index) => (index === 512 ? byte ^ 1 : byte)))
  const isManifest = (name: string): boolean => name === 'manifest.json'
  const manifest = (make: (first: Record<string, unknown>) => unknown) => (files: Files) =>
    change(files, isManifest, (bytes) => {
      const [first] = JSON.parse(bytes.toString()) as Record<string, unknown>[]
      return Buffer.from(JSON.stringify([make(first ?? {})]))
    })
  const oci = ociFiles([image('x', { pack: gzip })])
  const blob = (part: string) => (name: string) => name.startsWith('blobs') && oci.get(name)?.includes(part) === true

  test.each<[string, (files: Files) => Files, RegExp]>([
    [
      'with a layer that was changed',
      (files) => change(files, (name) => name.endsWith('layer.tar'), flip),
      /layer 1 of 2 .*expected sha256:/,
    ],
    [
      'with a layer that is cut',
      (files) =>
        change(
          files,
          (name) => name.endsWith('layer.tar'),
          (bytes) => bytes.subarray(0, 700),
        ),
      /layer 1 of 2 .*at byte 700: the last entry is incomplete/,
    ],
    [
      'with a configuration that was changed',
      (files) =>
        change(
          files,
          (name) => /^[0-9a-f]{64}\.json$/.test(name),
          (bytes) => Buffer.concat([bytes, Buffer.from(' ')]),
        ),
      /\.json" has the digest sha256:.* expected/,
    ],
    [
      'with a manifest that is not JSON',
      (files) => change(files, isManifest, () => Buffer.from('[')),
      /"manifest.json" is not JSON/,
    ],
    [
      'with a manifest of nothing',
      (files) => change(files, isManifest, () => Buffer.from('[]')),
      /no image.*images are none/,
    ],
    [
      'with a manifest of something else',
      (files) => change(files, isManifest, () => Buffer.from('{"a":1}')),
      /manifest.json is not a list/,
    ],
    [
      'with a layer outside',
      manifest((first) => ({ ...first, Layers: ['../../etc/passwd', '/etc/shadow'] })),
      /"..\/..\/etc\/passwd", which is not in the image/,
    ],
    [
      'with too few layers',
      manifest(({ Layers, ...first }) => ({ ...first, Layers: (Layers as string[]).slice(1) })),
      /has 1 layers, the configuration 2/,
    ],
    ['without any', manifest((first) => ({ ...first, Layers: [] })), /has no layers/],
    ['a file without a manifest', () => new Map([['a', Buffer.from('b')]]), /neither the manifest.json/],
  ])('%s', async (_name, damage, message) => {
    const files = damage(dockerFiles(image('x')))
    expect(await contentOf(openImageTarget(saved(savedTar(files))))).toMatch(message)
    expect(
      await contentOf(openImageTarget(unpacked(new Map([...files].filter(([name]) => !name.includes('..')))))),
    ).toMatch(message)
  })

  test.each<[string, (name: string) => boolean, (bytes: Buffer) => Buffer, RegExp]>([
    [
      'manifest',
      blob('mediaType'),
      (bytes) => Buffer.concat([bytes, Buffer.from(' ')]),
      /has the digest sha256:.* expected sha256:/,
    ],
    [
      'configuration',
      blob('rootfs'),
      (bytes) => Buffer.concat([bytes, Buffer.from(' ')]),
      /has the digest sha256:.* expected sha256:/,
    ],
    [
      'compressed layer',
      (name) => name.startsWith('blobs') && oci.get(name)?.[0] === 0x1f,
      (bytes) => Buffer.concat([bytes, gzip(Buffer.from('x'))]),
      /layer 1 of 2.*expected sha256:/,
    ],
  ])('of an OCI layout with another %s', async (_name, find, make, message) => {
    expect(await contentOf(openImageTarget(saved(savedTar(change(oci, find, make)))))).toMatch(message)
  })

  test.each<[string, Files, RegExp]>([
    [
      'that its two descriptions call by other contents',
      new Map([
        ...savedBothWays([image('index'), image('manifest', { names: ['web:1'] })]),
        ['index.json', ociFiles([image('index')]).get('index.json') ?? Buffer.of()],
      ]),
      /describe different images: "web:1" is only in manifest.json/,
    ],
    [
      'that the index alone has',
      savedBothWays([image('x'), image('y')], 1),
      /describe different.* is only in index.json/,
    ],
    [
      'with other layers in the index',
      change(savedBothWays([image('x')]), isManifest, (bytes) =>
        Buffer.from(bytes.toString().replace(/("Layers":\[)("[^"]*"),("[^"]*")/, '$1$3,$2')),
      ),
      /name different layers of sha256:/,
    ],
  ])('%s', async (_name, files, message) => {
    expect(await contentOf(openImageTarget(saved(savedTar(files))))).toMatch(message)
    expect(await contentOf(openImageTarget(unpacked(files)))).toMatch(message)
  })

  test.each<[string, Buffer, RegExp]>([
    ['larger than any', Buffer.alloc(4 * 1024 ** 2 + 1, ' '), /larger than 4 MiB/],
    ['a million lists in each other', Buffer.from('['.repeat(1e6)), /is not JSON/],
    ['of ten thousand and one images', Buffer.from(`[${'0,'.repeat(10_000)}0]`), /not a list of at most 10000/],
    [
      'with a configuration that is a number',
      Buffer.from('[{"Config":7}]'),
      /Config names "", which is not in the image|"" is not a regular file/,
    ],
    ['with a configuration far outside', Buffer.from('[{"Config":"/etc/hostname"}]'), /which is not in the image/],
  ])('with a manifest that is %s', async (_name, bytes, message) => {
    const files = change(dockerFiles(image('x')), isManifest, () => bytes)
    expect(await contentOf(openImageTarget(saved(savedTar(files))))).toMatch(message)
    expect(await contentOf(openImageTarget(unpacked(files)))).toMatch(message)
  })

  test.each<[string, readonly TarEntry[], RegExp]>([
    [
      'twice and differently',
      [{ name: 'manifest.json' }, { name: './manifest.json', content: '[]' }],
      /"manifest.json" occurs twice with different content; save the image again/,
    ],
    [
      'twice, once as a link',
      [{ name: 'a' }, { name: 'manifest.json' }, { name: 'manifest.json', type: '2', link: 'a' }],
      /"manifest.json" occurs twice/,
    ],
    [
      'as a link to itself',
      [{ name: 'manifest.json', type: '2', link: 'manifest.json' }],
      /a link to a file that is not in the image/,
    ],
    [
      'as a link out of it',
      [{ name: 'manifest.json', type: '2', link: '../../etc/passwd' }],
      /to a file that is not in the/,
    ],
    ['as a directory', [{ name: 'manifest.json', type: '5' }], /neither the manifest.json/],
    ['as a device', [{ name: 'manifest.json', type: '3' }], /neither the manifest.json/],
  ])('that has its manifest %s', async (_name, entries, message) => {
    expect(await contentOf(openImageTarget(saved(tarBytes(entries))))).toMatch(message)
  })

  // skopeo chooses by the index, and the image runs as its configuration says.
  test('with different platforms in its index and its configuration', async () => {
    const architecture = OWN_ARCHITECTURE === 'amd64' ? 'arm64' : 'amd64'
    const files = ociFiles([{ ...image('x'), config: { architecture } }])
    expect(await contentOf(openImageTarget(unpacked(files)))).toMatch(
      `its index states linux/${OWN_ARCHITECTURE}, its configuration linux/${architecture}`,
    )
  })

  test('with a pipe without a writer as its manifest', async () => {
    const directory = unpacked(dockerFiles(image('x')))
    rmSync(join(directory, 'manifest.json'))
    execFileSync('mkfifo', [join(directory, 'manifest.json')])
    expect(await contentOf(openImageTarget(directory))).toMatch(/"manifest.json" is not a regular file/)
  })

  test('with a link out of its directory', async () => {
    const directory = unpacked(dockerFiles(image('x')))
    const outside = saved(readFileSync(join(directory, 'manifest.json')))
    execFileSync('rm', [join(directory, 'manifest.json')])
    symlinkSync(outside, join(directory, 'manifest.json'))
    expect(await contentOf(openImageTarget(directory))).toMatch(/neither the manifest.json/)
  })

  test('that unpacks to far more than it is', async () => {
    const bomb = gzip(savedTar(dockerFiles({ layers: [[{ name: 'etc/a', content: Buffer.alloc(80 * 1024 ** 2) }]] })))
    expect(await contentOf(openImageTarget(saved(bomb)))).toMatch(/more than 200 times its size/)
    const layer = dockerFiles({ layers: [[{ name: 'etc/a', content: Buffer.alloc(80 * 1024 ** 2) }]], pack: gzip })
    expect(await contentOf(openImageTarget(saved(savedTar(layer))))).toMatch(/layer 1 of 1.*more than 200 times/)
  })

  test.skipIf(needsZstd)('that unpacks to far more than it is, by zstd', async () => {
    const layer = [{ name: 'etc/a', content: Buffer.alloc(80 * 1024 ** 2) }]
    const files = dockerFiles({ layers: [layer], pack: zstd })
    expect(await contentOf(openImageTarget(saved(savedTar(files))))).toMatch(/layer 1 of 1.*more than 200 times/)
  })

  test('that is not there, no file, or compressed in another way', async () => {
    expect(await contentOf(openImageTarget('/nowhere/at/all'))).toMatch(/no such file/)
    expect(await contentOf(openImageTarget('/dev/null'))).toMatch(/not a regular file/)
    expect(await contentOf(openImageTarget(saved(Buffer.from('\u00fd7zXZ\0rest', 'latin1'))))).toMatch(
      /compressed with xz/,
    )
    expect(await contentOf(openImageTarget(saved(Buffer.alloc(0))))).toMatch(/neither the manifest.json/)
    expect(await contentOf(openImageTarget(saved(tarBytes([{ name: 'x', size: 10_000 }]))))).toMatch(
      /the last entry is incomplete/,
    )
  })
})
