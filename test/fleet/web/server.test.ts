import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { OperatorError } from '../../../src/model/operator-error.ts'
import { makeToken, readTokens } from '../../../src/fleet/web/server/tokens.ts'
import { storeReport, viewFleet, type Viewed, type Viewing } from '../../support/fleet-view.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { makeCertificates } from '../../support/web-server.ts'

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Asks as `fetch` would not: with any header, and any certificate. */
async function ask(address: string, options: RequestOptions = {}, body?: string): Promise<Reply> {
  const request = address.startsWith('https:') ? httpsRequest : httpRequest
  return await new Promise((resolve, reject) => {
    const asked = request(address, { rejectUnauthorized: false, agent: false, ...options }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

function oneHost(): string {
  const from = temporaryDirectory()
  storeReport(from, { host: 'web01', controls: { 'site-01': 'drifted' } })
  return from
}

const view = (viewing: Partial<Viewing> = {}): Promise<Viewed> => viewFleet({ from: oneHost(), ...viewing })

/** A view with TLS for alice, and her token. */
async function secured(): Promise<Viewed & { readonly token: string; readonly tokens: string }> {
  const { token, line } = makeToken('alice', 'reader')
  const tokens = join(temporaryDirectory(), 'tokens')
  writeFileSync(tokens, `# who may look\n\n${line}\n`, { mode: 0o600 })
  const { server } = makeCertificates('localhost')
  return { ...(await view({ tokens, tls: { certificate: server.certificate, key: server.key } })), token, tokens }
}

describe('for every user of this machine', () => {
  test('every answer forbids what it does not need', async () => {
    const { address } = await view()
    for (const path of ['', 'hosts', 'nothing', 'api/fleet', 'metrics', 'healthz']) {
      const { headers } = await ask(address + path)
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|\*|https?:|data:/)
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
      expect(headers).not.toHaveProperty('set-cookie')
    }
  })

  test('a page in a browser that was led here by the name of another place gets nothing', async () => {
    const { address } = await view()
    const withHost = (host: string): Promise<Reply> => ask(address, { headers: { host } })
    for (const host of ['evil.example', 'evil.example:8642', '127.0.0.1.evil.example', 'localhost.evil', '10.0.0.1']) {
      const { status, body } = await withHost(host)
      expect([host, status < 400, body.includes('web01')]).toEqual([host, false, false])
    }
    for (const host of ['localhost', 'LOCALHOST:9', '127.0.0.1:8642', '[::1]:8642'])
      expect((await withHost(host)).status).toBe(200)
  })

  test.each([
    ['POST', '/', 405],
    ['DELETE', '/hosts', 405],
    ['POST', '/login', 405],
    ['OPTIONS', '/', 405],
    ['GET', `/hosts?q=${'x'.repeat(5_000)}`, 414],
    ['GET', '/nothing', 404],
    ['GET', '/api/nothing', 404],
    ['GET', '/__proto__', 404],
    ['GET', '/api/constructor', 404],
    ['GET', '/login', 404],
    ['GET', '/host?name=nobody', 404],
    ['GET', '/hosts?answer=fine', 400],
    ['GET', '/hosts?anwser=drifted', 400],
    ['GET', '/hosts?page=0', 400],
    ['GET', '/hosts?label=role', 400],
    ['GET', '/api/hosts?presence=gone', 400],
    ['GET', '/hosts?page=99', 200],
    ['GET', '//evil/..//', 404],
  ])('%s %s is answered with %i', async (method, path, status) => {
    const { address } = await view()
    expect((await ask(address, { method, path })).status).toBe(status)
  })

  test('a request that is not HTTP or too large ends its connection and no other', async () => {
    const { address } = await view()
    const { port } = new URL(address)
    const said = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => (text += chunk.toString()))
      socket.on('close', () => resolve(text))
      socket.on('error', () => undefined)
      socket.write(`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)
    })
    expect(said).toContain('431')
    expect((await ask(address)).status).toBe(200)
  })

  test('HEAD has no body, and the two files of a page may be kept', async () => {
    const { address } = await view()
    const page = await ask(address)
    expect(await ask(address, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    const files = [...page.body.matchAll(/(?:href|src)="\/((?:style|script)\.[0-9a-f]{16}\.\w+)"/g)].map(
      ([, name]) => name,
    )
    expect(files).toHaveLength(2)
    for (const name of files) {
      expect((await ask(`${address}${name}`)).headers['cache-control']).toContain('immutable')
    }
  })

  test('metrics count controls, answers and presences, and name no host', async () => {
    const from = oneHost()
    storeReport(from, { host: 'web02', controls: { 'site-01': 'compliant' } })
    const { address } = await view({ from })
    const { body, headers } = await ask(`${address}metrics`)
    expect(headers['content-type']).toContain('version=0.0.4')
    expect(body).toContain('driftgate_fleet_hosts{answer="drifted"} 1\n')
    expect(body).toContain('driftgate_fleet_presence{presence="reporting"} 2\n')
    for (const [standing, count] of [
      ['drifted', 1],
      ['met', 1],
    ] as const) {
      const labels = `policy="site",control="site-01",severity="high",standing="${standing}"`
      expect(body).toContain(`driftgate_fleet_control_hosts{${labels}} ${count}\n`)
    }
    expect(body).not.toContain('web0')
  })
})

describe('for those with a token', () => {
  test('without a token only the login form and the health check are visible', async () => {
    const { address } = await secured()
    for (const path of ['', 'hosts', 'host?name=web01', 'audit', 'nothing']) {
      expect(await ask(address + path)).toMatchObject({ status: 303, headers: { location: '/login' }, body: '' })
    }
    for (const path of ['api/hosts', 'metrics', 'events']) {
      const { status, headers, body } = await ask(address + path)
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="driftgate fleet"'])
      expect(body).not.toContain('web01')
    }
    const form = await ask(`${address}login`)
    expect(form.body).toContain('type="password"')
    expect(form.body).not.toContain('web01')
    expect((await ask(`${address}healthz`)).status).toBe(200)
  })

  test('a program shows its token, a person gets a session of it', async () => {
    const { address, token } = await secured()
    const bearer = await ask(`${address}api/hosts`, { headers: { authorization: `Bearer ${token}` } })
    expect(bearer.body).toContain('web01')
    const login = await logIn(address, token)
    expect(login).toMatchObject({ status: 303, headers: { location: '/' } })
    const [cookie = ''] = login.headers['set-cookie'] ?? []
    expect(cookie).toMatch(/^__Host-driftgate=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; Secure; SameSite=Strict$/)
    expect(cookie).not.toContain(token)
    const session = { cookie: `other=1; ${cookie.split(';')[0]}` }
    expect((await ask(`${address}hosts`, { headers: session })).body).toContain('alice')
    expect((await ask(`${address}logout`, { method: 'POST', headers: session })).status).toBe(303)
    expect((await ask(`${address}hosts`, { headers: session })).status).toBe(303)
  })

  test('a form of another origin cannot log in', async () => {
    const { address, token } = await secured()
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const { status, headers: given } = await logIn(address, token, headers)
      expect([status, given['set-cookie']]).toEqual([403, undefined])
    }
    expect((await logIn(address, token, { origin: new URL(address).origin })).status).toBe(303)
    expect((await logIn(address, 'x'.repeat(5_000))).status).toBe(413)
  })

  test('after ten wrong tokens even the right one has to wait, but a session goes on', async () => {
    const { address, token } = await secured()
    const [cookie = ''] = (await logIn(address, token)).headers['set-cookie'] ?? []
    const bearer = (text: string): Promise<Reply> =>
      ask(`${address}api/fleet`, { headers: { authorization: `Bearer ${text}` } })
    for (let attempt = 0; attempt < 10; attempt++) expect((await bearer(`${token.slice(0, -1)}!`)).status).toBe(401)
    const waiting = await bearer(token)
    expect(waiting.status).toBe(429)
    expect(Number(waiting.headers['retry-after'])).toBeGreaterThan(0)
    expect((await logIn(address, token)).status).toBe(429)
    expect((await ask(address, { headers: { cookie } })).status).toBe(200)
  })

  test('a user removed from the file loses access, with a session, too', async () => {
    const { address, token, tokens } = await secured()
    const [cookie = ''] = (await logIn(address, token)).headers['set-cookie'] ?? []
    const bob = makeToken('bob', 'operator')
    writeFileSync(tokens, `${bob.line}\n`)
    const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await ask(`${address}api/fleet`, { headers })).status
    await expect.poll(() => status({ cookie }), { timeout: 90_000 }).toBe(401)
    expect(await status({ authorization: `Bearer ${token}` })).toBe(401)
    expect(await status({ authorization: `Bearer ${bob.token}` })).toBe(200)
  })
})

async function logIn(address: string, token: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return await ask(`${address}login`, { method: 'POST', headers }, new URLSearchParams({ token }).toString())
}

describe('the file of tokens', () => {
  const line = `${makeToken('alice', 'reader').line}\n`

  test('holds accounts, and no token', () => {
    const path = join(temporaryDirectory(), 'tokens')
    const { token, line: made } = makeToken('bob', 'operator')
    writeFileSync(path, `${line}${made}\n`, { mode: 0o600 })
    expect(readTokens(path).map(({ name, role }) => [name, role])).toEqual([
      ['alice', 'reader'],
      ['bob', 'operator'],
    ])
    expect(readFileSync(path, 'utf8')).not.toContain(token.slice(4))
  })

  test.each([
    ['', 'it has no token'],
    ['alice admin sha256:00\n', 'line 1 is not'],
    [`${line}bob reader dgt_secret\n`, 'line 2 is not'],
    [line + line, 'line 2 names alice again'],
  ])('%j is refused', (text, reason) => {
    const path = join(temporaryDirectory(), 'tokens')
    writeFileSync(path, text, { mode: 0o600 })
    expect(() => readTokens(path)).toThrow(OperatorError)
    expect(() => readTokens(path)).toThrow(reason)
  })

  test('that others can read or write, or that a link leads to, is refused', () => {
    const path = join(temporaryDirectory(), 'tokens')
    writeFileSync(path, line, { mode: 0o600 })
    const link = join(temporaryDirectory(), 'link')
    symlinkSync(path, link)
    expect(() => readTokens(link)).toThrow(OperatorError)
    for (const mode of [0o640, 0o604, 0o620]) {
      chmodSync(path, mode)
      expect(() => readTokens(path)).toThrow('run chmod 0600')
    }
    const directory = join(temporaryDirectory(), 'directory')
    mkdirSync(directory)
    expect(() => readTokens(directory)).toThrow(OperatorError)
  })
})
