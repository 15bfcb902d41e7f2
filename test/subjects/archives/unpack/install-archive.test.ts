import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ApplyOutcome } from '../../../../src/model/decision.ts'
import { acquireFixLock } from '../../../../src/host/live/fix-lock.ts'
import { createLocalRemediator } from '../../../../src/host/live/local-remediator.ts'
import type { ExtractRequest } from '../../../../src/host/remediator.ts'
import { bundle } from '../../../support/bundle.ts'
import { tarBytes, type TarEntry } from '../../../support/tar-bytes.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { readTree } from '../../../support/tree.ts'
import { runAsNobody } from '../../../support/unprivileged.ts'

interface Scene {
  /** Holds everything below it. */
  readonly root: string
  readonly directory: string
  readonly archive: string
  readonly request: ExtractRequest
}

function scene(entries: readonly TarEntry[], options: { readonly directory?: string } = {}): Scene {
  const root = temporaryDirectory()
  const archive = join(root, 'archive.tar')
  const directory = join(root, options.directory ?? 'opt')
  writeFileSync(archive, tarBytes(entries))
  const signal = new AbortController().signal
  return { root, directory, archive, request: { archive, format: 'tar', directory, maxBytes: 1e9, signal } }
}

/** Extracts with a real lock, and proves that nothing of it is left recorded. */
async function extract(request: ExtractRequest): Promise<ApplyOutcome> {
  const state = temporaryDirectory()
  chmodSync(state, 0o700)
  const result = await acquireFixLock({ directory: state })
  if (result.kind !== 'held') throw new Error(JSON.stringify(result))
  const outcome = await createLocalRemediator(result.lock.journal).extract(request)
  result.lock.release()
  // The file of the lock stays: what is locked is never removed.
  expect(readdirSync(state)).toEqual(['fix.lock'])
  return outcome
}

/** Everything but the archive. */
function treeOf({ root }: Scene): Record<string, string> {
  const { 'archive.tar': _archive, ...tree } = readTree(root)
  return tree
}

const APP: readonly TarEntry[] = [
  { name: 'app', type: '5', mode: 0o755 },
  { name: 'app/run', content: 'new', mode: 0o755 },
  { name: 'app/lib/code', content: 'new code' },
  { name: 'app/link', type: '2', link: 'run' },
]

const APP_TREE = {
  'opt/app': '755/',
  'opt/app/lib': '755/',
  'opt/app/lib/code': '644 new code',
  'opt/app/link': '-> run',
  'opt/app/run': '755 new',
}

describe('a directory that is not there', () => {
  test('is made, readable for all', async () => {
    const here = scene(APP)
    expect(await extract(here.request)).toEqual({ kind: 'done' })
    expect(treeOf(here)).toEqual({ opt: '755/', ...APP_TREE })
    expect(statSync(join(here.directory, 'app/run')).uid).toBe(process.geteuid?.())
  })

  test('is made with its parents', async () => {
    const here = scene([{ name: 'a' }], { directory: 'srv/deep/opt' })
    expect(await extract(here.request)).toEqual({ kind: 'done' })
    expect(Object.keys(treeOf(here))).toEqual(['srv', 'srv/deep', 'srv/deep/opt', 'srv/deep/opt/a'])
  })

  test('is not there after a failure either, and neither are its parents', async () => {
    const here = scene([{ name: 'a' }, { name: '../b' }], { directory: 'srv/deep/opt' })
    expect(await extract(here.request)).toEqual({
      kind: 'failed',
      message: `cannot extract ${here.archive} into ${here.directory}: entry "../b" has ".." in its name`,
    })
    expect(treeOf(here)).toEqual({})
  })
})

describe('a directory that is there', () => {
  test('keeps files beyond the archive, its own attributes and those of the directories in it', async () => {
    const here = scene([{ name: './', type: '5', mode: 0o700 }, ...APP])
    mkdirSync(join(here.directory, 'app'), { recursive: true })
    chmodSync(here.directory, 0o711)
    chmodSync(join(here.directory, 'app'), 0o750)
    writeFileSync(join(here.directory, 'app/own'), 'mine', { mode: 0o600 })
    writeFileSync(join(here.directory, 'app/run'), 'old', { mode: 0o600 })
    expect(await extract(here.request)).toEqual({ kind: 'done' })
    expect(treeOf(here)).toEqual({ opt: '711/', ...APP_TREE, 'opt/app': '750/', 'opt/app/own': '600 mine' })
  })

  test('files are replaced, not written into: a process with the old one open keeps it', async () => {
    const here = scene(APP)
    mkdirSync(join(here.directory, 'app'), { recursive: true })
    writeFileSync(join(here.root, 'elsewhere'), 'precious')
    execFileSync('ln', [join(here.root, 'elsewhere'), join(here.directory, 'app/run')])
    expect(await extract(here.request)).toEqual({ kind: 'done' })
    expect(readFileSync(join(here.root, 'elsewhere'), 'utf8')).toBe('precious')
    expect(readFileSync(join(here.directory, 'app/run'), 'utf8')).toBe('new')
  })

  test('a link in the place of a file is replaced and not followed', async () => {
    const here = scene(APP)
    mkdirSync(join(here.directory, 'app'), { recursive: true })
    writeFileSync(join(here.root, 'elsewhere'), 'precious')
    symlinkSync(join(here.root, 'elsewhere'), join(here.directory, 'app/run'))
    expect(await extract(here.request)).toEqual({ kind: 'done' })
    expect(readFileSync(join(here.root, 'elsewhere'), 'utf8')).toBe('precious')
    expect(lstatSync(join(here.directory, 'app/run')).isFile()).toBe(true)
  })

  test('may be reached through a link that only root or the running user can change', async () => {
    const here = scene(APP)
    mkdirSync(join(here.root, 'data'))
    symlinkSync('data', here.directory)
    expect(await extract(here.request)).toEqual({ kind: 'done' })
    expect(readFileSync(join(here.root, 'data/app/run'), 'utf8')).toBe('new')
    expect(readdirSync(here.root).toSorted()).toEqual(['archive.tar', 'data', 'opt'])
  })

  test('directories of the archive that lock their owner out end up so', async () => {
    const here = scene([
      { name: 'shut', type: '5', mode: 0 },
      { name: 'shut/in', type: '5', mode: 0o100 },
      { name: 'shut/in/file' },
      { name: 'open', type: '5', mode: 0 },
    ])
    mkdirSync(join(here.directory, 'open'), { recursive: true })
    expect(await extract(here.request)).toEqual({ kind: 'done' })
    expect(treeOf(here)).toMatchObject({ 'opt/shut': '0/', 'opt/shut/in': '100/', 'opt/open': '755/' })
  })
})

describe('an obstacle in the destination is left alone, with everything else', () => {
  test.each<[string, (directory: string) => void, string]>([
    [
      'a link where the archive has a directory',
      (directory) => symlinkSync('/tmp', join(directory, 'app')),
      '"app" is a directory in the archive but a symbolic link in the destination; remove it first',
    ],
    [
      'a file where the archive has a directory',
      (directory) => writeFileSync(join(directory, 'app'), ''),
      '"app" is a directory in the archive but not a directory in the destination; remove it first',
    ],
    [
      'a directory where the archive has a file',
      (directory) => mkdirSync(join(directory, 'app/lib/code'), { recursive: true }),
      '"app/lib/code" is a file in the archive but a directory in the destination; remove it first',
    ],
    [
      'a fifo where the archive has a file',
      (directory) => {
        mkdirSync(join(directory, 'app'))
        execFileSync('mkfifo', [join(directory, 'app/run')])
      },
      '"app/run" is a file in the archive but not a regular file in the destination; remove it first',
    ],
  ])('%s', async (_name, prepare, reason) => {
    const here = scene(APP)
    mkdirSync(here.directory)
    prepare(here.directory)
    const before = treeOf(here)
    expect(await extract(here.request)).toMatchObject({ kind: 'failed', message: expect.stringContaining(reason) })
    expect(treeOf(here)).toEqual(before)
  })

  test('a file in the place of the directory itself', async () => {
    const here = scene(APP)
    writeFileSync(here.directory, 'mine')
    expect(await extract(here.request)).toMatchObject({ kind: 'failed' })
    expect(treeOf(here)).toEqual({ opt: '644 mine' })
  })
})

describe('a failure keeps the previous content', () => {
  test.each<[string, readonly TarEntry[], Partial<ExtractRequest>]>([
    ['a bad entry after good ones', [...APP, { name: '/etc/x' }], {}],
    ['too much', APP, { maxBytes: 2000 }],
    ['another checksum', APP, { sha256: '0'.repeat(64) }],
    ['an interruption', APP, { signal: AbortSignal.abort() }],
    ['an archive that is missing', APP, { archive: '/nonexistent.tar' }],
    ['an archive of another kind', APP, { format: 'zip' }],
  ])('%s', async (_name, entries, changes) => {
    const here = scene(entries)
    mkdirSync(join(here.directory, 'app'), { recursive: true })
    writeFileSync(join(here.directory, 'app/run'), 'old')
    const before = treeOf(here)
    expect(await extract({ ...here.request, ...changes })).toMatchObject({ kind: 'failed' })
    expect(treeOf(here)).toEqual(before)
  })

  test.skipIf(needsRoot)('half of it is in place already', async () => {
    const here = scene([
      { name: 'a/added' },
      { name: 'b/replaced', content: 'new' },
      { name: 'c/locked', content: 'new' },
      { name: 'd' },
    ])
    // Only "c" is not the user's own.
    for (const name of ['a', 'b', 'c']) mkdirSync(join(here.directory, name), { recursive: true })
    for (const name of ['b/replaced', 'c/locked']) writeFileSync(join(here.directory, name), 'old')
    execFileSync('chown', ['-R', '65534:65534', here.root])
    execFileSync('chown', ['-R', '0:0', join(here.directory, 'c')])
    const before = treeOf(here)
    const outcome = await runAsNobody(
      `
      import { NO_JOURNAL } from './src/host/live/journal.ts'
      import { createLocalRemediator } from './src/host/live/local-remediator.ts'
      const [archive, directory] = process.argv.slice(2)
      const signal = new AbortController().signal
      const request = { archive, directory, format: 'tar', maxBytes: 1e9, signal }
      console.log(JSON.stringify(await createLocalRemediator(NO_JOURNAL).extract(request)))`,
      [here.archive, here.directory],
    )
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('permission denied') })
    expect(treeOf(here)).toEqual(before)
  })
})

test.skipIf(needsRoot)('the staging directory is inside if the parent is not writable', async () => {
  const here = scene(APP)
  mkdirSync(here.directory)
  execFileSync('chown', ['65534:65534', here.directory, here.archive])
  const outcome = await runAsNobody(
    `
    import { NO_JOURNAL } from './src/host/live/journal.ts'
    import { createLocalRemediator } from './src/host/live/local-remediator.ts'
    const [archive, directory] = process.argv.slice(2)
    const signal = new AbortController().signal
    const request = { archive, directory, format: 'tar', maxBytes: 1e9, signal }
    console.log(JSON.stringify(await createLocalRemediator(NO_JOURNAL).extract(request)))`,
    [here.archive, here.directory],
  )
  expect(outcome).toEqual({ kind: 'done' })
  expect(treeOf(here)).toEqual({ opt: '755/', ...APP_TREE })
})

/** Whether this process may mount file systems; a container often may not, even as root. */
const cannotMount = mountProblem()

function mountProblem(): string | undefined {
  if (needsRoot !== undefined) return needsRoot
  const directory = mkdtempSync('/tmp/driftgate-mount-')
  const { status } = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', directory])
  if (status === 0) execFileSync('umount', [directory])
  rmdirSync(directory)
  return status === 0 ? undefined : 'mounting is not allowed here'
}

function mount(directory: string, ...args: readonly string[]): void {
  mkdirSync(directory)
  execFileSync('mount', [...args, directory])
  onTestFinished(() => void execFileSync('umount', [directory]))
}

describe.skipIf(cannotMount)(`other file systems (${cannotMount ?? 'mounted for the test'})`, () => {
  test('a directory that is a mount point of another file system', async () => {
    const here = scene(APP)
    mount(here.directory, '-t', 'tmpfs', '-o', 'mode=755', 'tmpfs')
    expect(await extract(here.request)).toEqual({ kind: 'done' })
    expect(treeOf(here)).toEqual({ opt: '755/', ...APP_TREE })
  })

  test('a directory that is a mount point of the same file system', async () => {
    const here = scene(APP)
    mkdirSync(join(here.root, 'data'), { mode: 0o755 })
    mount(here.directory, '--bind', join(here.root, 'data'))
    expect(await extract(here.request)).toEqual({ kind: 'done' })
    expect(readFileSync(join(here.root, 'data/app/run'), 'utf8')).toBe('new')
    expect(readdirSync(join(here.root, 'data'))).toEqual(['app'])
  })

  test('a mount point inside stays as it is, and so does everything else', async () => {
    const here = scene([
      { name: 'a', content: 'new' },
      { name: 'b/c', content: 'new' },
    ])
    mkdirSync(here.directory)
    writeFileSync(join(here.directory, 'a'), 'old')
    mount(join(here.directory, 'b'), '-t', 'tmpfs', '-o', 'mode=755', 'tmpfs')
    const before = treeOf(here)
    const outcome = await extract(here.request)
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('another file system') })
    expect(treeOf(here)).toEqual(before)
  })

  test('a full file system', async () => {
    const here = scene([
      { name: 'a', content: 'new' },
      { name: 'b', content: Buffer.alloc(500_000) },
    ])
    mount(here.directory, '-t', 'tmpfs', '-o', 'size=256k,mode=755', 'tmpfs')
    writeFileSync(join(here.directory, 'a'), 'old')
    const before = treeOf(here)
    const outcome = await extract(here.request)
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('free some space') })
    expect(treeOf(here)).toEqual(before)
  })
})

test('the archive that was verified is the one that is unpacked, even if its name is given to another', async () => {
  const here = scene(APP)
  const bytes = readFileSync(here.archive)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  renameSync(here.archive, join(here.root, 'moved'))
  writeFileSync(here.archive, tarBytes([{ name: 'evil' }]))
  expect(await extract({ ...here.request, sha256 })).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('checksum mismatch'),
  })
  expect(existsSync(here.directory)).toBe(false)
})

test('killed at any piece of the archive: nothing changed, and the next run takes the rest away', async () => {
  // Kills itself when the archive's nth piece is about to be unpacked.
  const { file: extractor, remove } = await bundle(`
    import { acquireFixLock } from './src/host/live/fix-lock.ts'
    import { createLocalRemediator } from './src/host/live/local-remediator.ts'
    const [state, archive, directory, last] = process.argv.slice(2)
    const result = await acquireFixLock({ directory: state })
    if (result.kind !== 'held') throw new Error(JSON.stringify(result))
    const { signal } = new AbortController()
    let pieces = 0
    signal.throwIfAborted = () => {
      if (++pieces === Number(last)) process.kill(process.pid, 'SIGKILL')
    }
    const request = { archive, directory, format: 'tar', maxBytes: 1e9, signal }
    console.log(JSON.stringify(await createLocalRemediator(result.lock.journal).extract(request)))`)
  onTestFinished(remove)
  const files = Array.from({ length: 8 }, (_, index) => ({ name: `app/${index}`, content: Buffer.alloc(200_000, 'n') }))
  for (const isThere of [true, false]) {
    const here = scene(files)
    const state = temporaryDirectory()
    chmodSync(state, 0o700)
    if (isThere) mkdirSync(join(here.directory, 'app'), { recursive: true })
    if (isThere) writeFileSync(join(here.directory, 'app/3'), 'old')
    const before = treeOf(here)
    for (const last of [1, 3, 6]) {
      const { signal } = spawnSync(process.execPath, [extractor, state, here.archive, here.directory, String(last)])
      expect(signal).toBe('SIGKILL')
      const lock = await acquireFixLock({ directory: state })
      if (lock.kind !== 'held') throw new Error(JSON.stringify(lock))
      expect(lock.lock.recovered).toHaveLength(1)
      expect(lock.lock.notRecovered).toEqual([])
      lock.lock.release()
      expect(treeOf(here)).toEqual(before)
    }
  }
})
