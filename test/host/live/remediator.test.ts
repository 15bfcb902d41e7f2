import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Journal, NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { isTemporaryName, temporaryName } from '../../../src/host/live/temporary-name.ts'
import { endWithTest } from '../../support/end-with-test.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const remediator = createLocalRemediator(NO_JOURNAL)
const attributes = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, mode: 0o644 }
const content = { kind: 'bytes', bytes: Buffer.from('content') } as const
const done = { kind: 'done' }

describe('paths', () => {
  test('no change goes through a link that others control', async () => {
    const base = temporaryDirectory()
    mkdirSync(join(base, 'real/sub'), { recursive: true })
    writeFileSync(join(base, 'real/file'), 'kept', { mode: 0o600 })
    mkdirSync(join(base, 'shared'))
    chmodSync(join(base, 'shared'), 0o1777)
    symlinkSync('../real', join(base, 'shared/link'))
    const path = join(base, 'shared/link/file')
    const outcomes = [
      await remediator.writeFile(path, content, attributes),
      await remediator.setAttributes(path, attributes),
      await remediator.createDirectory(join(base, 'shared/link/new/deeper'), attributes),
      await remediator.createDirectory(join(base, 'shared/link/sub'), { ...attributes, mode: 0o700 }),
      await remediator.remove(path, { recursive: true }),
    ]
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        kind: 'failed',
        message: expect.stringContaining('symbolic link "link"') as string,
      })
    }
    expect(readdirSync(join(base, 'real'))).toEqual(['file', 'sub'])
    expect(readFileSync(join(base, 'real/file'), 'utf8')).toBe('kept')
    expect(statSync(join(base, 'real/file')).mode & 0o777).toBe(0o600)
  })

  test('a trusted link in a parent is followed', async () => {
    const base = temporaryDirectory()
    mkdirSync(join(base, 'real'))
    symlinkSync('real', join(base, 'link'))
    expect(await remediator.writeFile(join(base, 'link/file'), content, attributes)).toEqual(done)
    expect(readFileSync(join(base, 'real/file'), 'utf8')).toBe('content')
  })

  test('names of the greatest length fit beside their temporary file', async () => {
    const path = join(temporaryDirectory(), 'ü'.repeat(127))
    expect(await remediator.writeFile(path, content, attributes)).toEqual(done)
    expect(await remediator.createDirectory(join(dirname(path), 'x'.repeat(255)), attributes)).toEqual(done)
  })
})

test.each(['a', 'new\nline', 'x'.repeat(255), '日'.repeat(85), '.hidden'])(
  'the temporary name of %j is short enough and recognised',
  (base) => {
    const name = temporaryName(base)
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
    expect(isTemporaryName(name)).toBe(true)
    expect(isTemporaryName(base)).toBe(false)
  },
)

test('a temporary path is recorded before it exists and forgotten once it is gone', async () => {
  const events: string[] = []
  const journal: Journal = {
    record: (path) => void events.push(`record ${isTemporaryName(basename(path))} ${existsSync(path)}`),
    forget: (path) => void events.push(`forget ${isTemporaryName(basename(path))} ${existsSync(path)}`),
  }
  const journaled = createLocalRemediator(journal)
  const path = join(temporaryDirectory(), 'file')
  await journaled.writeFile(path, content, attributes)
  await journaled.createDirectory(join(dirname(path), 'directory'), attributes)
  await journaled.writeFile(path, { kind: 'copy', source: '/no/such/source' }, attributes)
  expect(events).toEqual(Array.from({ length: 3 }, () => ['record true false', 'forget true false']).flat())
})

describe('sources', () => {
  test.each([
    ['missing', '/no/such/source', 'cannot read source /no/such/source: no such file or directory'],
    ['a directory', '/', 'source / is not a regular file'],
    ['a device', '/dev/zero', 'source /dev/zero is not a regular file'],
  ])('%s', async (_name, source, reason) => {
    const path = join(temporaryDirectory(), 'file')
    expect(await remediator.writeFile(path, { kind: 'copy', source }, attributes)).toEqual({
      kind: 'failed',
      message: `cannot write ${path}: ${reason}`,
    })
    expect(readdirSync(dirname(path))).toEqual([])
  })

  test('a fifo is not waited for', async () => {
    const directory = temporaryDirectory()
    const source = join(directory, 'fifo')
    execFileSync('mkfifo', [source])
    expect(await remediator.writeFile(join(directory, 'file'), { kind: 'copy', source }, attributes)).toMatchObject({
      kind: 'failed',
    })
  })
})

describe('obstacles to a change', () => {
  test('a directory that appeared where a file is written', async () => {
    const path = join(temporaryDirectory(), 'directory')
    mkdirSync(path)
    expect(await remediator.writeFile(path, content, attributes)).toMatchObject({ kind: 'failed' })
    expect(await remediator.setAttributes(path, attributes)).toMatchObject({ kind: 'failed' })
    expect(readdirSync(dirname(path))).toEqual(['directory'])
  })

  test('a file that disappeared before its attributes are set', async () => {
    const path = join(temporaryDirectory(), 'none')
    expect(await remediator.setAttributes(path, attributes)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('no such file') as string,
    })
  })

  test('a file where a parent directory is needed', async () => {
    const path = join(temporaryDirectory(), 'file')
    writeFileSync(path, 'kept')
    expect(await remediator.createDirectory(join(path, 'a/b'), attributes)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('is not a directory') as string,
    })
    expect(await remediator.remove(join(path, 'a'), { recursive: false })).toEqual(done)
  })
})

test('a new directory has exactly its mode, also below one that hands its group on', async () => {
  const base = temporaryDirectory()
  chmodSync(base, 0o2755)
  expect(await remediator.createDirectory(join(base, 'a'), { ...attributes, mode: 0o755 })).toEqual(done)
  expect((statSync(join(base, 'a')).mode & 0o7777).toString(8)).toBe('755')
})

test('the root directory is never removed', async () => {
  expect(await remediator.remove('/', { recursive: true })).toMatchObject({ kind: 'failed' })
})

describe('removing a tree', () => {
  test('removes links without following them, names that are no text, and deep directories', async () => {
    const base = temporaryDirectory()
    const outside = join(base, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'kept'), '')
    const tree = join(base, 'tree')
    mkdirSync(tree)
    symlinkSync('../outside', join(tree, 'link'))
    symlinkSync('/no/such/place', join(tree, 'dangling'))
    execFileSync('mkfifo', [join(tree, 'fifo')])
    writeFileSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xff, 0xfe, 0x0a])]), '')
    // Several times deeper than is descended into at once, and longer than one path may be (4096 bytes).
    execFileSync(
      process.execPath,
      [
        '-e',
        "const fs = require('fs'); for (let i = 0; i < 300; i++) { fs.mkdirSync('deep-directory'); fs.writeFileSync('file', ''); process.chdir('deep-directory') }",
      ],
      { cwd: tree },
    )
    expect(await remediator.remove(tree, { recursive: true })).toEqual(done)
    expect(readdirSync(base)).toEqual(['outside'])
    expect(readdirSync(outside)).toEqual(['kept'])
  })

  test('succeeds while another process removes the same tree', async () => {
    const tree = join(temporaryDirectory(), 'tree')
    execFileSync('sh', [
      '-c',
      'for a in 1 2 3 4 5 6; do for b in 1 2 3 4 5 6; do mkdir -p "$1/$a/$b"; for c in 1 2 3 4 5 6 7 8 9; do : > "$1/$a/$b/$c"; done; done; done',
      '-',
      tree,
    ])
    const rival = spawn('rm', ['-rf', tree])
    const ended = new Promise((resolve) => rival.once('exit', resolve))
    expect(await remediator.remove(tree, { recursive: true })).toEqual(done)
    await ended
    expect(existsSync(tree)).toBe(false)
  })

  // A busy machine lets the rival run for long between two looks.
  test('ends although another process keeps adding entries', { timeout: 60_000 }, async () => {
    const tree = join(temporaryDirectory(), 'tree')
    mkdirSync(tree)
    const rival = spawn('sh', ['-c', 'i=0; while mkdir -p "$1/d$i" 2>/dev/null; do i=$((i+1)); done', '-', tree], {
      stdio: 'ignore',
    })
    endWithTest(rival)
    while (readdirSync(tree).length < 3) await new Promise((resolve) => setImmediate(resolve))
    const outcome = await remediator.remove(tree, { recursive: true })
    expect(['done', 'failed']).toContain(outcome.kind)
    if (outcome.kind === 'failed') expect(outcome.message).toContain('new entries kept appearing')
  })
})

describe('attributes that depend on those that are there', () => {
  test('the thing at the path is asked for when it is held, and left alone where nothing is said', async () => {
    const path = join(temporaryDirectory(), 'file')
    writeFileSync(path, '', { mode: 0o600 })
    const { uid, gid } = attributes
    const seen: unknown[] = []
    await remediator.adjustAttributes(path, (entry) => {
      seen.push(entry)
      return undefined
    })
    expect(seen).toEqual([{ kind: 'file', mode: 0o600, uid, gid }])
    expect(await remediator.adjustAttributes(path, ({ mode }) => ({ uid, gid, mode: mode & 0o444 }))).toEqual(done)
    expect(statSync(path).mode & 0o7777).toBe(0o400)
  })

  test('a directory loses special bits that are not wanted, and what waits is not opened', async () => {
    const base = temporaryDirectory()
    mkdirSync(join(base, 'directory'))
    chmodSync(join(base, 'directory'), 0o3777)
    execFileSync('mkfifo', [join(base, 'fifo')])
    const { uid, gid } = attributes
    for (const name of ['directory', 'fifo']) {
      expect(await remediator.adjustAttributes(join(base, name), () => ({ uid, gid, mode: 0o1700 }))).toEqual(done)
      expect(statSync(join(base, name)).mode & 0o7777).toBe(0o1700)
    }
  })

  test('a link gets an owner itself, and what it leads to stays as it is', async () => {
    const base = temporaryDirectory()
    writeFileSync(join(base, 'file'), '', { mode: 0o600 })
    symlinkSync('file', join(base, 'link'))
    const { uid, gid } = attributes
    const owner = uid === 0 ? { uid: 7, gid: 8 } : { uid, gid }
    expect(await remediator.adjustAttributes(join(base, 'link'), () => ({ ...owner, mode: 0o777 }))).toEqual(done)
    expect(lstatSync(join(base, 'link'))).toMatchObject(owner)
    expect(statSync(join(base, 'file'))).toMatchObject({ uid, gid, mode: 0o100600 })
  })

  test('a name that others can have given to it is refused, and so is one that leads nowhere', async () => {
    const base = temporaryDirectory()
    mkdirSync(join(base, 'open'))
    chmodSync(join(base, 'open'), 0o777)
    writeFileSync(join(base, 'file'), '', { mode: 0o600 })
    linkSync(join(base, 'file'), join(base, 'open/file'))
    const outcome = await remediator.adjustAttributes(join(base, 'open/file'), () => attributes)
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('other hard links') as string })
    expect(await remediator.adjustAttributes(join(base, 'none'), () => attributes)).toMatchObject({ kind: 'failed' })
    expect(statSync(join(base, 'file')).mode & 0o7777).toBe(0o600)
  })
})
