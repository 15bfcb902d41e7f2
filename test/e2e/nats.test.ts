import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { pack } from '../support/bundles.ts'
import { driftgate } from '../support/driftgate.ts'
import { contexts, serverWith } from '../support/nats.ts'
import { needsNats } from '../support/nats-server.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const NOTHING = 'ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}'

test.skipIf(needsNats)('commands find keys with the context that is named, and end when they are done', async () => {
  const { server } = await serverWith({ values: { port: '8080', site: 'data: {port: 1}' } })
  const options = { cwd: temporaryDirectory(), env: contexts({ OTHER: { url: `127.0.0.1:${server.port}` } }) }
  const run = (...args: string[]): ReturnType<typeof driftgate> => driftgate([...args, '--context', 'OTHER'], options)
  expect(await run('eval', 'kvGet("CONFIG", "port") | int()', '--show-secrets')).toMatchObject({
    code: 0,
    stdout: '8080\n',
  })
  expect(await run('eval', 'kvGet("CONFIG", "port")')).toMatchObject({ code: 0, stdout: '(secret)\n' })
  expect(await run('eval', 'Data', '--data', 'kv://CONFIG/site', '--json')).toMatchObject({ code: 0 })
  const policy = join(temporaryDirectory(), 'p.yaml')
  writeFileSync(policy, NOTHING.replace('/nowhere', '"/nowhere/{{ Data.port }}"'))
  const rendered = await run('render', policy, '--data', 'kv://CONFIG/site')
  expect(rendered).toMatchObject({ code: 0, stdout: expect.stringContaining('name: /nowhere/1') })
})

test.skipIf(needsNats)('a policy in an object store is one of others unless it is trusted', async () => {
  const command = 'ccm: {resources: [{exec: {name: "true", unless: "true"}}]}'
  const archive = pack('web.tar.gz', { 'manifest.yaml': command })
  const { environ } = await serverWith({ objects: { web: archive } })
  const options = { cwd: temporaryDirectory(), env: environ }
  const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex')
  const scan = async (...args: string[]): Promise<number | null> =>
    (await driftgate(['scan', 'obj://Bundles/web', '--quiet', ...args], options)).code
  expect(await scan()).toBe(3)
  expect(await scan('--trusted', '--checksum', `sha256:${sha256}`)).toBe(0)
  expect(await scan('--trusted', '--checksum', `sha256:${'0'.repeat(64)}`)).toBe(1)
})

/** Whether the library has loaded the client once it has read a policy with this data. */
function loadsClient(data: readonly string[]): boolean {
  const library = JSON.stringify(pathToFileURL(join(process.cwd(), 'dist/index.js')).href)
  const policy = join(temporaryDirectory(), 'p.yaml')
  writeFileSync(policy, NOTHING)
  const program = `
    import { createRequire } from 'node:module'
    const { loadPolicy } = await import(${library})
    const loaded = await loadPolicy(${JSON.stringify(policy)}, { data: ${JSON.stringify(data)}, context: '/dev/null' })
    await loaded.dispose()
    const names = Object.keys(createRequire(${library}).cache)
    console.log(names.some((name) => name.includes('@nats-io')))
  `
  return execFileSync(process.execPath, ['--input-type=module', '-e', program]).toString() === 'true\n'
}

test('the client of NATS is loaded when something asks for it, and never before', () => {
  expect(loadsClient([])).toBe(false)
  expect(loadsClient(['kv://B/a'])).toBe(true)
})
