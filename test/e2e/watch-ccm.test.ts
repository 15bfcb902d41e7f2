import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Objm } from '@nats-io/obj'
import { expect, test } from 'vitest'
import { pack } from '../support/bundles.ts'
import { driftgate, type Running, startDriftgate, temporaryDirectory } from '../support/driftgate.ts'
import { contexts, serverWith, withNats } from '../support/nats.ts'
import { needsNats } from '../support/nats-server.ts'

function stop({ child, outcome }: Running): Running['outcome'] {
  child.kill('SIGTERM')
  return outcome
}

/** A policy that wants a file absent, whose path its data says. */
const MANIFEST = 'data: {path: /nowhere}\nccm: {resources: [{file: {name: "{{ Data.path }}", ensure: absent}}]}\n'

test.skipIf(needsNats)('a watch audits the manifests of a CCM agent, with its data and from its servers', async () => {
  const cwd = temporaryDirectory()
  const planted = join(cwd, 'planted')
  writeFileSync(planted, '')
  const { server } = await serverWith({
    values: { site: `data: {path: ${planted}}` },
    objects: { 'hosts/web.tar.gz': pack('web.tar.gz', { 'manifest.yaml': MANIFEST }) },
  })
  const env = contexts({ SITE: { url: `127.0.0.1:${server.port}` } })
  writeFileSync(join(cwd, 'local.yaml'), 'ccm: {resources: [{file: {name: /nowhere/else, ensure: absent}}]}\n')
  writeFileSync(
    join(cwd, 'agent.yaml'),
    `interval: 10m
manifests: [obj://Bundles/hosts/web.tar.gz, local.yaml]
external_data_url: kv://CONFIG/site
nats_context: SITE
cache_dir: /var/cache/ccm
registration: nats
`,
  )
  const words = ['watch', '--ccm-config', 'agent.yaml', '--every', '200ms', '--trusted', '--report', 'json']
  const running = startDriftgate(words, { cwd, env })
  await running.said('2 resources: 1 compliant, 1 drifted')
  // The object is another one now, and the next scan sees it.
  const other = pack('web.tar.gz', { 'manifest.yaml': MANIFEST.replace('Data.path }}', 'Data.path }}/below') })
  await withNats(server, async (connection) => {
    const bundles = await new Objm(connection).open('Bundles')
    await bundles.putBlob({ name: 'hosts/web.tar.gz' }, readFileSync(other))
  })
  await running.said('2 resources: 2 compliant')
  await server.kill()
  await running.said('the scan could not be performed, exit 1')
  const { code, stderr, stdout } = await stop(running)
  expect(code).toBe(0)
  expect(stdout).toContain(planted)
  expect(stderr).toContain('agent.yaml:5:1 warning: cache_dir: no cache')
  expect(stderr).toContain('agent.yaml:6:1 warning: registration: audits do not publish')
  expect(stderr).not.toContain('fetched policies are untrusted')
})

test('the command line counts more than the file, and says what it lacks', async () => {
  const cwd = temporaryDirectory()
  const planted = join(cwd, 'planted')
  writeFileSync(join(cwd, 'd.yaml'), 'path: /nowhere/a\n')
  writeFileSync(join(cwd, 'own.yaml'), `path: ${planted}\n`)
  writeFileSync(join(cwd, 'local.yaml'), MANIFEST)
  writeFileSync(join(cwd, 'agent.yaml'), 'manifests: [local.yaml]\nexternal_data_url: d.yaml\nlog_level: error\n')
  writeFileSync(planted, '')
  const running = startDriftgate(['watch', '--ccm-config', 'agent.yaml', '--data', 'own.yaml', '--every', '100ms'], {
    cwd,
  })
  await running.said('1 resource: 1 drifted')
  rmSync(planted)
  await running.said('1 resource: 1 compliant')
  const { code, stdout } = await stop(running)
  expect([code, stdout]).toEqual([0, ''])
  const refused = async (...words: readonly string[]): Promise<string> => {
    const { code: exit, stderr } = await driftgate(['watch', ...words], { cwd })
    expect(exit).toBe(1)
    return stderr
  }
  expect(await refused('--every', '1h')).toContain('missing policies')
  expect(await refused('local.yaml', '--ccm-config', 'agent.yaml')).toContain('write them into its manifests')
  expect(await refused('--ccm-config', 'none.yaml')).toContain('none.yaml cannot be read')
  writeFileSync(join(cwd, 'agent.yaml'), 'manifests: [local.yaml]\nintervall: 1h\n')
  expect(await refused('--ccm-config', 'agent.yaml')).toContain('did you mean "interval"?')
  writeFileSync(join(cwd, 'agent.yaml'), 'manifests: ["https://127.0.0.1:1/m.tar.gz"]\n')
  expect(await refused('--ccm-config', 'agent.yaml')).toContain('pass --trusted to trust them as the agent does')
})
