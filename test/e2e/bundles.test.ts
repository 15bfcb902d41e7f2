import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { checksumOfFile, pack, serve, serveFile } from '../support/bundles.ts'
import { driftgate, ownFile, startDriftgate, temporaryDirectory } from '../support/driftgate.ts'

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
    '2 are named',
  ],
  ['scan', ['b.tgz', '--checksum', `sha256:${'0'.repeat(64)}`], 'none are named'],
  ['validate', ['http://a.invalid/b.tgz', '--checksum', 'md5:0'], '64 hex digits'],
  ['validate', ['http://a.invalid/b.tgz', '--checksum', 'x', '--checksum', 'y'], 'more than once'],
])('%s %j is wrong usage', async (command, args, message) => {
  const { code, stderr } = await driftgate([command, ...args], place())
  expect(code).toBe(1)
  expect(stderr).toContain(message)
  expect(stderr).toContain('--help" for usage')
})

test.each([
  ['scan', 'SIGINT', { code: 130, signal: null }],
  ['scan', 'SIGTERM', { code: 143, signal: null }],
  // The policy of an address is looked at by a process of its own, and how that ended is a shell's 128 + n.
  ['scan', 'SIGHUP', { code: 129, signal: null }],
  ['validate', 'SIGINT', { code: 130, signal: null }],
] as const)('%s that %s ends in the middle of a download leaves nothing', async (command, signal, ending) => {
  const options = place()
  let begun = false
  const address = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('begin', () => (begun = true))
  })
  const running = startDriftgate([command, `${address}/b.tgz`], options)
  await vi.waitUntil(() => begun, { timeout: 10_000, interval: 20 })
  running.child.kill(signal)
  expect(await running.outcome).toMatchObject(ending)
  expect(readdirSync(options.env.TMPDIR)).toEqual([])
})

test('a scan that is told twice to end leaves nothing', async () => {
  const options = place()
  const endless = join(options.cwd, 'endless')
  writeFileSync(endless, '')
  truncateSync(endless, 1024 ** 4)
  const bundle = pack('b.tgz', {
    'policy.yaml': JSON.stringify({
      ccm: { pre_message: 'begun', resources: [{ file: { name: endless, ...ownFile({ content: 'x' }) } }] },
    }),
  })
  const running = startDriftgate(['scan', bundle], options)
  await running.said('begun')
  expect(readdirSync(options.env.TMPDIR)).toHaveLength(1)
  running.child.kill('SIGINT')
  await running.said('once more ends at once')
  running.child.kill('SIGINT')
  expect(await running.outcome).toMatchObject({ code: 130 })
  expect(readdirSync(options.env.TMPDIR)).toEqual([])
})
