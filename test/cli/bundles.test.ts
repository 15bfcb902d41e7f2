import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checksumOfFile, pack, serveFile } from '../support/bundles.ts'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'

const SOUND = 'ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}\n'

/** A working directory with a place for temporary files of its own, and how to start with it. */
function place(): { cwd: string; env: { TMPDIR: string } } {
  const cwd = temporaryDirectory()
  mkdirSync(join(cwd, 'tmp'))
  return { cwd, env: { TMPDIR: join(cwd, 'tmp') } }
}

test('a remote bundle is validated and scanned, and nothing of it stays', async () => {
  const options = place()
  const archive = pack('web.tgz', { 'web/policy.yaml': SOUND })
  const address = `${await serveFile(archive)}/web.tgz`
  expect(await driftgate(['validate', address], options)).toMatchObject({
    code: 0,
    stdout: `${address}!/web/policy.yaml: valid, policy policy (1 resource, 0 controls)\n1 policy valid\n`,
  })
  const checked = ['--checksum', checksumOfFile(archive), '--report', 'json']
  const { code, stdout } = await driftgate(['scan', address, ...checked], options)
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ policies: [{ source: `${address}!/web/policy.yaml` }] })
  expect(readdirSync(options.env.TMPDIR)).toEqual([])
})

test.each([
  [['render', 'BUNDLE'], 'name: /nowhere/web'],
  [['data', 'BUNDLE'], 'role: web'],
  [['eval', 'lookup("data.role") + readFile("motd")', '--policy', 'BUNDLE'], 'webhello'],
])('%j works on a remote bundle and leaves nothing', async (args, expected) => {
  const options = place()
  const archive = pack('web.tgz', {
    'policy.yaml':
      'data: {role: web}\nccm: {resources: [{file: {name: "/nowhere/{{ Data.role }}", ensure: absent}}]}\n',
    motd: 'hello',
  })
  const address = `${await serveFile(archive)}/web.tgz`
  const named = args.map((arg) => (arg === 'BUNDLE' ? address : arg))
  expect(await driftgate([...named, '--checksum', checksumOfFile(archive)], options)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(expected),
  })
  const other = await driftgate([...named, '--checksum', `sha256:${'0'.repeat(64)}`], options)
  expect(other).toMatchObject({ code: 1, stdout: '' })
  expect(readdirSync(options.env.TMPDIR)).toEqual([])
})

test('a scan that finds drift and one that fails leave nothing', async () => {
  const options = place()
  const present = join(options.cwd, 'present')
  writeFileSync(present, '')
  const drifted = pack('a.zip', { 'manifest.yaml': SOUND.replace('/nowhere', present) })
  expect(await driftgate(['scan', drifted], options)).toMatchObject({ code: 2 })
  const broken = pack('a.zip', { 'manifest.yaml': SOUND.replace('file', 'fiel') })
  expect(await driftgate(['scan', broken], options)).toMatchObject({ code: 1 })
  expect(readdirSync(options.env.TMPDIR)).toEqual([])
})

test.each([
  [
    'scan',
    ['http://a.invalid/b.tgz', 'http://b.invalid/b.tgz', '--checksum', `sha256:${'0'.repeat(64)}`],
    'requires exactly one remote bundle, found 2',
  ],
  ['scan', ['b.tgz', '--checksum', `sha256:${'0'.repeat(64)}`], 'requires exactly one remote bundle, found none'],
  ['validate', ['http://a.invalid/b.tgz', '--checksum', 'md5:0'], '64 hex digits'],
  ['validate', ['http://a.invalid/b.tgz', '--checksum', 'x', '--checksum', 'y'], 'more than once'],
])('%s %j is wrong usage', async (command, args, message) => {
  const { code, stderr } = await driftgate([command, ...args], place())
  expect(code).toBe(1)
  expect(stderr).toContain(message)
  expect(stderr).toContain('--help" for usage')
})
