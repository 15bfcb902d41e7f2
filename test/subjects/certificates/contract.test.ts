import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer as createTcpServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { certificate } from '../../../src/subjects/certificates/index.ts'
import { observeCertificate } from '../../../src/subjects/certificates/observe.ts'
import type { CertificateDesired } from '../../../src/subjects/certificates/decide.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { authority, EC, makeCertificates, makeKeys } from '../../support/certificates.ts'
import { needsPrograms } from '../../support/programs.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { TLS } from '../../../src/subjects/certificates/subject.ts'

const NAMES = ['subjectAltName=DNS:www.example.org']

/** A root, one below it, and a certificate of that, made once for all tests. */
function issue(directory: string): void {
  if (!existsSync(join(ISSUED, 'leaf.der'))) issueOnce(ISSUED)
  cpSync(ISSUED, directory, { recursive: true })
}

const ISSUED = mkdtempSync(join(tmpdir(), 'driftgate-test-'))
afterAll(() => rmSync(ISSUED, { recursive: true }))

function issueOnce(directory: string): void {
  makeKeys(directory, { root: EC, middle: EC, leaf: EC })
  makeCertificates(directory, [
    { name: 'root', subject: '/CN=Root', extensions: authority() },
    { name: 'middle', subject: '/CN=Middle', issuer: 'root', extensions: authority() },
    { name: 'leaf', subject: '/CN=Leaf', issuer: 'middle', extensions: NAMES },
  ])
  const text = (name: string): string => readFileSync(join(directory, `${name}.pem`), 'utf8')
  writeFileSync(join(directory, 'both.pem'), `${text('leaf')}${text('middle')}`)
  const der = ['x509', '-in', join(directory, 'leaf.pem'), '-outform', 'DER', '-out', join(directory, 'leaf.der')]
  execFileSync('openssl', der)
}

function scene(
  title: string,
  state: ContractScene['state'],
  wanted: (at: (name: string) => string) => object,
): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      issue(directory)
      return { ...wanted((name) => join(directory, name)) } as { name: string }
    },
  }
}

const LASTS = { days_left: { at_least: 90 }, names: { includes: ['www.example.org'] }, key_bits: { at_least: 256 } }

const scenes: readonly ContractScene[] = [
  scene('a chain to an authority', 'compliant', (at) => ({
    name: at('both.pem'),
    ...LASTS,
    chain: 'valid',
    ca: at('root.pem'),
    same_as: at('leaf.pem'),
  })),
  scene('a file in DER', 'compliant', (at) => ({ name: at('leaf.der'), ...LASTS })),
  scene('none, where that is fine', 'compliant', (at) => ({ name: at('nothing.pem'), if_absent: 'compliant' })),
  scene('none', 'unfixable', (at) => ({ name: at('nothing.pem') })),
  scene('a chain with a gap', 'unfixable', (at) => ({ name: at('leaf.pem'), chain: 'valid', ca: at('root.pem') })),
  scene('a certificate that ends too soon', 'unfixable', (at) => ({
    name: at('leaf.pem'),
    days_left: { at_least: 365 },
  })),
  scene('another one', 'unfixable', (at) => ({ name: at('leaf.pem'), same_as: at('root.pem') })),
]

describe.skipIf(needsPrograms('openssl'))('in files', () => {
  for (const { name, run } of contractTests(certificate, { scenes })) test(name, run, 60_000)
})

type Given = Omit<CertificateDesired, 'if_absent'>

async function look(wanted: Given, context: { readonly commandsForbidden?: boolean } = {}) {
  const { signal } = new AbortController()
  return observeCertificate(createLocalTarget(), { if_absent: 'drift', ...wanted }, { signal, ...context })
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

describe.skipIf(needsPrograms('openssl'))('of a server', () => {
  const directoryWithServer = async (): Promise<{ directory: string; port: number; asked: string[] }> => {
    const directory = temporaryDirectory()
    issue(directory)
    const asked: string[] = []
    const read = (name: string): Buffer => readFileSync(join(directory, name))
    const server = createServer({
      key: read('leaf.key'),
      cert: read('both.pem'),
      SNICallback(name, done) {
        asked.push(name)
        done(null)
      },
    })
    server.on('tlsClientError', () => undefined)
    return { directory, port: await portOf(server), asked }
  }

  test('its certificate is that of the file, and leads to the authority with the certificates it sends', async () => {
    const { directory, port, asked } = await directoryWithServer()
    const seen = await look({
      name: `127.0.0.1:${port}`,
      server_name: 'www.example.org',
      chain: 'valid',
      ca: join(directory, 'root.pem'),
      same_as: join(directory, 'leaf.pem'),
    })
    const fingerprint = execFileSync('openssl', [
      'x509',
      '-in',
      join(directory, 'leaf.pem'),
      '-noout',
      '-fingerprint',
      '-sha256',
    ])
    const expected = String(fingerprint)
      .replace(/.*=|:|\n/g, '')
      .toLowerCase()
    expect(seen).toMatchObject({
      state: {
        certificate: { subject: 'CN=Leaf', names: ['www.example.org'], fingerprint: expected },
        chain: { value: null },
        other: { value: expected },
      },
    })
    expect(asked).toEqual(['www.example.org'])
  })

  test('an address is no name to ask for', async () => {
    const { port, asked } = await directoryWithServer()
    expect(await look({ name: `127.0.0.1:${port}` })).toMatchObject({ state: { certificate: { subject: 'CN=Leaf' } } })
    expect(asked).toEqual([])
  })

  test('no server is asked if commands of a policy are not run', async () => {
    const { port, asked } = await directoryWithServer()
    const seen = await look({ name: `localhost:${port}` }, { commandsForbidden: true })
    expect(seen).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
    expect(asked).toEqual([])
  })
})

test('a server that is not there is unknown', async () => {
  const server = createTcpServer()
  const port = await portOf(server)
  await new Promise((resolve) => server.close(resolve))
  expect(await look({ name: `127.0.0.1:${port}` })).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
})

test('a server that speaks no TLS is unknown', async () => {
  const port = await portOf(createTcpServer((socket) => void socket.end('220 ready\r\n')))
  expect(await look({ name: `127.0.0.1:${port}` })).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
})

test('a server that says nothing is unknown after a while', async () => {
  const port = await portOf(createTcpServer((socket) => socket.on('error', () => undefined)))
  const peer = { host: '127.0.0.1', port, serverName: 'x.example.org', timeoutMs: 50 }
  const tls = createLocalTarget().open(TLS)
  expect(await tls.certificates(peer, new AbortController().signal)).toMatchObject({
    kind: 'unknown',
    reason: 'timeout',
  })
  expect(await tls.certificates({ ...peer, timeoutMs: 60_000 }, AbortSignal.abort())).toMatchObject({
    reason: 'timeout',
  })
})

test('a file without certificates is unknown', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'a.pem'), 'nothing\n')
  symlinkSync('a.pem', join(directory, 'link'))
  chmodSync(join(directory, 'a.pem'), 0o600)
  expect(await look({ name: directory })).toMatchObject({
    reason: 'invalid',
    detail: expect.stringContaining('regular'),
  })
  expect(await look({ name: join(directory, 'link') })).toMatchObject({ reason: 'invalid' })
  expect(await look({ name: 'nothing' })).toMatchObject({ reason: 'invalid' })
})
