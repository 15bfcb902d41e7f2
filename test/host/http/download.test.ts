import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, chmodSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test, onTestFinished } from 'vitest'
import type { ApplyOutcome } from '../../../src/model/decision.ts'
import { acquireFixLock } from '../../../src/host/live/fix-lock.ts'
import type { DownloadProgress } from '../../../src/host/http/progress.ts'
import type { TransferOptions } from '../../../src/host/http/transfer.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import type { DownloadRequest } from '../../../src/host/remediator.ts'
import { bundle } from '../../support/bundle.ts'
import { hasProgram } from '../../support/programs.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'
import { makeCertificates, serve, serveProxy } from '../../support/web-server.ts'

const SECRET = 'hunter2'
const CONTENT = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251))
const SHA256 = createHash('sha256').update(CONTENT).digest('hex')

interface Result {
  readonly outcome: ApplyOutcome
  /** What is in the directory of the target afterwards, by name; `WHOLE` stands for the content that was to come. */
  readonly files: Record<string, string>
  readonly path: string
  readonly pauses: readonly number[]
  readonly progress: readonly DownloadProgress[]
}

/** Downloads with a real lock, and proves that nothing of it is left recorded. */
async function download(
  url: string,
  changes: Partial<DownloadRequest> = {},
  options: TransferOptions & { readonly old?: string } = {},
): Promise<Result> {
  const [directory, state] = [temporaryDirectory(), temporaryDirectory()]
  chmodSync(state, 0o700)
  const path = join(directory, 'app.tgz')
  if (options.old !== undefined) writeFileSync(path, options.old)
  const pauses: number[] = []
  const progress: DownloadProgress[] = []
  const request: DownloadRequest = {
    url,
    path,
    attributes: { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, mode: 0o600 },
    headers: {},
    maxBytes: 10_000_000,
    tries: 3,
    timeoutMs: 600_000,
    signal: new AbortController().signal,
    ...changes,
  }
  const result = await acquireFixLock({ directory: state })
  if (result.kind !== 'held') throw new Error(JSON.stringify(result))
  const remediator = createLocalRemediator(result.lock.journal, {
    download: {
      environment: {},
      pause: async (milliseconds) => void pauses.push(milliseconds),
      onProgress: (state) => progress.push(state),
      ...options,
    },
  })
  const outcome = await remediator.download(request)
  result.lock.release()
  // The file of the lock stays: what is locked is never removed.
  expect(readdirSync(state)).toEqual(['fix.lock'])
  const files = Object.fromEntries(
    readdirSync(directory).map((name) => [name, shown(readFileSync(join(directory, name)))]),
  )
  return { outcome, files, path, pauses, progress }
}

const WHOLE = 'the whole content'

/** Comparing long buffers element by element would take most of the time of these tests. */
function shown(content: Buffer): string {
  return content.equals(CONTENT) ? WHOLE : content.toString('utf8')
}

const sendContent: RequestListener = (_request, response) => {
  response.setHeader('content-length', CONTENT.length)
  response.end(CONTENT)
}

/** Answers the first requests one after the other, and then always as the last. */
function inTurn(...handlers: readonly [RequestListener, ...RequestListener[]]): RequestListener {
  let count = 0
  return (request, response) => {
    const handler = handlers[Math.min(count++, handlers.length - 1)] ?? handlers[0]
    handler(request, response)
  }
}

function status(code: number): RequestListener {
  return (_request, response) => {
    response.statusCode = code
    response.end('not the archive')
  }
}

/** Says that everything will come, and breaks the connection in the middle. */
function cut(headers: Readonly<Record<string, string>> = {}): RequestListener {
  return (_request, response) => {
    response.writeHead(200, { 'content-length': String(CONTENT.length), ...headers })
    response.write(CONTENT.subarray(0, 100_000), () => response.destroy())
  }
}

describe('a good download', () => {
  test('is received whole, with its owner and mode, and tells how far it is', async () => {
    const server = await serve(sendContent)
    const { outcome, files, path, progress } = await download(`${server.origin}/app.tgz?key=${SECRET}`, {
      sha256: SHA256.toUpperCase(),
    })
    expect(outcome).toEqual({ kind: 'done' })
    expect(files).toEqual({ 'app.tgz': WHOLE })
    expect(statSync(path).mode & 0o7777).toBe(0o600)
    expect(progress.at(-1)).toEqual({
      url: `${server.origin}/app.tgz?…`,
      receivedBytes: CONTENT.length,
      totalBytes: CONTENT.length,
      bytesPerSecond: expect.any(Number),
    })
    expect(server.asked).toMatchObject([{ method: 'GET', url: `/app.tgz?key=${SECRET}` }])
    expect(server.asked[0]?.headers).toMatchObject({ 'accept-encoding': 'identity', 'user-agent': 'driftgate' })
  })

  test('of unknown length, in pieces', async () => {
    const server = await serve((_request, response) => {
      response.write(CONTENT.subarray(0, 5))
      response.end(CONTENT.subarray(5))
    })
    const { outcome, files } = await download(`${server.origin}/app.tgz`, { sha256: SHA256 })
    expect([outcome, files]).toEqual([{ kind: 'done' }, { 'app.tgz': WHOLE }])
  })

  test('an empty file is one', async () => {
    const server = await serve((_request, response) => response.end())
    expect((await download(`${server.origin}/app.tgz`)).files).toEqual({ 'app.tgz': '' })
  })

  test.skipIf(needsRoot)('belongs to the requested owner from its first byte', async () => {
    const server = await serve(sendContent)
    const { path } = await download(`${server.origin}/a.tgz`, { attributes: { uid: 4711, gid: 4712, mode: 0o640 } })
    expect(statSync(path)).toMatchObject({ uid: 4711, gid: 4712, mode: 0o100640 })
  })
})

const needsTools =
  needsRoot ?? (['setfacl', 'getfacl', 'setcap', 'getcap'].every(hasProgram) ? undefined : 'needs acl and libcap')

test.skipIf(needsTools)(
  'a replacement keeps ACL and capabilities, and a file with several hard links is not replaced',
  async () => {
    const run = promisify(execFile)
    const { origin } = await serve(sendContent)
    const url = `${origin}/tool?key=${SECRET}`
    const old = join(temporaryDirectory(), 'tool')
    writeFileSync(old, 'old')
    chmodSync(old, 0o755)
    await run('setfacl', ['-m', 'u:nobody:rx', old])
    await run('setcap', ['cap_net_raw=ep', old])
    const said = async (): Promise<readonly string[]> => {
      const told = await Promise.all([run('getfacl', ['-cp', old]), run('getcap', [old])])
      return told.map(({ stdout }) => stdout)
    }
    const before = await said()
    const attributes = { uid: 0, gid: 0, mode: 0o755 }
    expect((await download(url, { path: old, attributes })).outcome).toEqual({ kind: 'done' })
    expect([readFileSync(old).equals(CONTENT), await said()]).toEqual([true, before])
    expect(before.join('')).toContain('user:nobody:r-x')
    linkSync(old, `${old}2`)
    const { outcome } = await download(url, { path: old, attributes })
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('it has 2 hard links') })
  },
)

describe('a bad one leaves the old file, no other, and no password in its message', () => {
  test.each<[string, RequestListener, Partial<DownloadRequest>, RegExp]>([
    ['not found', status(404), {}, /: HTTP request failed with status 404: Not Found$/],
    ['not allowed', status(401), {}, /: HTTP request failed with status 401: Unauthorized$/],
    ['nothing new', status(304), {}, /: HTTP request failed with status 304: Not Modified$/],
    ['nothing at all', status(204), {}, /: HTTP request failed with status 204: No Content$/],
    ['an unrequested part', status(206), {}, /: HTTP request failed with status 206: Partial Content$/],
    ['broken for good', status(503), {}, /: HTTP request failed with status 503: Service Unavailable \(3 tries\)$/],
    ['cut for good', cut(), {}, /: .*(aborted|too early).* \(3 tries\)$/],
    ['not HTTP', (request) => request.socket.end('SSH-2.0-OpenSSH\r\n\r\n'), {}, /: Parse Error/],
    ['no answer', (request) => request.socket.destroy(), {}, /: socket hang up \(3 tries\)$/],
    [
      'another checksum',
      sendContent,
      { sha256: '0'.repeat(64) },
      new RegExp(`: checksum mismatch, expected "${'0'.repeat(64)}" got "${SHA256}"$`),
    ],
    [
      'too large, announced',
      sendContent,
      { maxBytes: CONTENT.length - 1 },
      /: it is larger than 299999 bytes; raise max_size/,
    ],
    [
      'too large, not announced',
      (_request, response) => {
        response.write(CONTENT)
        response.end()
      },
      { maxBytes: CONTENT.length - 1 },
      /: it is larger than 299999 bytes; raise max_size/,
    ],
    ['nowhere to go', (_request, response) => response.writeHead(302).end(), {}, /redirects without a location$/],
    [
      'round and round',
      (_request, response) => response.writeHead(302, { location: '/app.tgz' }).end(),
      {},
      /: more than 10 redirects$/,
    ],
    [
      'to a file of the machine',
      (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      {},
      /redirects to a URL that is neither http nor https/,
    ],
    ['interrupted', sendContent, { signal: AbortSignal.abort() }, /: interrupted$/],
  ])('%s', async (_name, handler, changes, message) => {
    const server = await serve(handler)
    const url = `${server.origin.replace('//', `//user:${SECRET}@`)}/app.tgz?key=${SECRET}`
    const { outcome, files } = await download(url, { headers: { 'X-Token': SECRET }, ...changes }, { old: 'old' })
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringMatching(message) })
    expect(JSON.stringify(outcome)).not.toContain(SECRET)
    expect(files).toEqual({ 'app.tgz': 'old' })
  })

  test('a longer body than announced is cut, and its checksum tells', async () => {
    const server = await serve((request) => {
      request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello world')
    })
    const { outcome, files } = await download(`${server.origin}/app.tgz`, { sha256: SHA256 }, { old: 'old' })
    expect(outcome.kind).toBe('failed')
    expect(files).toEqual({ 'app.tgz': 'old' })
  })

  test('a refused connection', async () => {
    const { outcome, pauses } = await download('http://127.0.0.1:9/app.tgz')
    expect(outcome).toMatchObject({ message: expect.stringMatching(/: connect ECONNREFUSED 127.0.0.1:9 \(3 tries\)$/) })
    expect(pauses).toHaveLength(2)
  })

  test('no such directory', async () => {
    const { outcome } = await download('http://127.0.0.1:9/app.tgz', { path: '/nonexistent/app.tgz' })
    expect(outcome).toMatchObject({ message: expect.stringContaining('"/nonexistent" is not a directory') })
  })

  test('an invalid URL is not retried', async () => {
    const { outcome } = await download(`http://user:${SECRET}@:x/`)
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringMatching(/: invalid url$/) })
  })
})

describe('time', () => {
  test('a server that stops in the middle is given up', async () => {
    const server = await serve((_request, response) => void response.writeHead(200).write('some'))
    const { outcome } = await download(`${server.origin}/app.tgz`, { tries: 2 }, { periodMs: 500 })
    expect(outcome).toMatchObject({
      message: expect.stringMatching(/: only 4 bytes received in 0\.5 seconds \(2 tries\)$/),
    })
    expect(server.asked).toHaveLength(2)
  })

  test('a server that never answers is given up', async () => {
    const server = await serve(() => undefined)
    const { outcome } = await download(`${server.origin}/app.tgz`, { tries: 1 }, { periodMs: 500 })
    expect(outcome).toMatchObject({ message: expect.stringMatching(/: no data received for 0.5 seconds$/) })
  })

  test('a server that drips is given up', async () => {
    const server = await serve((_request, response) => {
      const timer = setInterval(() => response.write('.'), 5)
      response.on('close', () => clearInterval(timer))
    })
    const { outcome, files } = await download(`${server.origin}/app.tgz`, { tries: 1 }, { periodMs: 500, old: 'old' })
    expect(outcome).toMatchObject({
      isTimeout: true,
      message: expect.stringMatching(/: only \d+ bytes received in 0\.5 seconds$/),
    })
    expect(files).toEqual({ 'app.tgz': 'old' })
  })

  test('a whole download may be bounded, however lively it is', async () => {
    const server = await serve((_request, response) => {
      const timer = setInterval(() => response.write('drip'), 5)
      response.on('close', () => clearInterval(timer))
    })
    const { outcome, files } = await download(`${server.origin}/app.tgz`, { timeoutMs: 600 }, { old: 'old' })
    expect(outcome).toMatchObject({ message: expect.stringMatching(/: not finished within 0.6 seconds$/) })
    expect([server.asked.length, files]).toEqual([1, { 'app.tgz': 'old' }])
  })

  test('an interruption in the middle ends it at once', async () => {
    const controller = new AbortController()
    const server = await serve((_request, response) => {
      response.write('some', () => controller.abort())
    })
    const { outcome, files } = await download(`${server.origin}/app.tgz`, { signal: controller.signal })
    expect([outcome, files]).toMatchObject([{ message: expect.stringMatching(/: interrupted$/) }, {}])
    expect(server.asked).toHaveLength(1)
  })
})

describe('trying again', () => {
  test('after faults of the server, with growing pauses', async () => {
    const server = await serve(inTurn(status(500), status(502), sendContent))
    const { outcome, files, pauses } = await download(`${server.origin}/app.tgz`)
    expect([outcome, files]).toEqual([{ kind: 'done' }, { 'app.tgz': WHOLE }])
    // At most one second and then two, at least half of it.
    expect(pauses).toHaveLength(2)
    for (const [index, longest] of [1000, 2000].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(longest / 2)
      expect(pauses[index]).toBeLessThanOrEqual(longest)
    }
  })

  test('not after what will not pass', async () => {
    const server = await serve(inTurn(status(403), sendContent))
    expect((await download(`${server.origin}/app.tgz`)).outcome.kind).toBe('failed')
    expect(server.asked).toHaveLength(1)
  })

  test('from the beginning where nothing proves that it is still the same file', async () => {
    const server = await serve(inTurn(cut({ etag: 'W/"1"' }), sendContent))
    expect((await download(`${server.origin}/app.tgz`)).files).toEqual({ 'app.tgz': WHOLE })
    expect(server.asked[1]?.headers).not.toHaveProperty('range')
  })

  /** Sends the rest that is asked for, as long as it is asked for under that tag. */
  const rest: RequestListener = ({ headers }, response) => {
    const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1])
    expect(headers['if-range']).toBe('"1"')
    const range = `bytes ${start}-${CONTENT.length - 1}/${CONTENT.length}`
    response.writeHead(206, { 'content-range': range, 'content-length': CONTENT.length - start })
    response.end(CONTENT.subarray(start))
  }

  test('from where it broke, where the server allows it', async () => {
    const server = await serve(inTurn(cut({ etag: '"1"' }), rest))
    const { outcome, files, progress } = await download(`${server.origin}/app.tgz`, { sha256: SHA256 })
    expect([outcome, files]).toEqual([{ kind: 'done' }, { 'app.tgz': WHOLE }])
    expect(server.asked[1]?.headers.range).toMatch(/^bytes=[1-9][0-9]*-$/)
    expect(progress.at(-1)).toMatchObject({ receivedBytes: CONTENT.length, totalBytes: CONTENT.length })
  })

  test('from the beginning where the file has become another', async () => {
    const server = await serve(inTurn(cut({ etag: '"1"' }), sendContent))
    expect((await download(`${server.origin}/app.tgz`, { sha256: SHA256 })).files).toEqual({ 'app.tgz': WHOLE })
    expect(server.asked[1]?.headers['if-range']).toBe('"1"')
  })

  test.each<[string, RequestListener]>([
    ['another part', (_request, response) => response.writeHead(206, { 'content-range': 'bytes 7-9/10' }).end('abc')],
    ['no range', (_request, response) => response.writeHead(206).end('abc')],
    ['no such part', status(416)],
  ])('from the beginning where the server sends %s', async (_name, second) => {
    const server = await serve(inTurn(cut({ etag: '"1"' }), second, sendContent))
    expect((await download(`${server.origin}/app.tgz`, { sha256: SHA256 })).files).toEqual({ 'app.tgz': WHOLE })
    expect(server.asked[2]?.headers).not.toHaveProperty('range')
  })
})

describe('credentials', () => {
  const guarded: RequestListener = (request, response) => {
    const wanted = `Basic ${Buffer.from(`deploy:${SECRET}`).toString('base64')}`
    if (request.headers.authorization === wanted) sendContent(request, response)
    else status(401)(request, response)
  }

  test('user and password open a guarded server', async () => {
    const server = await serve(guarded)
    const { outcome } = await download(`${server.origin}/a.tgz`, { username: 'deploy', password: SECRET })
    expect(outcome).toEqual({ kind: 'done' })
  })

  test('go with a redirect on the same server', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/a.tgz') response.writeHead(302, { location: '/b.tgz' }).end()
      else guarded(request, response)
    })
    const { outcome } = await download(`${server.origin}/a.tgz`, { username: 'deploy', password: SECRET })
    expect(outcome).toEqual({ kind: 'done' })
  })

  test.each([301, 302, 303, 307, 308])(
    'stay when status %i leads to another server, and when that leads back',
    async (code) => {
      const elsewhere = await serve((request, response) => {
        response.writeHead(code, { location: request.url === '/a.tgz' ? '/b.tgz' : `${home.origin}/back.tgz` }).end()
      })
      const home = await serve((request, response) => {
        if (request.url === '/back.tgz') sendContent(request, response)
        else response.writeHead(code, { location: `${elsewhere.origin}/a.tgz` }).end()
      })
      const { outcome } = await download(`${home.origin}/a.tgz`, {
        username: 'deploy',
        password: SECRET,
        headers: { 'X-Token': SECRET },
      })
      expect(outcome).toEqual({ kind: 'done' })
      expect(home.asked[0]?.headers).toMatchObject({ authorization: expect.any(String), 'x-token': SECRET })
      for (const { headers } of [...elsewhere.asked, ...home.asked.slice(1)]) {
        expect(headers).not.toHaveProperty('authorization')
        expect(headers).not.toHaveProperty('x-token')
      }
      expect([elsewhere.asked.length, home.asked.length]).toEqual([2, 2])
    },
  )
})

describe('proxies', () => {
  test('an http URL is asked for as a whole, with the credentials of the proxy', async () => {
    const server = await serve(sendContent)
    const proxy = await serveProxy(server)
    const environment = { HTTP_PROXY: proxy.origin.replace('//', '//me:pass@') }
    const { outcome, files } = await download('http://archive.test/app.tgz?x=1', {}, { environment })
    expect([outcome, files]).toEqual([{ kind: 'done' }, { 'app.tgz': WHOLE }])
    expect(proxy.asked).toMatchObject([{ method: 'GET', url: 'http://archive.test/app.tgz?x=1' }])
    expect(proxy.asked[0]?.headers).toMatchObject({
      host: 'archive.test',
      'proxy-authorization': `Basic ${Buffer.from('me:pass').toString('base64')}`,
    })
    expect(server.asked[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  test('a proxy that refuses the tunnel is named, without its password', async () => {
    const proxy = await serve(sendContent)
    const environment = { https_proxy: proxy.origin.replace('//', `//me:${SECRET}@`) }
    const { outcome } = await download('https://archive.test/app.tgz', { tries: 1 }, { environment })
    expect(outcome.kind).toBe('failed')
    expect(JSON.stringify(outcome)).not.toContain(SECRET)
  })
})

/** Downloads in a process of its own, since Node reads NODE_EXTRA_CA_CERTS when it starts. */
async function downloadApart(url: string, environment: Record<string, string>, before = ''): Promise<unknown> {
  const { file: child, remove } = await bundle(`
    import { NO_JOURNAL } from './src/host/live/journal.ts'
    import { createLocalRemediator } from './src/host/live/local-remediator.ts'
    const [url, path] = process.argv.slice(2)
    const attributes = { uid: process.geteuid(), gid: process.getegid(), mode: 0o600 }
    const { signal } = new AbortController()
    const request = { url, path, attributes, headers: {}, maxBytes: 1e9, tries: 1, timeoutMs: 6e5, sha256: '${SHA256}', signal }
    console.log(JSON.stringify(await createLocalRemediator(NO_JOURNAL).download(request)))`)
  onTestFinished(remove)
  const path = join(temporaryDirectory(), 'app.tgz')
  const env = { PATH: process.env['PATH'] ?? '', ...environment }
  // What is mounted before is gone with the process.
  const command = ['--mount', 'sh', '-c', `${before}exec "$@"`, 'sh', process.execPath]
  const [program, ...args] = before === '' ? [process.execPath] : ['unshare', ...command]
  const { stdout } = await promisify(execFile)(program ?? '', [...args, child, url, path], { env })
  return JSON.parse(stdout)
}

describe('TLS', () => {
  test('with an authority of one’s own, directly and through a proxy', async () => {
    const { authority, server: certificate } = makeCertificates('archive.test')
    const server = await serve(sendContent, certificate)
    const proxy = await serveProxy(server)
    const trust = { NODE_EXTRA_CA_CERTS: authority.certificate }
    expect(await downloadApart(`${server.origin}/app.tgz`, trust)).toEqual({ kind: 'done' })
    const throughProxy = { ...trust, HTTPS_PROXY: proxy.origin }
    expect(await downloadApart('https://archive.test/app.tgz', throughProxy)).toEqual({ kind: 'done' })
    expect(proxy.asked).toMatchObject([{ method: 'CONNECT', url: 'archive.test:443' }])
    expect(await downloadApart('https://other.test/app.tgz', throughProxy)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('does not match certificate'),
    })
  })

  test('with an authority that a file named by SSL_CERT_FILE holds, and no other', async () => {
    const [own, other] = [makeCertificates('archive.test'), makeCertificates('archive.test')]
    const server = await serve(sendContent, own.server)
    const url = `${server.origin}/app.tgz`
    expect(await downloadApart(url, { SSL_CERT_FILE: own.authority.certificate })).toEqual({ kind: 'done' })
    const trustsOther = { SSL_CERT_FILE: other.authority.certificate }
    expect(await downloadApart(url, trustsOther)).toMatchObject({ kind: 'failed' })
    const both = { ...trustsOther, NODE_EXTRA_CA_CERTS: own.authority.certificate }
    expect(await downloadApart(url, both)).toEqual({ kind: 'done' })
    expect(await downloadApart(url, { SSL_CERT_FILE: '/no/such.pem' })).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('cannot read the CA certificates in /no/such.pem: ENOENT'),
    })
  })

  const store = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt'].find((path) =>
    existsSync(path),
  )

  test.skipIf(needsRoot ?? (store === undefined ? 'needs ca-certificates' : undefined))(
    'with an authority in the store of the system (needs root)',
    async () => {
      const { authority, server: certificate } = makeCertificates('archive.test')
      const server = await serve(sendContent, certificate)
      const trust = `mount --bind ${authority.certificate} ${store} && `
      expect(await downloadApart(`${server.origin}/app.tgz`, {}, trust)).toEqual({ kind: 'done' })
      expect(await downloadApart(`${server.origin}/app.tgz`, {})).toMatchObject({ kind: 'failed' })
    },
  )

  test('an untrusted certificate fails with advice and without a retry', async () => {
    const server = await serve(sendContent, makeCertificates('archive.test').server)
    const { outcome, pauses } = await download(`${server.origin}/app.tgz`)
    expect(outcome).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('if it was issued by your own CA, add that CA to the trusted CAs'),
    })
    expect(pauses).toEqual([])
  })
})
