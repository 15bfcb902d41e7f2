import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bundle } from '../../../support/bundle.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { audit, fix, self, undecided } from './scene.ts'
import { IS_SOAK } from '../../../support/soak.ts'

function put(path: string, content: string | Uint8Array = '', mode = 0o644): string {
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex')
}

function mode(path: string): string {
  return (lstatSync(path).mode & 0o7777).toString(8)
}

describe('an audit', () => {
  test('finds a matching file compliant', async () => {
    const name = put(join(temporaryDirectory(), 'a'), 'hello\n')
    expect(await audit({ name, content: 'hello\n' })).toMatchObject({ drift: [], unknown: [], plan: { kind: 'none' } })
  })

  test('shows both digests and the text difference', async () => {
    const name = put(join(temporaryDirectory(), 'a'), 'one\ntwo\n')
    const { drift } = await audit({ name, content: 'one\n2\n' })
    expect(drift).toEqual([
      {
        property: 'content',
        desired: { sha256: sha256('one\n2\n'), sizeBytes: 6 },
        observed: { sha256: sha256('one\ntwo\n'), sizeBytes: 8 },
        diff: '--- observed\n+++ desired\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
      },
    ])
  })

  test.each([
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0x0a]), 'not text, no diff shown'],
    ['a NUL byte', Buffer.from('a\0b\n'), 'not text, no diff shown'],
    ['more than 64 KiB', Buffer.alloc(64 * 1024 + 1, 'x'), 'too large for a text diff'],
  ])('shows no difference of content with %s', async (_name, content, note) => {
    const name = put(join(temporaryDirectory(), 'a'), content)
    const { drift } = await audit({ name, content: 'x' })
    expect(drift).toEqual([
      {
        property: 'content',
        desired: { sha256: sha256('x'), sizeBytes: 1 },
        observed: { sha256: sha256(content), sizeBytes: content.length },
        note,
      },
    ])
  })

  test('shows no difference where that is not wanted', async () => {
    const name = put(join(temporaryDirectory(), 'a'), 'one\n')
    const { drift } = await audit({ name, content: 'two\n' }, { showDiff: false })
    expect(drift[0]).not.toHaveProperty('diff')
  })

  test('resolves a relative source in the directory of the policy', async () => {
    const directory = temporaryDirectory()
    put(join(directory, 'source'), 'from source\n')
    const name = put(join(directory, 'a'), 'old\n')
    const { drift } = await audit({ name, source: './source' }, { workingDirectory: directory })
    expect(drift).toMatchObject([
      {
        property: 'content',
        desired: { sha256: sha256('from source\n'), sizeBytes: 12 },
        diff: expect.stringContaining('+from source') as string,
      },
    ])
  })

  test('does not read content that is not managed', async () => {
    const name = put(join(temporaryDirectory(), 'a'), 'anything', 0o600)
    expect((await audit({ name })).drift).toEqual([{ property: 'mode', desired: '0644', observed: '0600' }])
  })

  test('takes an empty text for an empty file, not for unmanaged content', async () => {
    const name = put(join(temporaryDirectory(), 'a'), 'x')
    expect((await audit({ name, content: '' })).drift).toMatchObject([
      { property: 'content', desired: { sizeBytes: 0 } },
    ])
  })

  test.each(['with space', '#hash', 'new\nline', 'ünï日本', '-dash', 'quote\'"', 'back\\slash', '%s'])(
    'handles the name %j',
    async (base) => {
      const name = put(join(temporaryDirectory(), base), 'x')
      expect(await audit({ name, content: 'x' })).toMatchObject({ drift: [], unknown: [] })
    },
  )

  test('sees special bits of a file', async () => {
    const name = put(join(temporaryDirectory(), 'a'), '', 0o4755)
    expect((await audit({ name, mode: '0755' })).drift).toEqual([
      { property: 'mode', desired: '0755', observed: '4755' },
    ])
  })

  test('gives a directory the execute bit and says so', async () => {
    const name = temporaryDirectory()
    chmodSync(name, 0o700)
    expect((await audit({ name, ensure: 'directory', mode: '0640' })).drift).toEqual([
      {
        property: 'mode',
        desired: '0750',
        observed: '0700',
        note: '0640 with execute permission where a directory is readable',
      },
    ])
  })

  test('reports a user that does not exist as drift that cannot be fixed', async () => {
    const name = put(join(temporaryDirectory(), 'a'))
    const { drift, plan } = await audit({ name, owner: 'no-such-user-here' })
    // To that owner a directory of another user is drift, too.
    expect(drift[0]).toMatchObject({ property: 'owner', desired: 'no-such-user-here' })
    expect(plan).toMatchObject({ kind: 'act', obstacles: [{ reason: 'user "no-such-user-here" does not exist' }] })
  })

  test('compares the content of a file in /proc, whose size is said to be zero', async () => {
    const content = readFileSync('/proc/sys/kernel/ostype', 'utf8')
    expect(
      (await audit({ name: '/proc/sys/kernel/ostype', content, owner: '0', group: '0', mode: '0444' })).drift,
    ).toEqual([])
  })

  test('hashes a file larger than one chunk', async () => {
    const content = Buffer.alloc(3 * 1024 * 1024 + 17, 'abc')
    const name = put(join(temporaryDirectory(), 'a'), content)
    expect((await audit({ name, content: 'x' })).drift).toMatchObject([
      { observed: { sha256: sha256(content), sizeBytes: content.length } },
    ])
  })
})

describe('missing things', () => {
  test('a missing parent is an obstacle that an earlier resource may remove', async () => {
    const directory = temporaryDirectory()
    const { drift, plan } = await audit({ name: join(directory, 'no/file'), content: '' })
    expect(drift).toEqual([{ property: 'ensure', desired: 'present', observed: 'absent' }])
    expect(plan).toMatchObject({ kind: 'act', obstacles: [{ missing: join(directory, 'no') }] })
  })

  test('a file in place of a parent proves absence and stands in the way', async () => {
    const parent = put(join(temporaryDirectory(), 'file'))
    const { plan } = await audit({ name: join(parent, 'child'), content: '' })
    expect(plan).toMatchObject({ obstacles: [{ reason: `${parent} is not a directory` }] })
    expect((await audit({ name: join(parent, 'child'), ensure: 'absent' })).plan).toEqual({ kind: 'none' })
    const deep = await audit({ name: join(parent, 'child/deep'), ensure: 'directory' })
    expect(deep.plan).toMatchObject({ kind: 'act', obstacles: [{ reason: `${parent} is not a directory` }] })
  })

  test('missing parents of a directory are no obstacle', async () => {
    const { plan } = await audit({ name: join(temporaryDirectory(), 'a/b/c'), ensure: 'directory' })
    expect(plan).toMatchObject({ kind: 'act', obstacles: [] })
  })

  test.each([
    ['missing', 'source', { missing: '/no/such/source', fatal: 'invalid' }, '/no/such/source'],
    ['a directory', 'source', { fatal: 'invalid', reason: 'source / is not a regular file' }, '/'],
  ])('a source that is %s', async (_name, property, obstacle, source) => {
    const directory = temporaryDirectory()
    const existing = await audit({ name: put(join(directory, 'a')), [property]: source })
    expect(existing).toMatchObject({ drift: [{ property: 'content', desired: null }], plan: { obstacles: [obstacle] } })
    const absent = await audit({ name: join(directory, 'b'), [property]: source })
    expect(absent).toMatchObject({ drift: [{ property: 'ensure' }], plan: { obstacles: [obstacle] } })
  })

  test('a name longer than the system allows is invalid', async () => {
    expect(await undecided({ name: `/${'x'.repeat(256)}` })).toMatchObject({ reason: 'invalid' })
  })

  test('a NUL character in the name is invalid', async () => {
    expect(await undecided({ name: '/a\0b' })).toMatchObject({ reason: 'invalid' })
  })
})

describe('links', () => {
  test('a dangling link must go where nothing may be', async () => {
    const name = join(temporaryDirectory(), 'link')
    symlinkSync('nowhere', name)
    const { outcome, after } = await fix({ name, ensure: 'absent' })
    expect(outcome).toEqual({ kind: 'done' })
    expect(after.drift).toEqual([])
  })

  test('a loop is there, so absent is drift, and anything else cannot be observed', async () => {
    const name = join(temporaryDirectory(), 'loop')
    symlinkSync('loop', name)
    expect((await audit({ name, ensure: 'absent' })).drift).toMatchObject([{ observed: 'symlink' }])
    expect(await undecided({ name })).toMatchObject({ reason: 'not-observable' })
    expect(await undecided({ name: join(name, 'below'), ensure: 'absent' })).toMatchObject({ reason: 'not-observable' })
  })

  test('content is compared through a link, and a fix replaces the link and not its target', async () => {
    const directory = temporaryDirectory()
    const target = put(join(directory, 'target'), 'content\n')
    const name = join(directory, 'link')
    symlinkSync('target', name)
    expect((await audit({ name, content: 'content\n' })).drift).toEqual([])
    expect((await fix({ name, content: 'new\n' })).after.drift).toEqual([])
    expect(lstatSync(name).isFile()).toBe(true)
    expect(readFileSync(target, 'utf8')).toBe('content\n')
  })

  test('attributes are not set through a link', async () => {
    const directory = temporaryDirectory()
    const target = put(join(directory, 'target'), '', 0o600)
    const name = join(directory, 'link')
    symlinkSync('target', name)
    expect((await fix({ name })).outcome).toEqual({
      kind: 'failed',
      message: `${name} is a symlink; refusing to set attributes through it`,
    })
    expect(mode(target)).toBe('600')
  })

  test('a link to a directory is compared through and replaced where attributes differ', async () => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'real'), 0o755)
    chmodSync(join(directory, 'real'), 0o700)
    const name = join(directory, 'link')
    symlinkSync('real', name)
    expect((await audit({ name, ensure: 'directory', mode: '0700' })).drift).toEqual([])
    expect((await fix({ name, ensure: 'directory', mode: '0755' })).after.drift).toEqual([])
    expect(lstatSync(name).isDirectory()).toBe(true)
    expect(mode(join(directory, 'real'))).toBe('700')
  })

  test('a directory behind a link survives the removal of the link', async () => {
    const directory = temporaryDirectory()
    mkdirSync(join(directory, 'real'))
    put(join(directory, 'real/kept'))
    const name = join(directory, 'link')
    symlinkSync('real', name)
    expect((await fix({ name, ensure: 'absent', force: true })).outcome).toEqual({ kind: 'done' })
    expect(readdirSync(directory)).toEqual(['real'])
    expect(existsSync(join(directory, 'real/kept'))).toBe(true)
  })
})

describe('things that are never opened', () => {
  test('a fifo', async () => {
    const name = join(temporaryDirectory(), 'fifo')
    execFileSync('mkfifo', [name])
    // Opening it would wait for a writer for ever.
    expect(await audit({ name, content: '' })).toMatchObject({
      drift: [{ observed: 'fifo' }],
      plan: { kind: 'refuse' },
    })
    expect((await fix({ name, content: '' })).after.drift).toHaveLength(1)
    expect(await fix({ name, ensure: 'directory' })).toMatchObject({ outcome: { kind: 'failed' } })
    expect((await fix({ name, ensure: 'absent' })).after.drift).toEqual([])
  })

  test('a device', async () => {
    expect(await audit({ name: '/dev/null', content: '' })).toMatchObject({
      drift: [{ observed: 'character device' }],
      plan: { kind: 'refuse' },
    })
  })

  test('a socket', async () => {
    const name = join(temporaryDirectory(), 'socket')
    const server = createServer().listen(name)
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    expect(await audit({ name, content: '' })).toMatchObject({
      drift: [{ observed: 'socket' }],
      plan: { kind: 'refuse' },
    })
  })
})

describe('a fix', () => {
  test.each([
    ['creates a file', { content: 'new\n' }],
    ['creates an empty file where only attributes are managed', {}],
  ])('%s', async (_name, values) => {
    const directory = temporaryDirectory()
    const name = join(directory, 'a')
    const { outcome, after } = await fix({ name, mode: '0640', ...values })
    expect(outcome).toEqual({ kind: 'done' })
    expect(after.drift).toEqual([])
    expect(mode(name)).toBe('640')
    expect(readdirSync(directory)).toEqual(['a'])
  })

  test('replaces content and mode at once, special bits included', async () => {
    const name = put(join(temporaryDirectory(), 'a'), 'old\n', 0o4755)
    expect((await fix({ name, content: 'new\n', mode: '0o600' })).after.drift).toEqual([])
    expect(mode(name)).toBe('600')
    expect(readFileSync(name, 'utf8')).toBe('new\n')
  })

  test('sets attributes and leaves the content alone', async () => {
    const name = put(join(temporaryDirectory(), 'a'), 'kept', 0o777)
    const { ino } = statSync(name)
    expect((await fix({ name })).after.drift).toEqual([])
    expect(readFileSync(name, 'utf8')).toBe('kept')
    expect(statSync(name).ino).toBe(ino)
  })

  test('copies a source byte by byte', async () => {
    const directory = temporaryDirectory()
    const bytes = Uint8Array.from({ length: 2 * 1024 * 1024 + 3 }, (_, index) => (index * 7) % 256)
    put(join(directory, 'source'), bytes)
    const name = join(directory, 'copy')
    expect((await fix({ name, source: join(directory, 'source') })).after.drift).toEqual([])
    expect(readFileSync(name).equals(bytes)).toBe(true)
  })

  test('creates a directory with its parents', async () => {
    const name = join(temporaryDirectory(), 'a/b/c')
    expect((await fix({ name, ensure: 'directory', mode: '0750' })).after.drift).toEqual([])
    expect(mode(name)).toBe('750')
  })

  test('keeps set-group-id and sticky of a directory', async () => {
    const name = join(temporaryDirectory(), 'a')
    mkdirSync(name)
    chmodSync(name, 0o3777)
    expect((await fix({ name, ensure: 'directory', mode: '0755' })).after.drift).toEqual([])
    expect(mode(name)).toBe('3755')
  })

  test('sets the special bits of a directory where the mode names some', async () => {
    const name = join(temporaryDirectory(), 'parent/a')
    expect((await fix({ name, ensure: 'directory', mode: '1777' })).after.drift).toEqual([])
    expect(mode(name)).toBe('1777')
    expect(lstatSync(join(name, '..')).mode & 0o7000).toBe(0)
    chmodSync(name, 0o3777)
    expect((await audit({ name, ensure: 'directory', mode: '1777' })).drift).toEqual([
      { property: 'mode', desired: '1777', observed: '3777' },
    ])
    expect((await fix({ name, ensure: 'directory', mode: '1777' })).after.drift).toEqual([])
    expect(mode(name)).toBe('1777')
  })

  test.each(['4755', '2755', '6711', '1644'])('gives a file the special bits of %s', async (wanted) => {
    const name = put(join(temporaryDirectory(), 'a'), 'old')
    expect((await audit({ name, mode: wanted })).drift).toHaveLength(1)
    expect((await fix({ name, mode: wanted })).after.drift).toEqual([])
    expect((await fix({ name, mode: wanted, content: 'new' })).after.drift).toEqual([])
    expect(mode(name)).toBe(wanted)
  })

  test.skipIf(needsRoot)('gives a file another owner and set-id bits at once', async () => {
    const name = join(temporaryDirectory(), 'a')
    const values = { name, owner: '4711', group: '4712', mode: '6755' }
    expect((await fix({ ...values, content: 'x' })).after.drift).toEqual([])
    expect(mode(name)).toBe('6755')
  })

  test('does not put a directory in place of a file', async () => {
    const name = put(join(temporaryDirectory(), 'a'), 'kept')
    const { outcome } = await fix({ name, ensure: 'directory' })
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('not a directory') as string })
    expect(readFileSync(name, 'utf8')).toBe('kept')
  })

  test('removes an empty directory', async () => {
    const name = join(temporaryDirectory(), 'a')
    mkdirSync(name)
    expect((await fix({ name, ensure: 'absent' })).after.drift).toEqual([])
  })

  test('keeps a directory with entries unless forced', async () => {
    const name = join(temporaryDirectory(), 'a')
    mkdirSync(name)
    put(join(name, 'entry'))
    expect((await fix({ name, ensure: 'absent' })).after).toMatchObject({ plan: { kind: 'refuse' } })
    expect((await fix({ name, ensure: 'absent', force: true })).after.drift).toEqual([])
  })

  test('fails clearly for a user that does not exist', async () => {
    const name = join(temporaryDirectory(), 'a')
    expect((await fix({ name, content: '', owner: 'no-such-user-here' })).outcome).toEqual({
      kind: 'failed',
      message: 'user "no-such-user-here" does not exist',
    })
    expect(existsSync(name)).toBe(false)
  })

  test('fails clearly where the parent is missing', async () => {
    const directory = temporaryDirectory()
    const name = join(directory, 'no/file')
    expect((await fix({ name, content: '' })).outcome).toEqual({
      kind: 'failed',
      message: `cannot write ${name}: "${join(directory, 'no')}" is not a directory: it does not exist`,
    })
  })

  test.each([
    ['present', 'drift'],
    ['present', 'compliant'],
    ['directory', 'drift'],
    ['directory', 'compliant'],
  ])('makes nothing up where %s is %s if absent', async (ensure, ifAbsent) => {
    const name = join(temporaryDirectory(), 'a/b')
    const values = { name, ensure, if_absent: ifAbsent, owner: undefined, group: undefined, mode: undefined }
    const { after } = await fix(values)
    expect(after.drift).toHaveLength(ifAbsent === 'drift' ? 1 : 0)
    expect(existsSync(join(name, '..'))).toBe(false)
  })

  test.skipIf(needsRoot)('leaves alone what the policy leaves out', async () => {
    const name = put(join(temporaryDirectory(), 'a'), 'x', 0o6751)
    chownSync(name, 4711, 4712)
    chmodSync(name, 0o6751)
    const nothing = { name, if_absent: 'drift', owner: undefined, group: undefined, mode: undefined }
    expect((await audit(nothing)).drift).toEqual([])
    expect((await fix({ ...nothing, content: 'y' })).after.drift).toEqual([])
    expect(statSync(name)).toMatchObject({ uid: 4711, gid: 4712 })
    expect(mode(name)).toBe('6751')
    expect((await fix({ ...nothing, owner: '0' })).after.drift).toEqual([])
    expect(statSync(name)).toMatchObject({ uid: 0, gid: 4712 })
    expect(mode(name)).toBe('751')
  })

  test.skipIf(needsRoot)('gives a file to another user and group by number (needs root)', async () => {
    const name = put(join(temporaryDirectory(), 'a'), 'x')
    expect((await fix({ name, content: 'y', owner: '4711', group: '4712', mode: '0400' })).after.drift).toEqual([])
    expect(statSync(name)).toMatchObject({ uid: 4711, gid: 4712 })
    expect((await fix({ name, ...self })).after.drift).toEqual([])
    expect(statSync(name)).toMatchObject({ uid: 0, gid: 0 })
  })
})

// The sums are those of sha256sum over so many zero bytes.
const LARGE = IS_SOAK
  ? { sizeBytes: 2 * 1024 ** 3, sha256: 'a7c744c13cc101ed66c29f672f92455547889cc586ce6d44fe76ae824958ea51' }
  : { sizeBytes: 256 * 1024 ** 2, sha256: 'a6d72ac7690f53be6ae46ba88506bd97302a093f7108472bd9efc3cefda06484' }

test('a large sparse file is hashed in flat memory', async () => {
  const name = put(join(temporaryDirectory(), 'large'))
  truncateSync(name, LARGE.sizeBytes)
  const { file, remove } = await bundle(`
    import { file } from './src/subjects/files/file/index.ts'
    import { createLocalTarget } from './src/host/live/local-target.ts'
    const context = { workingDirectory: '/', signal: new AbortController().signal, showDiff: true }
    const values = { name: process.argv[2], ensure: 'present', content: 'x', owner: '0', group: '0', mode: '0644', force: false }
    const before = process.resourceUsage().maxRSS
    const { decision } = await file.prepare(values, 'posix', context).examine(createLocalTarget())
    console.log(JSON.stringify({ observed: decision.drift[0].observed, grownKib: process.resourceUsage().maxRSS - before }))`)
  onTestFinished(remove)
  const { stdout } = await promisify(execFile)(process.execPath, [file, name])
  const { observed, grownKib } = JSON.parse(stdout) as { observed: unknown; grownKib: number }
  expect(observed).toEqual(LARGE)
  expect(grownKib).toBeLessThan(64 * 1024)
})

test('an audit does not change a link at the path', async () => {
  const name = join(temporaryDirectory(), 'link')
  symlinkSync('nowhere', name)
  await audit({ name, content: 'x' })
  expect(readlinkSync(name)).toBe('nowhere')
})
