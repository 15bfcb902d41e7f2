import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openImageTarget } from '../../../src/host/image/open-image.ts'
import { createLayeredTree } from '../../../src/host/image/layers.ts'
import { createTarReader } from '../../../src/host/image/tar-reader.ts'
import { dockerFiles, type ImageParts, savedTar } from '../../support/image.ts'
import { numbersFrom } from '../../support/numbers.ts'
import { paxHeader, type TarEntry, tarBytes } from '../../support/tar-bytes.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

async function messageOf(...layers: ImageParts['layers']): Promise<string> {
  const path = join(temporaryDirectory(), 'image.tar')
  writeFileSync(path, savedTar(dockerFiles({ layers })))
  const opened = await openImageTarget(path)
  return opened.kind === 'refused' ? opened.message : 'taken'
}

const patched = (
  entries: readonly TarEntry[],
  at: number,
  bytes: string | readonly number[],
  sum: 'right' | 'wrong' = 'right',
): Buffer => {
  const tar = tarBytes(entries)
  tar.set(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, at)
  if (sum === 'wrong') return tar
  tar.write('        ', 148)
  const total = tar.subarray(0, 512).reduce((all, byte) => all + byte, 0)
  tar.write(`${total.toString(8).padStart(6, '0')}\0 `, 148)
  return tar
}

const low: readonly TarEntry[] = [
  { name: 'etc/a', content: 'low' },
  { name: 'bin', type: '2', link: 'usr/bin' },
]

describe('a layer is refused, with entry and reason', () => {
  test.each<[string, readonly TarEntry[] | Buffer, RegExp]>([
    ['..', [{ name: 'etc/../../passwd' }], /layer 2 of 2 .*entry "etc\/..\/..\/passwd" has ".." in its name/],
    ['.. of a hard link', [{ name: 'x', type: '1', link: '../etc/a' }], /entry "x" has ".." in its link target/],
    [
      'a hard link to nothing',
      [{ name: 'x', type: '1', link: 'etc/b' }],
      /hard link to "etc\/b", which does not exist/,
    ],
    ['a hard link to a directory', [{ name: 'x', type: '1', link: 'etc' }], /hard link to a directory/],
    ['a file below a file', [{ name: 'etc/a/b' }], /is below a path that is not a directory/],
    ['a file below a link of a lower layer', [{ name: 'bin/sh' }], /below a link of a lower layer/],
    [
      'a file below a link to nowhere',
      [{ name: 'l', type: '2', link: 'nowhere' }, { name: 'l/x' }],
      /is below a dangling link/,
    ],
    ['a file below a circle', [{ name: 'l', type: '2', link: 'l' }, { name: 'l/x' }], /loop of links/],
    ['a whiteout of its own', [{ name: 'etc/b' }, { name: 'etc/.wh.b' }], /in the same layer/],
    [
      'a whiteout of a directory with something of its own',
      [{ name: 'etc/b' }, { name: '.wh.etc' }],
      /in the same layer/,
    ],
    // With overlayfs what is in the hidden directory shows again, and unpacking hides it.
    [
      'a directory behind its whiteout',
      [{ name: '.wh.etc' }, { name: 'etc', type: '5' }],
      /entry "etc" is a directory with a whiteout in the same layer/,
    ],
    [
      'a file below a whiteout',
      [{ name: '.wh.etc' }, { name: 'etc/b' }],
      /entry "etc\/b" is a directory with a whiteout/,
    ],
    ['a whiteout of no name', [{ name: 'etc/.wh.' }], /whiteout without a name/],
    ['a whiteout of the directory above', [{ name: 'etc/.wh...' }], /whiteout without a name/],
    ['a file below a whiteout', [{ name: '.wh.etc/a' }], /is below a whiteout/],
    [
      'a link to what a whiteout took',
      [{ name: 'etc/.wh.a' }, { name: 'x', type: '1', link: 'etc/a' }],
      /does not exist/,
    ],
    ['a whiteout of its own link', [{ name: 'x', type: '1', link: 'etc/a' }, { name: '.wh.x' }], /in the same layer/],
    ['a file below its own hard link', [{ name: 'x', type: '1', link: 'etc/a' }, { name: 'x/y' }], /not a directory/],
    ['a name with NUL', [paxHeader({ path: 'etc/a\0b' }), { name: 'c' }], /contains a NUL character/],
    ['the root as a file', [{ name: './', content: 'x' }], /replaces the root/],
    ['a sparse file', [{ name: 'x', type: 'S' }], /sparse/],
    ['a sparse file in a record', [paxHeader({ 'GNU.sparse.major': '1' }), { name: 'x' }], /sparse/],
    ['an unknown type', [{ name: 'x', type: '9' }], /unsupported type \(9\)/],
    [
      'an attribute of overlayfs',
      [paxHeader({ 'SCHILY.xattr.trusted.overlay.opaque': 'y' }), { name: 'd/', type: '5' }],
      /overlayfs/,
    ],
    [
      'two long names',
      [paxHeader({ path: 'a' }), { name: 'L', type: 'L', content: 'b' }, { name: 'c' }],
      /two long names/,
    ],
    [
      'a name that is too long',
      [{ name: 'L', type: 'L', content: 'n'.repeat(300) }, { name: 'c' }],
      /name that is too long/,
    ],
    [
      'a path that is too deep',
      [
        { name: 'L', type: 'L', content: 'n/'.repeat(300) },
        { name: 'c', type: '5' },
      ],
      /more than 256 directories deep/,
    ],
    ['a wrong checksum', patched([{ name: 'x' }], 0, 'y', 'wrong'), /at byte 0: header checksum mismatch/],
    [
      'a size that is no number',
      patched([{ name: 'x' }], 124, '99999999999'),
      /at byte 0: the size of an entry is not a number/,
    ],
    [
      'a negative size',
      patched(
        [{ name: 'x' }],
        124,
        Array.from({ length: 12 }, () => 255),
      ),
      /size of an entry is negative/,
    ],
    [
      'a huge size',
      patched([{ name: 'x' }], 124, [0x80, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]),
      /an entry is too large/,
    ],
    ['a size beyond the end', [{ name: 'x', size: 1e9 }], /the last entry is incomplete/],
    ['a header in two', tarBytes([{ name: 'x' }]).subarray(0, 300), /at byte 300: the last entry is incomplete/],
    [
      'a garbled record',
      [{ name: 'p', type: 'x', content: '99 path=x\n' }, { name: 'x' }],
      /malformed extended header/,
    ],
    [
      'an extended header that is too large',
      [{ name: 'p', type: 'x', content: 'x'.repeat(2 ** 20 + 1) }],
      /larger than 1 MiB/,
    ],
    [
      'an extended header of nothing',
      Buffer.concat([tarBytes([paxHeader({ path: 'x' })]).subarray(0, 1024)]),
      /the last entry is incomplete/,
    ],
    ['something behind its end', Buffer.concat([Buffer.alloc(512), tarBytes([{ name: 'x' }])]), /data after the end/],
  ])('%s', async (_name, layer, message) => {
    expect(await messageOf(low, layer)).toMatch(message)
  })
})

test.each<[string, readonly TarEntry[]]>([
  ['a whiteout of what is not there', [{ name: 'no/where/.wh.x' }]],
  ['a name from the root', [{ name: '/etc/x' }]],
  ['the same name twice', [{ name: 'etc/x' }, { name: 'etc/x', type: '2', link: '/' }, { name: 'etc/x' }]],
  ['names of anything', [{ name: 'etc/\u001b[2J\n' }]],
  [
    'a device and a fifo',
    [
      { name: 'x', type: '4' },
      { name: 'y', type: '6' },
    ],
  ],
  ['metadata of aufs', [{ name: '.wh..wh.plnk/1' }, { name: '.wh..wh.aufs' }]],
])('%s is taken', async (_name, layer) => {
  expect(await messageOf(low, layer)).toBe('taken')
})

// buildah with overlay makes these directories 0755 of root, with vfs it keeps what the lower layer says; umoci keeps it, too.
test('the mode of a directory that only a lower layer describes is unknown; its content is not', async () => {
  const path = join(temporaryDirectory(), 'image.tar')
  const directories: readonly TarEntry[] = [
    { name: 'drop', type: '5', mode: 0o1777 },
    { name: 'own', type: '5', mode: 0o755, uid: 7 },
    { name: 'usual', type: '5', mode: 0o755 },
    { name: 'again', type: '5', mode: 0o700 },
    { name: 'alone', type: '5', mode: 0o700 },
  ]
  const files = ['drop/a', 'own/a', 'usual/a', 'again/a'].map((name): TarEntry => ({ name, content: 'x', mode: 0o640 }))
  const layers = [directories, [...files, { name: 'again', type: '5', mode: 0o711 } as const]]
  writeFileSync(path, savedTar(dockerFiles({ layers })))
  const opened = await openImageTarget(path)
  if (opened.kind === 'refused') throw new Error(opened.message)
  const { target } = opened
  const modeOf = (at: string): unknown => {
    const seen = target.files.lstat(at)
    return seen.kind === 'present' ? seen.state.mode.toString(8) : seen
  }
  const disputed = {
    kind: 'unknown',
    reason: 'not-observable',
    detail: expect.stringContaining('depend on the runtime'),
  }
  expect(['/drop', '/own', '/usual', '/again', '/alone'].map(modeOf)).toEqual([disputed, disputed, '755', '711', '700'])
  expect(modeOf('/drop/a')).toBe('640')
  expect(target.files.realPath('/drop/a')).toEqual({ kind: 'known', value: '/drop/a' })
  expect(target.probe.list('/drop')).toEqual({ kind: 'known', value: ['a'] })
  expect(target.access.wayTo('/own/a')).toMatchObject({ kind: 'unknown' })
  const [beyond] = await target.access.beyondMode(['/drop'])
  expect(beyond).toMatchObject({ kind: 'unknown' })
})

test('more entries than there can be are refused', () => {
  const tree = createLayeredTree(100)
  const reader = createTarReader((entry) => tree.take(entry, 0, { file: undefined as never, at: 0 }))
  expect(() =>
    reader.write(tarBytes(Array.from({ length: 200 }, (_unused, index) => ({ name: `f${index}` })))),
  ).toThrow(/more than 100 entries/)
})

test('damaged bytes are refused or read, however they are cut, and nothing else', () => {
  const whole = tarBytes([
    paxHeader({ path: 'long', 'SCHILY.xattr.user.x': 'y' }),
    { name: 'a', content: 'x'.repeat(600) },
    { name: 'b', type: '2', link: 'a' },
  ])
  for (let seed = 1; seed <= 2000; seed++) {
    const next = numbersFrom(seed)
    const damaged = Buffer.from(whole)
    for (let count = next() * 4; count > 0; count--)
      damaged[Math.floor(next() * damaged.length)] = Math.floor(next() * 256)
    const read = (piece: number): string => {
      const seen: string[] = []
      const tree = createLayeredTree()
      try {
        const reader = createTarReader((entry) => {
          seen.push(`${entry.name} ${entry.at} ${entry.sizeBytes}`)
          tree.take(entry, 0, { file: undefined as never, at: entry.contentAt })
        })
        for (let at = 0; at < damaged.length; at += piece) reader.write(Buffer.from(damaged.subarray(at, at + piece)))
        reader.end()
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'ArchiveError') throw error
        seen.push(error.message)
      }
      return seen.join('\n')
    }
    expect(read(1 + Math.floor(next() * 700))).toBe(read(damaged.length))
  }
})
