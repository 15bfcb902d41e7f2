import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { userInfo } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import type { ResourceResult } from '../../src/index.ts'
import { tarBytes, type TarEntry } from '../support/tar-bytes.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { zipBytes } from '../support/zip-bytes.ts'
import { oneResource, problemsOf, resultOf, scanWith } from './support.ts'

const RELEASE = tarBytes([{ name: 'app/run', content: 'new' }])

/** A directory with the place that the archive is unpacked into, and the server that has the archive. */
interface Place {
  readonly directory: string
  readonly archive: string
  readonly app: string
  readonly scan: (properties: Readonly<Record<string, unknown>>, fix?: boolean) => Promise<ResourceResult>
  /** How often the archive was asked for. */
  readonly requests: () => number
}

async function createPlace(bytes: Buffer, kind: 'tar' | 'zip' = 'tar'): Promise<Place> {
  const directory = temporaryDirectory()
  const archive = `${directory}/app.${kind}`
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.end(bytes)
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const fixed = {
    ensure: 'present',
    url: `http://127.0.0.1:${port}/app.${kind}`,
    owner: String(userInfo().uid),
    group: String(userInfo().gid),
    extract_parent: `${directory}/out`,
    creates: `${directory}/out/app/run`,
  }
  return {
    directory,
    archive,
    app: `${directory}/out/app`,
    async scan(properties, fix = false) {
      const text = oneResource('archive', archive, { ...fixed, ...properties })
      return resultOf(await scanWith(temporaryDirectory(), text, { fix }))
    },
    requests: () => requests,
  }
}

function install({ app }: Place, content: string): void {
  mkdirSync(app, { recursive: true })
  writeFileSync(`${app}/run`, content)
}

test.each<[string, TarEntry]>([
  ['a name that goes up', { name: '../outside', content: 'x' }],
  ['an absolute name', { name: '/tmp/driftgate-outside', content: 'x' }],
  ['a link that leads out', { name: 'app/link', type: '2', link: '../../outside' }],
  ['a hard link to something outside', { name: 'app/link', type: '1', link: '../outside' }],
  ['a pipe', { name: 'app/pipe', type: '6' }],
  ['a device', { name: 'app/null', type: '3' }],
])('an archive that reaches outside is refused as a whole: %s', async (_, entry) => {
  const place = await createPlace(tarBytes([{ name: 'app/run', content: 'new' }, entry]))
  const { verdict, errors } = await place.scan({}, true)
  expect(verdict).toBe('fix-failed')
  expect(errors).toEqual([expect.stringContaining(`entry "${entry.name}"`)])
  expect(readdirSync(place.directory)).toEqual(['app.tar'])
})

test('an archive that extracts too much is refused', async () => {
  const place = await createPlace(tarBytes([{ name: 'app/run', content: 'x'.repeat(100_000) }]))
  expect((await place.scan({ max_extracted_size: '50kB' }, true)).verdict).toBe('fix-failed')
  expect(readdirSync(place.directory)).toEqual(['app.tar'])
  expect((await place.scan({ max_extracted_size: '500kB' }, true)).verdict).toBe('fixed')
})

test('extracted files are never setuid or setgid', async () => {
  const place = await createPlace(tarBytes([{ name: 'app/run', content: 'new', mode: 0o6755 }]))
  expect((await place.scan({}, true)).verdict).toBe('fixed')
  expect(statSync(`${place.app}/run`).mode & 0o7777).toBe(0o755)
})

test('extraction replaces existing files', async () => {
  const place = await createPlace(
    zipBytes([
      { name: 'app/run', content: 'new' },
      { name: 'app/marker', content: '' },
    ]),
    'zip',
  )
  install(place, 'old')
  expect((await place.scan({ creates: `${place.app}/marker` }, true)).verdict).toBe('fixed')
  expect(readFileSync(`${place.app}/run`, 'utf8')).toBe('new')
})

test('an archive is not needed if creates exists', async () => {
  const place = await createPlace(RELEASE)
  install(place, 'installed by hand')
  expect((await place.scan({}, true)).verdict).toBe('compliant')
  expect(place.requests()).toBe(0)
  writeFileSync(place.archive, 'damaged', { mode: 0o600 })
  expect((await place.scan({ checksum: sha256(RELEASE) })).drift).toMatchObject([{ property: 'checksum' }])
  expect((await place.scan({ checksum: sha256(RELEASE) }, true)).verdict).toBe('fixed')
  expect(readFileSync(place.archive)).toEqual(RELEASE)
})

test('an archive that should have been cleaned up is drift', async () => {
  const place = await createPlace(RELEASE)
  install(place, 'new')
  writeFileSync(place.archive, RELEASE)
  expect((await place.scan({ cleanup: true })).drift).toMatchObject([{ property: 'cleanup' }])
  expect((await place.scan({ cleanup: true }, true)).verdict).toBe('fixed')
  expect(readdirSync(place.directory)).toEqual(['out'])
  expect(place.requests()).toBe(0)
})

test('an address contains no value from files or the environment', async () => {
  const place = await createPlace(RELEASE)
  for (const value of ['len(Environ.PATH)', 'len(readFile("/etc/passwd"))']) {
    const url = `http://127.0.0.1:1/{{ ${value} }}/app.tar`
    expect(await place.scan({ url })).toMatchObject({ verdict: 'error', reason: 'invalid' })
  }
})

test('a checksum is a sha256 in hex', async () => {
  const directory = temporaryDirectory()
  for (const checksum of ['abc', `sha256:${'0'.repeat(64)}`, 'z'.repeat(64)]) {
    const body = { ensure: 'present', url: 'http://127.0.0.1/a.tgz', checksum, owner: 'root', group: 'root' }
    const problems = await problemsOf(directory, oneResource('archive', '/srv/a.tgz', body))
    expect(problems).toEqual([expect.stringMatching(/checksum/)])
  }
})

test('a checksum may be in upper case', async () => {
  const place = await createPlace(RELEASE)
  const checksum = sha256(RELEASE).toUpperCase()
  expect((await place.scan({ checksum }, true)).verdict).toBe('fixed')
  expect((await place.scan({ checksum })).verdict).toBe('compliant')
})

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
