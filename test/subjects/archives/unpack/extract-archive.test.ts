import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { ArchiveFormat } from '../../../../src/host/archive/archive-format.ts'
import { extractArchive, type ExtractOptions } from '../../../../src/subjects/archives/unpack/extract-archive.ts'
import { paxHeader, tarBytes, type TarEntry } from '../../../support/tar-bytes.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { readTree } from '../../../support/tree.ts'
import { zipBytes, zipDirectory, type ZipEntry } from '../../../support/zip-bytes.ts'

interface Result {
  /** What the directory holds, or why it was refused. */
  readonly tree: Record<string, string>
  readonly refusal: string | undefined
  /** What lies beside the directory; the archive itself is left out. */
  readonly beside: Record<string, string>
}

async function extract(bytes: Buffer, options: ExtractOptions): Promise<Result> {
  const directory = temporaryDirectory()
  const archive = join(directory, 'archive')
  writeFileSync(archive, bytes)
  return extractFile(archive, options, directory)
}

async function extractFile(archive: string, options: ExtractOptions, holder: string): Promise<Result> {
  const directory = mkdtempSync(join(holder, 'out-'))
  const outcome = await extractArchive(archive, directory, options)
  const beside = Object.entries(readTree(holder)).filter(([path]) => !path.startsWith('out-') && path !== 'archive')
  return {
    tree: readTree(directory),
    refusal: outcome.kind === 'failed' ? outcome.message.replace(`cannot extract ${archive}: `, '') : undefined,
    beside: Object.fromEntries(beside),
  }
}

/** A source tree as programs have it: nested, executable, linked, empty, with odd names. */
function sourceTree(): string {
  const root = temporaryDirectory()
  mkdirSync(join(root, 'app/bin'), { recursive: true })
  mkdirSync(join(root, 'app/empty'), { mode: 0o700 })
  writeFileSync(join(root, 'app/bin/run'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(root, 'app/read me ä'), 'hello\n', { mode: 0o640 })
  writeFileSync(join(root, 'app/zero'), '', { mode: 0o444 })
  writeFileSync(join(root, 'app', 'n'.repeat(150)), 'long\n', { mode: 0o644 })
  writeFileSync(join(root, 'app/large'), 'x'.repeat(3_000_000), { mode: 0o600 })
  symlinkSync('../bin/run', join(root, 'app/empty/link'))
  utimesSync(join(root, 'app/bin/run'), 1_600_000_000, 1_600_000_000)
  return root
}

describe('archives of the real tools', () => {
  test.each<[string, ArchiveFormat, (root: string, archive: string) => void]>([
    ['tar.gz', 'tar.gz', (root, archive) => execFileSync('tar', ['-C', root, '-czf', archive, 'app'])],
    ['tar of its own directory', 'tar', (root, archive) => execFileSync('tar', ['-C', root, '-cf', archive, '.'])],
    ['pax', 'tar', (root, archive) => execFileSync('tar', ['-C', root, '--format=pax', '-cf', archive, 'app'])],
    ['old gnu', 'tar', (root, archive) => execFileSync('tar', ['-C', root, '--format=oldgnu', '-cf', archive, 'app'])],
    ['zip', 'zip', (root, archive) => writeFileSync(archive, zipDirectory(root))],
  ])('%s', async (_name, format, pack) => {
    const root = sourceTree()
    const holder = temporaryDirectory()
    const archive = join(holder, `archive.${format}`)
    pack(root, archive)
    const before = readTree(root)
    const { tree, refusal } = await extractFile(archive, { format }, holder)
    expect(refusal).toBeUndefined()
    expect(tree).toEqual(before)
  })

  test('times of files are kept, and other names of a file stay names of it', async () => {
    const root = sourceTree()
    linkSync(join(root, 'app/bin/run'), join(root, 'app/zz-same'))
    const archive = join(root, 'archive')
    execFileSync('tar', ['-C', root, '-cf', archive, 'app'])
    const directory = temporaryDirectory()
    expect(await extractArchive(archive, directory, { format: 'tar' })).toEqual({ kind: 'done' })
    const [first, second] = ['app/bin/run', 'app/zz-same'].map((name) => statSync(join(directory, name)))
    expect(first).toMatchObject({ mtimeMs: 1_600_000_000_000, nlink: 2, ino: second?.ino })
  })

  test('several gzip members are one archive, and a plain tar may be called .tar.gz', async () => {
    const bytes = tarBytes([{ name: 'a', content: 'hello' }])
    const members = Buffer.concat([gzipSync(bytes.subarray(0, 700)), gzipSync(bytes.subarray(700))])
    for (const variant of [members, bytes]) {
      expect((await extract(variant, { format: 'tar.gz' })).tree).toEqual({ a: '644 hello' })
    }
  })
})

describe('modes', () => {
  test('set-id bits are dropped, and sticky bits of files; other bits are kept with any umask', async () => {
    const entries: TarEntry[] = [
      { name: 'suid', mode: 0o4755 },
      { name: 'sgid', mode: 0o2777 },
      { name: 'none', mode: 0 },
      { name: 'dir', type: '5', mode: 0o7777 },
      { name: 'dir/implied/file', mode: 0o606 },
    ]
    expect((await extract(tarBytes(entries), { format: 'tar' })).tree).toEqual({
      suid: '755 ',
      sgid: '777 ',
      none: '0 ',
      dir: '1777/',
      'dir/implied': '755/',
      'dir/implied/file': '606 ',
    })
  })

  test('a directory that keeps its owner out is filled all the same', async () => {
    const entries: TarEntry[] = [
      { name: 'closed', type: '5', mode: 0 },
      { name: 'closed/inner', type: '5', mode: 0o500 },
      { name: 'closed/inner/file', content: 'x' },
    ]
    const { tree, refusal } = await extract(tarBytes(entries), { format: 'tar' })
    expect(refusal).toBeUndefined()
    expect(tree).toMatchObject({ closed: '0/', 'closed/inner': '500/' })
  })

  test('a zip of a system without modes gets the usual ones, one of Unix its own', async () => {
    const entries: ZipEntry[] = [
      { name: 'plain', content: 'a' },
      { name: 'dir/' },
      { name: 'run', mode: 0o104755 },
      { name: 'own/', mode: 0o042750 },
      { name: 'link', content: 'dir/x', mode: 0o120777 },
    ]
    expect((await extract(zipBytes(entries), { format: 'zip' })).tree).toEqual({
      dir: '755/',
      link: '-> dir/x',
      own: '750/',
      plain: '644 a',
      run: '755 ',
    })
  })
})

describe('hostile tar archives are refused, and nothing is written outside', () => {
  const outside: readonly [string, readonly TarEntry[], string][] = [
    ['an absolute name', [{ name: '/tmp/x' }], 'entry "/tmp/x" has an absolute name'],
    ['a name that goes up', [{ name: '../x' }], 'entry "../x" has ".." in its name'],
    ['a name that goes up inside', [{ name: 'a/../../x' }], 'entry "a/../../x" has ".." in its name'],
    ['a long name that goes up', [paxHeader({ path: '../x' }), { name: 'y' }], 'entry "../x" has ".." in its name'],
    [
      'a link that leaves',
      [{ name: 'l', type: '2', link: '../..' }],
      'entry "l" is a link to a path outside the destination',
    ],
    ['an absolute link', [{ name: 'l', type: '2', link: '/etc' }], 'entry "l" is a link to an absolute path'],
    [
      'a link that leaves by its long name',
      [paxHeader({ linkpath: '../../etc' }), { name: 'l', type: '2', link: 'x' }],
      'entry "l" is a link to a path outside the destination',
    ],
    [
      'writing through a link',
      [
        { name: 'd', type: '5' },
        { name: 'l', type: '2', link: 'd' },
        { name: 'l/x', content: 'x' },
      ],
      'entry "l/x" has "l" in its path, which is not a directory in the archive',
    ],
    [
      'a link in the place of a directory',
      [
        { name: 'd', type: '5' },
        { name: 'd', type: '2', link: '.' },
      ],
      'entry "d" occurs twice in the archive',
    ],
    [
      'a directory in the place of a link',
      [
        { name: 'd', type: '5' },
        { name: 'l', type: '2', link: 'd' },
        { name: 'l', type: '5' },
      ],
      'entry "l" occurs twice in the archive',
    ],
    [
      'a file in the place of a link',
      [
        { name: 'l', type: '2', link: 'x' },
        { name: 'l', content: 'x' },
      ],
      'entry "l" occurs twice in the archive',
    ],
    ['the same file twice', [{ name: 'a' }, { name: './/a' }], 'entry ".//a" occurs twice in the archive'],
    [
      'a file below a file',
      [{ name: 'a' }, { name: 'a/b' }],
      'entry "a/b" has "a" in its path, which is not a directory in the archive',
    ],
    [
      'another name for a file outside',
      [{ name: 'h', type: '1', link: '.' }],
      'entry "h" is a hard link to ".", which is not an earlier file in the archive',
    ],
    [
      'another name for a file of the machine',
      [{ name: 'h', type: '1', link: '/etc/passwd' }],
      'entry "h" is a hard link to "/etc/passwd", which is not an earlier file in the archive',
    ],
    [
      'another name for a link, which leads elsewhere from there',
      [
        { name: 'd/l', type: '2', link: '../x' },
        { name: 'h', type: '1', link: 'd/l' },
      ],
      'entry "h" is a hard link to "d/l", which is not an earlier file in the archive',
    ],
    [
      'another name by way of a link',
      [{ name: 'd/f' }, { name: 'l', type: '2', link: 'd' }, { name: 'h', type: '1', link: 'l/f' }],
      'entry "h" is a hard link to "l/f", which is not an earlier file in the archive',
    ],
    ['a character device', [{ name: 'n', type: '3' }], 'entry "n" has an unsupported type (CharacterDevice)'],
    ['a block device', [{ name: 'n', type: '4' }], 'entry "n" has an unsupported type (BlockDevice)'],
    ['a fifo', [{ name: 'n', type: '6' }], 'entry "n" has an unsupported type (FIFO)'],
    ['a sparse file', [{ name: 'n', type: 'S' }], 'entry "n" has an unsupported type (SparseFile)'],
    [
      'the destination as a link',
      [{ name: './', type: '2', link: 'x' }],
      'entry "./" has the name of the destination itself',
    ],
  ]

  test.each(outside)('%s', async (_name, entries, reason) => {
    for (const [format, bytes] of [
      ['tar', tarBytes(entries)],
      ['tar.gz', gzipSync(tarBytes(entries))],
    ] as const) {
      expect(await extract(bytes, { format })).toMatchObject({ refusal: reason, beside: {} })
    }
  })

  test('a name with a NUL character ends there, as in every tar, and stays inside', async () => {
    const entries = [paxHeader({ path: 'a\0/../../x' }), { name: 'y', content: '1' }]
    expect(await extract(tarBytes(entries), { format: 'tar' })).toMatchObject({ tree: { a: '644 1' }, beside: {} })
  })

  test('a long name beyond the limits is not silently another name', async () => {
    const entries = [paxHeader({ path: `${'x/'.repeat(600_000)}y` }), { name: 'short', content: '1' }]
    const { tree, refusal } = await extract(tarBytes(entries), { format: 'tar' })
    expect([tree, refusal]).toEqual([{}, 'entry "PaxHeader" has an unsupported type (ExtendedHeader)'])
  })

  test('directories listed twice or after their content are accepted', async () => {
    const entries: TarEntry[] = [
      { name: 'a/b', content: '1' },
      { name: 'a', type: '5', mode: 0o750 },
      { name: 'a/', type: '5', mode: 0o710 },
    ]
    expect(await extract(tarBytes(entries), { format: 'tar' })).toMatchObject({
      refusal: undefined,
      tree: { a: '710/', 'a/b': '644 1' },
    })
  })
})

describe('hostile zip archives are refused, and nothing is written outside', () => {
  test.each<[string, readonly ZipEntry[], string]>([
    ['an absolute name', [{ name: '/tmp/x' }], 'damaged zip archive: absolute path: /tmp/x'],
    ['a name that goes up', [{ name: '../x' }], 'damaged zip archive: invalid relative path: ../x'],
    [
      'a name that goes up in Windows',
      [{ name: String.raw`..\x` }],
      'damaged zip archive: invalid relative path: ../x',
    ],
    ['a NUL character', [{ name: 'a\0b' }], String.raw`entry "a\u0000b" has a NUL character in its name`],
    [
      'a link that leaves',
      [{ name: 'l', content: '../x', mode: 0o120777 }],
      'entry "l" is a link to a path outside the destination',
    ],
    ['a link to nothing', [{ name: 'l', mode: 0o120777 }], 'entry "l" is a link with an empty target'],
    [
      'a link with a very long name',
      [{ name: 'l', content: 'x'.repeat(5000), mode: 0o120777 }],
      'entry "l" is a link with a target that is too long',
    ],
    [
      'writing through a link',
      [{ name: 'd/' }, { name: 'l', content: 'd', mode: 0o120777 }, { name: 'l/x', content: 'x' }],
      'entry "l/x" has "l" in its path, which is not a directory in the archive',
    ],
    ['the same file twice', [{ name: 'a' }, { name: 'a' }], 'entry "a" occurs twice in the archive'],
    ['a device', [{ name: 'n', mode: 0o020666 }], 'entry "n" is not a file, directory or link'],
    ['a fifo', [{ name: 'n', mode: 0o010666 }], 'entry "n" is not a file, directory or link'],
    ['two names', [{ name: 'a', localName: 'b' }], 'entry "a" has another name in its local header'],
    ['another checksum', [{ name: 'a', content: 'x', crc: 1 }], 'entry "a" is damaged: checksum mismatch'],
    [
      'encryption',
      [{ name: 'a', content: 'x', flags: 0x801 }],
      'damaged zip archive: entry is encrypted, and options.decodeFileData !== false',
    ],
    [
      'another compression',
      [{ name: 'a', content: 'x', method: 14 }],
      'damaged zip archive: unsupported compression method: 14',
    ],
  ])('%s', async (_name, entries, reason) => {
    expect(await extract(zipBytes(entries), { format: 'zip' })).toMatchObject({ refusal: reason, beside: {} })
  })
})

describe('damaged archives', () => {
  const bytes = tarBytes([{ name: 'a', content: 'x'.repeat(100_000) }])
  const packed = gzipSync(bytes)

  test.each<[string, Buffer, ArchiveFormat, RegExp]>([
    ['empty', Buffer.alloc(0), 'tar', /^the archive is empty$/],
    ['text', Buffer.from('<html>not found</html>'.repeat(100)), 'tar.gz', /^damaged tar archive: /],
    ['text as zip', Buffer.from('<html>not found</html>'), 'zip', /^damaged zip archive: /],
    ['cut in a file', bytes.subarray(0, 50_000), 'tar', /^damaged tar archive: .*Truncated/],
    ['cut in the compression', packed.subarray(0, packed.length - 20), 'tar.gz', /^damaged compressed data: /],
    ['cut in the checksum', packed.subarray(0, packed.length - 4), 'tar.gz', /^damaged compressed data: /],
    [
      'another checksum',
      Buffer.concat([packed.subarray(0, -8), Buffer.alloc(8)]),
      'tar.gz',
      /^damaged compressed data: /,
    ],
    ['another header', flip(bytes, 3), 'tar', /^damaged tar archive: .*checksum failure/],
    ['cut zip', zipBytes([{ name: 'a', content: 'x' }]).subarray(0, -10), 'zip', /^damaged zip archive: /],
    ['compressed twice', gzipSync(packed), 'tar.gz', /^the archive is compressed twice$/],
  ])('%s', async (_name, content, format, reason) => {
    expect((await extract(content, { format })).refusal).toMatch(reason)
  })

  test('an archive that is missing or is not a regular file', async () => {
    const holder = temporaryDirectory()
    expect((await extractFile(join(holder, 'missing'), { format: 'tar' }, holder)).refusal).toMatch(
      /^cannot read the archive: .*no such file/,
    )
    execFileSync('mkfifo', [join(holder, 'fifo')])
    expect((await extractFile(join(holder, 'fifo'), { format: 'tar' }, holder)).refusal).toBe(
      'the archive is not a regular file',
    )
  })

  test('another one than the checksum says is not even opened', async () => {
    const wanted = createHash('sha256').update(bytes).digest('hex')
    expect(await extract(bytes, { format: 'tar', sha256: wanted.toUpperCase() })).toMatchObject({ refusal: undefined })
    const other = flip(bytes, 1000)
    const found = createHash('sha256').update(other).digest('hex')
    expect(await extract(other, { format: 'tar', sha256: wanted })).toMatchObject({
      tree: {},
      refusal: `checksum mismatch, expected "${wanted}" got "${found}"`,
    })
  })

  test('an interruption ends the work', async () => {
    const result = await extract(bytes, { format: 'tar', signal: AbortSignal.abort() })
    expect(result).toMatchObject({ tree: {}, refusal: 'interrupted' })
  })
})

function flip(bytes: Buffer, index: number): Buffer {
  const changed = Buffer.from(bytes)
  changed.writeUInt8(changed.readUInt8(index) ^ 1, index)
  return changed
}

describe('limits', () => {
  const three: TarEntry[] = [{ name: 'd/a' }, { name: 'd/b' }]

  test.each<[string, Partial<NonNullable<ExtractOptions['limits']>>, string | undefined]>([
    ['as many entries as allowed, the implied directory among them', { maxEntries: 3 }, undefined],
    ['one more', { maxEntries: 2 }, 'the archive has more than 2 entries'],
    ['as many bytes as allowed: two headers and the end', { maxBytes: 2048 }, undefined],
    [
      'one more',
      { maxBytes: 2047 },
      'the archive unpacks to more than 2047 bytes; raise the limit if this is expected',
    ],
  ])('%s', async (_name, limits, refusal) => {
    expect((await extract(tarBytes(three), { format: 'tar', limits })).refusal).toBe(refusal)
  })

  const zeros = Buffer.alloc(80 * 1024 * 1024)
  const trap = 'the archive unpacks to more than 200 times its size, like a decompression bomb'

  test('an archive with an extreme compression ratio is refused, in both formats', async () => {
    const tar = await extract(gzipSync(tarBytes([{ name: 'z', content: zeros }])), { format: 'tar.gz' })
    expect(tar.refusal).toBe(trap)
    const zip = await extract(zipBytes([{ name: 'z', content: zeros }]), { format: 'zip' })
    expect(zip.refusal).toBe(trap)
  })

  test('air after the end of the archive counts', async () => {
    const bytes = gzipSync(Buffer.concat([tarBytes([{ name: 'a' }]), zeros]))
    expect((await extract(bytes, { format: 'tar.gz' })).refusal).toBe(trap)
  })

  test('a little of it is fine', async () => {
    const bytes = gzipSync(tarBytes([{ name: 'z', content: zeros.subarray(0, 10 * 1024 * 1024) }]))
    expect((await extract(bytes, { format: 'tar.gz' })).refusal).toBeUndefined()
  })
})

test('the directory must be there, and no other file system object', async () => {
  const holder = temporaryDirectory()
  writeFileSync(join(holder, 'archive'), tarBytes([{ name: 'a' }]))
  for (const name of ['missing', 'archive']) {
    const outcome = await extractArchive(join(holder, 'archive'), join(holder, name), { format: 'tar' })
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('is not a directory') })
  }
  expect(readFileSync(join(holder, 'archive')).length).toBe(1536)
})

describe('sparse files', () => {
  /** Data, a hole, data, and a hole at the end; and a file that is nothing but a hole. */
  function sparseTree(): string {
    const root = temporaryDirectory()
    writeFileSync(join(root, 's'), 'head')
    truncateSync(join(root, 's'), 3_000_000)
    appendFileSync(join(root, 's'), 'tail')
    truncateSync(join(root, 's'), 5_000_000)
    writeFileSync(join(root, 'hole'), '')
    truncateSync(join(root, 'hole'), 1_000_000)
    return root
  }

  test.each([
    ['0.0', ['--format=pax', '--sparse-version=0.0']],
    ['0.1', ['--format=pax', '--sparse-version=0.1']],
    ['1.0', ['--format=pax', '--sparse-version=1.0']],
    ['old GNU', ['--format=gnu']],
  ])('of GNU tar (%s) are refused, never cut', async (_name, options) => {
    const holder = temporaryDirectory()
    const archive = join(holder, 'archive')
    execFileSync('tar', ['-C', sparseTree(), ...options, '-cSf', archive, 's', 'hole'])
    const { tree, refusal } = await extractFile(archive, { format: 'tar' }, holder)
    expect(tree).toEqual({})
    expect(refusal).toMatch(/^entry "[^"]*s" (is a sparse file: not supported|has an unsupported type \(SparseFile\))$/)
  })

  test('a file with the name that GNU tar gives to sparse ones is a file', async () => {
    const bytes = tarBytes([{ name: 'GNUSparseFile.0/s', content: 'all of it' }])
    const { tree, refusal } = await extract(bytes, { format: 'tar' })
    expect(refusal).toBeUndefined()
    expect(Object.keys(tree)).toContain('GNUSparseFile.0/s')
  })
})

// What GNU tar makes of the same archive is the oracle.
test('the sticky bit of a directory stays, and a hard link to itself is left out', async () => {
  const bytes = tarBytes([
    { name: 'shared', type: '5', mode: 0o1777 },
    { name: 'all', type: '5', mode: 0o7755 },
    { name: 'file', content: 'x', mode: 0o7644 },
    { name: 'file', type: '1', link: './file' },
  ])
  const holder = temporaryDirectory()
  const archive = join(holder, 'archive')
  writeFileSync(archive, bytes)
  const { refusal } = await extractFile(archive, { format: 'tar' }, holder)
  expect(refusal).toBeUndefined()
  const [out = ''] = readdirSync(holder).filter((name) => name.startsWith('out-'))
  const theirs = temporaryDirectory()
  execFileSync('tar', ['-C', theirs, '-xpf', archive])
  const modes = (root: string): readonly number[] =>
    ['shared', 'all', 'file'].map((name) => statSync(join(root, name)).mode & 0o1777)
  expect(modes(join(holder, out))).toEqual([0o1777, 0o1755, 0o644])
  expect(modes(theirs).slice(0, 2)).toEqual([0o1777, 0o1755])
  expect(statSync(join(holder, out, 'file')).nlink).toBe(statSync(join(theirs, 'file')).nlink)
})

test('a hard link to itself of a file that never came is refused', async () => {
  const { refusal } = await extract(tarBytes([{ name: 'file', type: '1', link: 'file' }]), { format: 'tar' })
  expect(refusal).toContain('which is not an earlier file in the archive')
})
