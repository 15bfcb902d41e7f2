import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Run } from '../../../src/model/run.ts'
import { createFetchedDirectories } from '../../../src/policy/fetch/fetch-directory.ts'
import { scan, type ScanOptions } from '../../../src/engine/local.ts'
import { loadPolicy } from '../../../src/policy/load.ts'
import { filesIn, pack, packDirectory, serve } from '../../support/bundles.ts'
import { tarBytes } from '../../support/tar-bytes.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

let temporary = ''

beforeEach(() => {
  temporary = temporaryDirectory()
  vi.stubEnv('TMPDIR', temporary)
  return () => vi.unstubAllEnvs()
})

/** What lies among the temporary files beside those of the tests themselves. */
function leftovers(): string[] {
  return readdirSync(temporary).filter((name) => !name.startsWith('driftgate-test-'))
}

/** Scans with one scaffold for each source, all for the same target. */
async function scanScaffold(
  sources: readonly string[],
  { root = temporaryDirectory(), into = '/nowhere', ...options }: ScanOptions & { root?: string; into?: string },
): Promise<Run> {
  const resources = sources.map((source, at) => ({
    scaffold: { name: into, alias: `s${at}`, ensure: 'present', source },
  }))
  writeFileSync(join(root, 'policy.yaml'), JSON.stringify({ data: { port: 80 }, ccm: { resources } }))
  const loaded = await loadPolicy(join(root, 'policy.yaml'))
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join())
  return scan(loaded.value, options)
}

const resultsOf = (run: Run): Run['policies'][number]['resources'] => run.policies[0]?.resources ?? []

test('the templates of a URL are downloaded once in a run, rendered, and nothing of them stays', async () => {
  const archive = pack('web.tgz', { 'etc/web.conf': 'listen [[ data.port ]]\n' })
  let requests = 0
  const address = await serve((_request, response) => {
    requests++
    response.end(readFileSync(archive))
  })
  const into = join(temporaryDirectory(), 'web')
  mkdirSync(into)
  const source = `${address.replace('//', '//me:sesame@')}/web.tgz?token=hidden`
  const audit = await scanScaffold([source, source], { into })
  expect(resultsOf(audit)).toMatchObject([
    { verdict: 'drifted', drift: [{ path: 'etc/web.conf' }] },
    { verdict: 'drifted', drift: [{ path: 'etc/web.conf' }] },
  ])
  expect(requests).toBe(1)
  expect(JSON.stringify(audit)).not.toMatch(/sesame|hidden/)
  expect(readdirSync(into)).toEqual([])
  expect(leftovers()).toEqual([])
  const fixed = await scanScaffold([source], { into, fix: true })
  expect(resultsOf(fixed)).toMatchObject([{ verdict: 'fixed' }])
  expect(requests).toBe(2)
  expect(readFileSync(join(into, 'etc/web.conf'), 'utf8')).toBe('listen 80\n')
  expect(leftovers()).toEqual([])
})

test.each(['web.tar', 'web.zip'])('the templates of %s beside the policy are unpacked', async (name) => {
  const into = filesIn({ a: 'x\n' })
  const root = temporaryDirectory()
  writeFileSync(join(root, name), readFileSync(pack(name, { a: '[[ "x" ]]\n' })))
  expect(resultsOf(await scanScaffold([name], { root, into }))).toMatchObject([{ verdict: 'compliant' }])
  expect(leftovers()).toEqual([])
})

test('templates that cannot be had are no drift, and leave nothing', async () => {
  const address = await serve((_request, response) => void response.writeHead(404).end())
  const root = temporaryDirectory()
  writeFileSync(join(root, 'hostile.tar'), tarBytes([{ name: '../evil', content: 'x' }]))
  const sources = [`${address}/web.tgz`, 'hostile.tar', `${address}/web`, 'file://x/web.tgz']
  const run = await scanScaffold(sources, { root })
  expect(resultsOf(run).map(({ verdict, message, errors }) => `${verdict}: ${errors?.join() ?? message}`)).toEqual([
    `error: source ${address}/web.tgz: cannot be downloaded: HTTP request failed with status 404: Not Found`,
    expect.stringContaining(`error: source ${root}/hostile.tar: cannot be unpacked: `),
    expect.stringContaining(`error: source ${address}/web: it is not an archive`),
    'error: source is a URL that is neither http nor https',
  ])
  expect(readdirSync(root).toSorted()).toEqual(['hostile.tar', 'policy.yaml'])
  expect(leftovers()).toEqual([])
})

test('an interruption ends the download and leaves nothing', async () => {
  const controller = new AbortController()
  const address = await serve(() => controller.abort('SIGINT'))
  const run = await scanScaffold([`${address}/web.tgz`], { signal: controller.signal })
  expect(run.exit.code).toBe(130)
  expect(leftovers()).toEqual([])
})

test('the policy of a bundle may have scaffolds from the bundle and from a URL, and no others', async () => {
  const archive = pack('web.tgz', { a: '' })
  const address = await serve((_request, response) => void response.end(readFileSync(archive)))
  const policyOf = (source: string): string =>
    JSON.stringify({ ccm: { resources: [{ scaffold: { name: '/nowhere', ensure: 'present', source } }] } })
  for (const source of ['templates', `${address}/web.tgz`]) {
    const root = filesIn({ 'policy.yaml': policyOf(source), 'templates/a': '' })
    const loaded = await loadPolicy(packDirectory('b.tgz', root))
    if (!loaded.ok) throw new Error('the source is in the bundle or remote')
    expect(resultsOf(await scan(loaded.value))).toMatchObject([{ verdict: 'drifted' }])
    await loaded.dispose()
  }
  const refused = await loadPolicy(packDirectory('b.tgz', filesIn({ 'policy.yaml': policyOf(archive) })))
  expect(refused.ok || refused.problems).toMatchObject([{ message: expect.stringContaining('is outside the bundle') }])
  expect(leftovers()).toEqual([])
})

test('a scan of untrusted policies fetches nothing, however they were loaded', async () => {
  const asked: (string | undefined)[] = []
  const address = await serve((request, response) => {
    asked.push(request.url)
    response.end()
  })
  const scaffold = { name: '/nowhere', ensure: 'present', source: `${address}/web.tgz` }
  const root = filesIn({ 'policy.yaml': JSON.stringify({ ccm: { resources: [{ scaffold }] } }) })
  const loaded = await loadPolicy(join(root, 'policy.yaml'))
  if (!loaded.ok) throw new Error('the policy is sound')
  expect(resultsOf(await scan(loaded.value, { untrusted: true }))).toMatchObject([
    { verdict: 'error', message: expect.stringContaining('untrusted policies may not fetch anything') },
  ])
  expect(asked).toEqual([])
})

test('an archive that drips is a timeout', async () => {
  const address = await serve((_request, response) => {
    const timer = setInterval(() => response.write('.'), 5)
    response.on('close', () => clearInterval(timer))
  })
  const directories = createFetchedDirectories(undefined, { timeoutMs: 500 })
  expect(await directories.fetchDirectory(`${address}/web.tgz`)).toEqual({
    kind: 'unknown',
    reason: 'timeout',
    detail: `source ${address}/web.tgz: cannot be downloaded: not finished within 0.5 seconds`,
  })
  await directories.remove()
  expect(leftovers()).toEqual([])
})
