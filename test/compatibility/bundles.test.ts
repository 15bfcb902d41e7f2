import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadPolicy, type LoadedPolicies, type LoadPolicyOptions, scan } from '../../src/index.ts'
import { checksumOfFile, filesIn, pack, serve, serveFile } from '../support/bundles.ts'
import { tarBytes } from '../support/tar-bytes.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { MINE, resultsOf } from './support.ts'

const SOUND = 'ccm: { resources: [{ file: { name: /nowhere, ensure: absent } }] }\n'

/** What loading gives when it is over: where the policies are from, or what is wrong. */
async function outcomeOf(source: string, options: LoadPolicyOptions = {}): Promise<readonly string[]> {
  const loaded = await loadPolicy(source, options)
  await loaded.dispose()
  return loaded.ok ? loaded.value.map((policy) => policy.source) : messagesOf(loaded)
}

function messagesOf(loaded: LoadedPolicies): readonly string[] {
  return loaded.ok ? [] : loaded.problems.map(({ message }) => message)
}

/** A policy with one file whose content comes from there. */
function policyWithSource(source: string): string {
  return `ccm: { resources: [{ file: { name: /nowhere, ensure: present, source: ${source}, ${MINE}, mode: "0644" } }] }`
}

test('a bundle may be local and in every archive format', async () => {
  for (const name of ['b.tar.gz', 'b.tgz', 'b.tar', 'b.zip']) {
    const archive = pack(name, { 'manifest.yaml': SOUND })
    expect(await outcomeOf(archive)).toEqual([`${archive}!/manifest.yaml`])
    const address = await serveFile(archive)
    expect(await outcomeOf(`${address}/${name}`)).toEqual([`${address}/${name}!/manifest.yaml`])
  }
})

test('the address of a bundle names an archive', async () => {
  const address = await serveFile(pack('b.tgz', { 'manifest.yaml': SOUND }))
  expect(await outcomeOf(`${address}/latest`)).toEqual([expect.stringContaining('it is not an archive')])
})

test('the policy of a bundle is at its top or in its only folder', async () => {
  const below = pack('b.tgz', { 'web/policy.yaml': SOUND, 'web/examples/manifest.yaml': SOUND })
  expect(await outcomeOf(below)).toEqual([`${below}!/web/policy.yaml`])
  const deep = pack('b.tgz', { 'web/site/manifest.yaml': SOUND })
  expect(await outcomeOf(deep)).toEqual([expect.stringContaining('has no manifest.yaml or policy.yaml')])
})

test('the policy of a bundle uses only its own files', async () => {
  const secret = join(filesIn({ secret: 'x' }), 'secret')
  const bundle = pack('b.tgz', { 'policy.yaml': policyWithSource(secret) })
  expect(await outcomeOf(bundle)).toEqual([expect.stringContaining('outside the bundle')])
  const local = join(filesIn({ 'policy.yaml': policyWithSource(secret) }), 'policy.yaml')
  expect(await outcomeOf(local)).toEqual([local])
})

test('a hostile bundle is refused as a whole', async () => {
  const archive = join(temporaryDirectory(), 'b.tar')
  const policy = { name: 'policy.yaml', content: SOUND }
  for (const hostile of [
    { name: '../evil', content: 'x' },
    { name: 'link', type: '2', link: '/etc' },
  ]) {
    writeFileSync(archive, tarBytes([policy, hostile]))
    expect(await outcomeOf(archive)).toEqual([expect.stringContaining('cannot be unpacked')])
  }
})

test('a remote bundle can be pinned by its checksum', async () => {
  const archive = pack('b.tgz', { 'policy.yaml': SOUND })
  const address = `${await serveFile(archive)}/b.tgz`
  const checksum = checksumOfFile(archive)
  expect(await outcomeOf(address, { checksum })).toEqual([`${address}!/policy.yaml`])
  expect(await outcomeOf(address, { checksum: `sha256:${'0'.repeat(64)}` })).toEqual([
    expect.stringMatching(/cannot be downloaded: .*checksum/),
  ])
})

test('a scaffold reads its templates from an archive or a URL', async () => {
  const archive = pack('templates.zip', { conf: 'port [[ data.port ]]\n' })
  const address = await serve((_request, response) => void response.end(readFileSync(archive)))
  const directory = temporaryDirectory()
  const target = join(directory, 'etc')
  mkdirSync(target)
  writeFileSync(join(directory, 'templates.zip'), readFileSync(archive))
  for (const source of ['templates.zip', `${address}/templates.zip`]) {
    const resources = [{ scaffold: { name: target, ensure: 'present', source } }]
    for (const port of [80, 443]) {
      writeFileSync(join(directory, 'policy.yaml'), JSON.stringify({ data: { port }, ccm: { resources } }))
      const loaded = await loadPolicy(join(directory, 'policy.yaml'))
      if (!loaded.ok) throw new Error(messagesOf(loaded).join())
      const before = statSync(target).mtimeMs
      expect(resultsOf(await scan(loaded.value))).toMatchObject([{ verdict: 'drifted' }])
      expect(statSync(target).mtimeMs).toBe(before)
      expect(resultsOf(await scan(loaded.value, { fix: true }))).toMatchObject([{ verdict: 'fixed' }])
      expect(readFileSync(join(target, 'conf'), 'utf8')).toBe(`port ${port}\n`)
    }
  }
})
