import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { cannotMount, mount } from '../../support/mount.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'
import { runAsNobody } from '../../support/unprivileged.ts'

const remediator = createLocalRemediator(NO_JOURNAL)
const attributes = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, mode: 0o644 }

function bytes(length: number): { kind: 'bytes'; bytes: Uint8Array } {
  return { kind: 'bytes', bytes: Buffer.alloc(length, 'x') }
}

function mounted(options: string): string {
  return mount(['-t', 'tmpfs', '-o', options, 'tmpfs'], join(temporaryDirectory(), 'mounted'))
}

describe.skipIf(cannotMount)(`file systems that refuse (${cannotMount ?? 'mounted for the test'})`, () => {
  test('full: the old content stays and no temporary file is left', async () => {
    const directory = mounted('size=256k')
    const path = join(directory, 'file')
    writeFileSync(path, 'old')
    expect(await remediator.writeFile(path, bytes(1024 * 1024), attributes)).toEqual({
      kind: 'failed',
      message: `cannot write ${path}: no space left on device; free some space on its file system and run the fix again`,
    })
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(readdirSync(directory)).toEqual(['file'])
  })

  test('full: a copied source fails the same way', async () => {
    const directory = mounted('size=256k')
    const source = join(temporaryDirectory(), 'source')
    writeFileSync(source, Buffer.alloc(3 * 1024 * 1024))
    const outcome = await remediator.writeFile(join(directory, 'file'), { kind: 'copy', source }, attributes)
    expect(outcome).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('no space left on device') as string,
    })
    expect(readdirSync(directory)).toEqual([])
  })

  test('without room for one more name', async () => {
    // The root directory of the file system and the file take the two inodes.
    const directory = mounted('nr_inodes=2')
    const path = join(directory, 'file')
    writeFileSync(path, 'old')
    expect(await remediator.writeFile(path, bytes(1), attributes)).toMatchObject({ kind: 'failed' })
    expect(await remediator.createDirectory(join(directory, 'new'), attributes)).toMatchObject({ kind: 'failed' })
    expect(readdirSync(directory)).toEqual(['file'])
  })

  test('read-only: every change is refused with the reason', async () => {
    const directory = mounted('size=256k')
    const path = join(directory, 'file')
    writeFileSync(path, 'old', { mode: 0o600 })
    execFileSync('mount', ['-o', 'remount,ro', directory])
    const outcomes = [
      await remediator.writeFile(path, bytes(1), attributes),
      await remediator.setAttributes(path, attributes),
      await remediator.createDirectory(join(directory, 'new'), attributes),
      await remediator.remove(path, { recursive: false }),
    ]
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('mounted read-only') as string })
      expect(outcome).toMatchObject({ message: expect.stringContaining(directory) as string })
    }
    expect(readFileSync(path, 'utf8')).toBe('old')
  })
})

describe.skipIf(needsRoot)(`an unprivileged user (${needsRoot ?? 'nobody'})`, () => {
  let examineText: string
  let writeText: string

  beforeAll(() => {
    examineText = `
      import { file } from './src/subjects/files/file/index.ts'
      import { createLocalTarget } from './src/host/live/local-target.ts'
      const context = { workingDirectory: '/', signal: new AbortController().signal, showDiff: true }
      const values = { ensure: 'present', owner: '0', group: '0', mode: '0600', if_absent: 'create', force: false, ...JSON.parse(process.argv[2]) }
      const examination = await file.prepare(values, 'posix', context).examine(createLocalTarget())
      console.log(JSON.stringify(examination))`
    writeText = `
      import { createLocalRemediator } from './src/host/live/local-remediator.ts'
      import { NO_JOURNAL } from './src/host/live/journal.ts'
      const remediator = createLocalRemediator(NO_JOURNAL)
      const [path, uid] = process.argv.slice(2)
      const attributes = { uid: Number(uid), gid: 65534, mode: 0o640 }
      console.log(JSON.stringify([
        await remediator.writeFile(path, { kind: 'bytes', bytes: Buffer.from('new') }, attributes),
        await remediator.setAttributes(path, attributes),
      ]))`
  })

  test('unreadable content is unknown, the rest is still compared', async () => {
    const path = join(temporaryDirectory(), 'secret')
    writeFileSync(path, 'x', { mode: 0o600 })
    expect(await runAsNobody(examineText, [JSON.stringify({ name: path, content: 'x', mode: '0640' })])).toMatchObject({
      decision: { drift: [{ property: 'mode' }], unknown: [{ property: 'content', reason: 'permission-denied' }] },
    })
  })

  test.each([{ ensure: 'present' }, { ensure: 'absent' }, { ensure: 'directory' }])(
    'an entry of a closed directory is never absent: %j',
    async (values) => {
      const directory = temporaryDirectory()
      mkdirSync(join(directory, 'closed'), { mode: 0o700 })
      const name = join(directory, 'closed/file')
      expect(await runAsNobody(examineText, [JSON.stringify({ name, ...values })])).toMatchObject({
        kind: 'unknown',
        reason: 'permission-denied',
      })
    },
  )

  test('a source that cannot be read is unknown content', async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'source'), '', { mode: 0o600 })
    writeFileSync(join(directory, 'file'), '', { mode: 0o600 })
    chmodSync(join(directory, 'file'), 0o644)
    const values = { name: join(directory, 'file'), source: join(directory, 'source'), mode: '0644' }
    expect(await runAsNobody(examineText, [JSON.stringify(values)])).toMatchObject({
      decision: { drift: [], unknown: [{ property: 'content', reason: 'permission-denied' }] },
    })
  })

  test('changes own files, even in a directory that it may not list', async () => {
    const directory = temporaryDirectory()
    chownSync(directory, 65534, 65534)
    chmodSync(directory, 0o300)
    const path = join(directory, 'file')
    expect(await runAsNobody(writeText, [path, '65534'])).toEqual([{ kind: 'done' }, { kind: 'done' }])
    expect(readFileSync(path, 'utf8')).toBe('new')
  })

  test('cannot give files away, and leaves nothing behind when it tries', async () => {
    const directory = temporaryDirectory()
    chownSync(directory, 65534, 65534)
    const path = join(directory, 'file')
    writeFileSync(path, 'old')
    chownSync(path, 65534, 65534)
    const message = expect.stringContaining('operation not permitted; run as root') as string
    expect(await runAsNobody(writeText, [path, '0'])).toMatchObject([
      { kind: 'failed', message },
      { kind: 'failed', message },
    ])
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(readdirSync(directory)).toEqual(['file'])
  })

  test('is told where it may not write', async () => {
    const path = join(temporaryDirectory(), 'file')
    expect(await runAsNobody(writeText, [path, '65534'])).toMatchObject([
      {
        kind: 'failed',
        message: `cannot write ${path}: permission denied; run as root or as a user with write access`,
      },
      { kind: 'failed' },
    ])
    expect(existsSync(path)).toBe(false)
  })
})
