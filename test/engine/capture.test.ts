import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { captureOf, type CaptureOptions, selectCapturing, whyNotCompliant } from '../../src/engine/capture.ts'
import type { Captured } from '../../src/resource-type/capture.ts'
import { resourceTypes } from '../support/resource-types.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { EMPTY_MACHINE } from '../support/target.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const local: CaptureOptions = {
  target: createLocalTarget(),
  signal: new AbortController().signal,
  contents: 'none',
  isPrivateTaken: false,
}

const owner = { owner: userInfo().username, group: execFileSync('id', ['-gn']).toString().trim() }

function captured(type: string, name: string, options: Partial<CaptureOptions> = {}): Promise<Captured> {
  const found = selectCapturing(resourceTypes).find((each) => each.type === type)
  if (found === undefined) throw new Error(`nothing captures a ${type}`)
  return captureOf(found, name, { ...local, ...options })
}

test('an existing file is captured as the resource that it complies with', async () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'a')
  writeFileSync(path, '')
  chmodSync(path, 0o640)
  const properties = { ensure: 'present', ...owner, mode: '0640', if_absent: 'drift' }
  expect(await captured('file', path)).toEqual({ kind: 'present', properties, notes: [] })
  expect(await captured('file', join(directory, 'b'))).toEqual({ kind: 'absent', properties: { ensure: 'absent' } })
})

test('contents are captured only from world-readable files', async () => {
  const directory = temporaryDirectory()
  // Below a directory that others may enter, as /etc is.
  chmodSync(directory, 0o755)
  const at = (name: string, content: string | Uint8Array, mode: number): string => {
    const path = join(directory, name)
    writeFileSync(path, content)
    chmodSync(path, mode)
    return path
  }
  const said = async (path: string, options: Partial<CaptureOptions>) => {
    const seen = await captured('file', path, options)
    if (seen.kind !== 'present') throw new Error(`it is ${seen.kind}`)
    const { content, sha256 } = seen.properties
    return { content, sha256, notes: seen.notes?.length }
  }
  const sha256 = createHash('sha256').update('a: {{ b }}\n').digest('hex')
  const [open, secret] = [at('open', 'a: {{ b }}\n', 0o644), at('secret', 'a: {{ b }}\n', 0o640)]
  expect(await said(open, { contents: 'text' })).toEqual({ content: 'a: {{ b }}\n', notes: 0 })
  expect(await said(open, { contents: 'digest' })).toEqual({ sha256, notes: 0 })
  expect(await said(secret, { contents: 'text' })).toEqual({ notes: 1 })
  expect(await said(secret, { contents: 'digest' })).toEqual({ notes: 1 })
  // Not even when asked for is the text of a secret written.
  expect(await said(secret, { contents: 'text', isPrivateTaken: true })).toEqual({ sha256, notes: 0 })
  for (const odd of [at('binary', Uint8Array.of(0xff, 0), 0o644), at('long', 'x'.repeat(16 * 1024 + 1), 0o644)]) {
    expect(await said(odd, { contents: 'text' })).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  }
  const hidden = join(directory, 'hidden')
  mkdirSync(hidden, { mode: 0o700 })
  symlinkSync(at('hidden/key', 'x', 0o644), join(directory, 'link'))
  expect(await said(join(directory, 'link'), { contents: 'text' })).toEqual({ notes: 1 })
})

test('an object that no resource describes is unknown, with the reason', async () => {
  const path = join(temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [path])
  const detail = `${path} is a fifo, which no file resource describes`
  expect(await captured('file', path)).toEqual({ kind: 'unknown', reason: 'not-observable', detail })
  expect(await captured('file', 'relative')).toMatchObject({ kind: 'unknown', reason: 'invalid' })
})

test('an unreadable object is unknown, not absent', async () => {
  const denied = { kind: 'unknown', reason: 'permission-denied', detail: 'no' } as const
  const blind = { ...local.target, files: { ...local.target.files, lstat: () => denied } }
  expect(await captured('file', '/etc/shadow', { target: blind })).toMatchObject(denied)
  expect(await captured('package', 'nginx', { target: EMPTY_MACHINE })).toMatchObject({ reason: 'no-provider' })
})

test('a resource is compared with what is there as a scan would', async () => {
  const file = selectCapturing(resourceTypes).find(({ type }) => type === 'file')
  if (file === undefined) throw new Error('there is no type file')
  const name = temporaryDirectory()
  chmodSync(name, 0o700)
  const why = (given: Readonly<Record<string, unknown>>) => whyNotCompliant(file, { name, ...given }, local)
  expect(await why({ ensure: 'directory', ...owner, mode: '0700' })).toBeUndefined()
  expect(await why({ ensure: 'directory', ...owner, mode: '0711' })).toBe('mode')
  expect(await why({ ensure: 'absent' })).toMatch(/^ensure/)
  expect(await why({ ensure: 'sideways' })).toMatch(/invalid ensure value/)
})
