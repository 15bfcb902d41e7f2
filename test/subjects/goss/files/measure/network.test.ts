import { lookup } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { known, unknown } from '../../../../../src/model/observation.ts'
import { measureGoss } from '../../../../../src/subjects/goss/files/measure/index.ts'
import type { GossRequest, Measured } from '../../../../../src/subjects/goss/files/resource.ts'
import { createLocalTarget } from '../../../../../src/host/live/local-target.ts'
import type { ListeningSocket } from '../../../../../src/subjects/sockets/sockets.ts'
import type { Target } from '../../../../../src/host/target.ts'
import { EXAMPLE_ZONE, serveNames } from '../../../../support/name-server.ts'
import { EMPTY_MACHINE } from '../../../../support/target.ts'
import { makeCertificates, serve } from '../../../../support/web-server.ts'
import { SOCKETS } from '../../../../../src/subjects/sockets/subject.ts'
import { opening, reading } from '../../../../support/opening.ts'
import { PROCESSES } from '../../../../../src/subjects/processes/subject.ts'

const SIGNAL = new AbortController().signal

interface Circumstances {
  readonly given?: GossRequest['given']
  readonly target?: Target
}

async function measure(
  type: GossRequest['type'],
  id: string,
  wanted: readonly string[],
  { given = {}, target = createLocalTarget() }: Circumstances = {},
): Promise<Readonly<Record<string, Measured>>> {
  return Object.fromEntries(await measureGoss({ type, id, given }, wanted, target, SIGNAL))
}

async function listenAt(host: string): Promise<number> {
  const server = createServer()
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Roots that debootstrap makes have no /etc/hosts. */
const needsLocalhost =
  (await lookup('localhost').catch(() => undefined)) === undefined ? 'needs the name localhost' : undefined

test('an address takes connections, or refuses them', async () => {
  const port = await listenAt('127.0.0.1')
  const reachable = async (id: string, given = {}): Promise<Measured | undefined> =>
    (await measure('addr', id, ['reachable'], { given }))['reachable']
  expect(await reachable(`127.0.0.1:${port}`)).toEqual(known(true))
  expect(await reachable(`tcp://127.0.0.1:${port}`)).toEqual(known(true))
  expect(await reachable(`tcp://127.0.0.1:${port}`, { 'local-address': '127.0.0.2' })).toEqual(known(true))
  expect(await reachable(`tcp://[::1]:${port}`)).toEqual(known(false))
  expect(await reachable('tcp://127.0.0.1:1')).toEqual(known(false))
  expect(await reachable('no-such-name.invalid:80', { timeout: 10_000 })).not.toEqual(known(true))
})

test('what cannot be asked is unknown', async () => {
  const unclear = { reachable: { kind: 'unknown', reason: 'invalid' } }
  expect(await measure('addr', 'tcp://127.0.0.1', ['reachable'])).toMatchObject(unclear)
  expect(await measure('addr', 'unix:///run/a:1', ['reachable'])).toMatchObject(unclear)
  const given = { 'local-address': '192.0.2.1' }
  expect(await measure('addr', '127.0.0.1:1', ['reachable'], { given })).toMatchObject(unclear)
  // Goss calls every UDP address reachable.
  expect(await measure('addr', 'udp://127.0.0.1:1', ['reachable'])).toMatchObject({
    reachable: { kind: 'unknown', reason: 'not-observable' },
  })
})

test.each([
  ['host.test', ['192.0.2.10', '192.0.2.7', '2001:db8::1']],
  ['A:host.test', ['192.0.2.10', '192.0.2.7']],
  ['AAAA:host.test', ['2001:db8::1']],
  ['MX:host.test', ['10 mail.test.', '5 other.mail.test.']],
  ['NS:host.test', ['ns1.test.']],
  ['TXT:host.test', ['second part', 'v=spf1 -all']],
  ['CAA:host.test', ['0 issue ca.test']],
  ['CNAME:alias.test', ['host.test.']],
  ['SRV:_ldap._tcp.test', ['1 2 389 ldap.test.']],
  ['PTR:192.0.2.7', ['host.test.']],
  ['PTR:2001:db8::1', ['six.test.']],
])('the records of %s', async (id, records) => {
  const given = { server: await serveNames(EXAMPLE_ZONE), timeout: 5_000 }
  expect(await measure('dns', id, ['resolvable', 'addrs'], { given })).toEqual({
    resolvable: known(true),
    addrs: known(records),
  })
})

test('no such name and no such records are proved; a server that fails proves nothing', async () => {
  const given = { server: await serveNames(EXAMPLE_ZONE), timeout: 5_000 }
  for (const id of ['nowhere.test', 'empty.test', 'MX:alias.test']) {
    expect(await measure('dns', id, ['resolvable', 'addrs'], { given })).toEqual({ resolvable: known(false) })
  }
  for (const id of ['broken.test', 'A:broken.test']) {
    expect(await measure('dns', id, ['resolvable', 'addrs'], { given })).toMatchObject({
      resolvable: { kind: 'unknown', reason: 'not-observable' },
      addrs: { kind: 'unknown' },
    })
  }
  const deaf = { server: '127.0.0.1:9', timeout: 50 }
  expect(await measure('dns', 'host.test', ['resolvable'], { given: deaf })).toMatchObject({
    resolvable: { kind: 'unknown' },
  })
  expect(await measure('dns', 'SSHFP:host.test', ['resolvable'], { given })).toMatchObject({
    resolvable: { kind: 'unknown', reason: 'no-provider' },
  })
})

test.skipIf(needsLocalhost)('without a server the files of the machine count', async () => {
  const { resolvable, addrs } = await measure('dns', 'localhost', ['resolvable', 'addrs'], {
    given: { timeout: 5_000 },
  })
  expect(resolvable).toEqual(known(true))
  expect(addrs?.kind === 'known' ? addrs.value : []).toContain('127.0.0.1')
})

test('an answer of a web server, with its headers as Go has them', async () => {
  const { origin, asked } = await serve((request, response) => {
    response.sendDate = false
    response.setHeader('x-one', 'a')
    response.setHeader('set-cookie', ['b=1', 'a=2'])
    response.writeHead(request.method === 'POST' ? 201 : 404, { connection: 'close', 'content-length': '5' })
    response.end('body\n')
  })
  const answer = {
    headers: known({ text: 'Content-Length: 5\nSet-Cookie: a=2\nSet-Cookie: b=1\nX-One: a' }),
    body: known({ text: 'body\n' }),
  }
  const wanted = ['status', 'headers', 'body']
  expect(await measure('http', `${origin}/a?b`, wanted)).toEqual({ status: known(404), ...answer })
  const given = {
    method: 'POST',
    'request-body': 'text',
    'request-headers': ['X-Two: 2', 'Host: example.test'],
    username: 'user',
    password: 'secret',
  }
  expect(await measure('http', `${origin}/a?b`, wanted, { given })).toEqual({ status: known(201), ...answer })
  expect(asked).toMatchObject([
    { method: 'GET', url: '/a?b', headers: { 'user-agent': 'driftgate' } },
    {
      method: 'POST',
      headers: {
        'x-two': '2',
        host: 'example.test',
        'content-length': '4',
        authorization: `Basic ${Buffer.from('user:secret').toString('base64')}`,
      },
    },
  ])
})

test('what is to be sent to a web server comes to it', async () => {
  const { origin } = await serve((request, response) => {
    response.writeHead(200, { connection: 'close' })
    request.pipe(response)
  })
  const given = { method: 'POST', 'request-body': 'täxt' }
  expect(await measure('http', origin, ['body'], { given })).toEqual({ body: known({ text: 'täxt' }) })
})

test('what is asked of a server is what the file says', async () => {
  const { origin, port, asked } = await serve((_request, response) => void response.end('there'))
  const given = { 'request-headers': ['X-One: a', 'X-One: b', 'Content-Length: 99', 'x-two: ä'] }
  for (const path of ['/a/../b/./c', '/a/%2e%2e/b', '/a\\b', '//a//', '/a b?c=%20&d|e', '', '?q']) {
    expect(await measure('http', `${origin}${path}`, ['status'], { given })).toEqual({ status: known(200) })
  }
  // As Go's net/url writes them.
  expect(asked.map(({ url }) => url)).toEqual([
    '/a/../b/./c',
    '/a/%2e%2e/b',
    '/a%5Cb',
    '//a//',
    '/a%20b?c=%20&d|e',
    '/',
    '/?q',
  ])
  expect(asked[0]?.headers).toMatchObject({
    'x-one': 'a, b',
    'x-two': Buffer.from('ä').toString('latin1'),
    host: `127.0.0.1:${port}`,
    'accept-encoding': 'gzip',
  })
  expect(asked[0]?.headers).not.toHaveProperty('accept')
  expect(asked[0]?.headers).not.toHaveProperty('content-length')
  for (const url of ['http:a', 'http:///a', 'http://a\\b/', `${origin}/%zz`, `${origin}/?a b`, `${origin}/a\nb`]) {
    expect(await measure('http', url, ['status'])).toMatchObject({ status: { kind: 'unknown', reason: 'invalid' } })
  }
})

test.each([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['gzip, br', (text: string) => brotliCompressSync(gzipSync(text))],
] as const)('a body that comes in %s is unpacked, whatever was asked', async (encoding, pack) => {
  const { origin } = await serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(pack('in maintenance\n'))
  })
  const given = { 'request-headers': ['Accept-Encoding: identity'] }
  expect(await measure('http', origin, ['body'])).toEqual({ body: known({ text: 'in maintenance\n' }) })
  expect(await measure('http', origin, ['body'], { given })).toEqual({ body: known({ text: 'in maintenance\n' }) })
})

test('what a body was packed in shows only where the file asked for it; what cannot be unpacked is unknown', async () => {
  const { origin } = await serve((request, response) => {
    const encoding = request.url?.slice(1) ?? ''
    const body = encoding === 'gzip' ? gzipSync('a') : Buffer.from('no such thing')
    response.sendDate = false
    response
      .writeHead(200, { 'content-encoding': encoding, 'content-length': body.length, connection: 'close' })
      .end(body)
  })
  const asking = { 'request-headers': ['Accept-Encoding: gzip'] }
  expect(await measure('http', `${origin}/gzip`, ['headers'])).toEqual({ headers: known({ text: '' }) })
  expect(await measure('http', `${origin}/gzip`, ['headers'], { given: asking })).toEqual({
    headers: known({ text: 'Content-Encoding: gzip\nContent-Length: 21' }),
  })
  for (const encoding of ['br', 'deflate', 'zstd', 'compress']) {
    expect(await measure('http', `${origin}/${encoding}`, ['status', 'body'])).toMatchObject({
      status: known(200),
      body: { kind: 'unknown', reason: 'not-observable' },
    })
  }
})

// Go's client gives up behind ten requests. @see https://pkg.go.dev/net/http#Client
test('nine redirects are followed, by their references as Go resolves them', async () => {
  const { origin, asked } = await serve((request, response) => {
    const [, from = '', count = '0'] = /^(.*?)\/(\d+)$/.exec(request.url ?? '') ?? []
    if (count === '0') response.end('there')
    else response.writeHead(302, { location: `../${'x'.repeat(from.length % 3)}/./%2e/${Number(count) - 1}` }).end()
  })
  expect(await measure('http', `${origin}/a/9`, ['status'])).toEqual({ status: known(200) })
  expect(asked).toHaveLength(10)
  expect(asked[1]?.url).toBe('/xx/%2e/8')
  expect(await measure('http', `${origin}/a/10`, ['status'])).toMatchObject({
    status: { kind: 'unknown', detail: expect.stringContaining('more than 9 redirects') },
  })
  expect(asked).toHaveLength(20)
})

test('redirects are followed, or not at all; what was sent with a request stays with its server', async () => {
  const other = await serve((_request, response) => void response.end('there'))
  const { origin } = await serve((request, response) => {
    if (request.url === '/there') response.writeHead(302, { location: `${other.origin}/` }).end()
    else response.writeHead(302, { location: request.url ?? '/' }).end()
  })
  const given = { 'request-headers': ['X-Token: secret'], username: 'user', password: 'secret' }
  expect(await measure('http', `${origin}/there`, ['status', 'body'], { given })).toEqual({
    status: known(200),
    body: known({ text: 'there' }),
  })
  expect(other.asked[0]?.headers).not.toHaveProperty('x-token')
  expect(other.asked[0]?.headers).not.toHaveProperty('authorization')
  expect(await measure('http', `${origin}/loop`, ['status'])).toMatchObject({ status: { kind: 'unknown' } })
  expect(await measure('http', `${origin}/loop`, ['status'], { given: { 'no-follow-redirects': true } })).toEqual({
    status: known(302),
  })
})

test('a server is trusted by the authority that is given, or without a look', async () => {
  const { authority, server: certificate } = makeCertificates('host.test')
  const { origin } = await serve((_request, response) => void response.end('safe'), certificate)
  const status = async (given: GossRequest['given']): Promise<Measured | undefined> =>
    (await measure('http', origin, ['status'], { given }))['status']
  expect(await status({})).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
  expect(await status({ 'ca-file': authority.certificate })).toEqual(known(200))
  expect(await status({ 'allow-insecure': true })).toEqual(known(200))
  const own = { 'cert-file': certificate.certificate, 'key-file': certificate.key }
  expect(await status({ ...own, 'ca-file': authority.certificate })).toEqual(known(200))
  expect(await status({ 'ca-file': '/no/such/file' })).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
})

test('where nobody answers in time, and what is asked wrongly, is unknown without its secrets', async () => {
  const { origin } = await serve(() => undefined)
  const { port } = new URL(origin)
  expect(await measure('http', origin, ['status'], { given: { timeout: 50 } })).toMatchObject({
    status: { kind: 'unknown', reason: 'timeout' },
  })
  const refused = await measure('http', 'http://user:secret@127.0.0.1:1/?token=secret', ['status'])
  expect(refused).toMatchObject({ status: { kind: 'unknown', reason: 'not-observable' } })
  const wrong = await measure('http', `http://127.0.0.1:${port}/`, ['status'], {
    given: { 'request-headers': ['X-Token secret'] },
  })
  expect(wrong).toMatchObject({ status: { kind: 'unknown', reason: 'invalid' } })
  expect(JSON.stringify([refused, wrong])).not.toContain('secret')
})

test('a port is listened at, by version of IP', async () => {
  const port = await listenAt('127.0.0.1')
  const wanted = ['listening', 'ip']
  const listens = { listening: known(true), ip: known(['127.0.0.1']) }
  expect(await measure('port', `tcp:${port}`, wanted)).toEqual(listens)
  expect(await measure('port', `${port}`, wanted)).toEqual(listens)
  expect(await measure('port', `tcp6:${port}`, wanted)).toEqual({ listening: known(false) })
  expect(await measure('port', `udp:${port}`, wanted)).toEqual({ listening: known(false) })
  expect(await measure('port', 'http', wanted)).toMatchObject({ listening: { kind: 'unknown', reason: 'invalid' } })
})

test.each([
  ['yes', known(true)],
  ['no', known(false)],
  ['unknown', { kind: 'unknown', reason: 'not-observable' }],
] as const)('a socket of IPv6 of which it is %s that it takes IPv4', async (takesIpv4, listening) => {
  const socket: ListeningSocket = {
    protocol: 'tcp',
    family: 6,
    address: '::',
    port: 80,
    takesIpv4,
    uid: 0,
    inode: 1,
  }
  const target = {
    ...EMPTY_MACHINE,
    open: opening(
      EMPTY_MACHINE,
      reading(SOCKETS, { ...EMPTY_MACHINE.open(SOCKETS), listening: () => known([socket]) }),
    ),
  }
  expect(await measure('port', 'tcp:80', ['listening'], { target })).toMatchObject({ listening })
  expect(await measure('port', 'tcp6:80', ['listening', 'ip'], { target })).toEqual({
    listening: known(true),
    ip: known(['::']),
  })
})

test('a process runs by what the kernel calls it', async () => {
  const own = readFileSync('/proc/self/comm', 'utf8').trim()
  expect(await measure('process', own, ['running'])).toEqual({ running: known(true) })
  expect(await measure('process', 'no-such', ['running'])).toEqual({ running: known(false) })
  // The kernel keeps 15 characters, so that this one is never found.
  expect(await measure('process', 'systemd-journald', ['running'])).toMatchObject({
    running: { kind: 'unknown', reason: 'invalid' },
  })
  const unseen = unknown('permission-denied', '/proc is mounted with hidepid')
  const target = {
    ...EMPTY_MACHINE,
    open: opening(EMPTY_MACHINE, reading(PROCESSES, { list: () => known({ processes: [], unseen }) })),
  }
  expect(await measure('process', 'sshd', ['running'], { target })).toEqual({ running: unseen })
})

test('the loopback interface', async () => {
  const mtu = Number(readFileSync('/sys/class/net/lo/mtu', 'utf8'))
  const { exists, addrs, mtu: found } = await measure('interface', 'lo', ['exists', 'addrs', 'mtu'])
  expect({ exists, found }).toEqual({ exists: known(true), found: known(mtu) })
  expect(addrs?.kind === 'known' ? addrs.value : []).toContain('127.0.0.1/8')
  expect(await measure('interface', 'no-such0', ['exists', 'mtu'])).toEqual({ exists: known(false) })
})
