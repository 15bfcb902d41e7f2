import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { pack, serve } from '../support/bundles.ts'
import { ownFile, startDriftgate, temporaryDirectory } from '../support/driftgate.ts'

/** A working directory with a place for temporary files of its own, and how to start with it. */
function place(): { cwd: string; env: { TMPDIR: string } } {
  const cwd = temporaryDirectory()
  mkdirSync(join(cwd, 'tmp'))
  return { cwd, env: { TMPDIR: join(cwd, 'tmp') } }
}

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
  await running.said('a second signal stops at once')
  running.child.kill('SIGINT')
  expect(await running.outcome).toMatchObject({ code: 130 })
  expect(readdirSync(options.env.TMPDIR)).toEqual([])
})
