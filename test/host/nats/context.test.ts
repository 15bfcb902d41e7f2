import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Kvm } from '@nats-io/kv'
import { connect, nkeyAuthenticator, nkeys } from '@nats-io/transport-node'
import { expect, test } from 'vitest'
import { readContext } from '../../../src/host/nats/context.ts'
import { createNats } from '../../../src/host/nats/nats.ts'
import { contexts, startJetStream } from '../../support/nats.ts'
import { needsNats, type NatsServer } from '../../support/nats-server.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { makeCertificates } from '../../support/web-server.ts'

function read(members: object, env: Readonly<Record<string, string>> = {}): ReturnType<typeof readContext> {
  return readContext(undefined, { ...contexts({ CCM: members }), ...env })
}

test('a context without members is the server that the nats command takes, too', () => {
  expect(read({})).toEqual({ name: 'CCM', servers: ['127.0.0.1:4222'], tls: { isRequired: false, isFirst: false } })
})

test('the first of user with password, credentials and key counts; a token counts beside it', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'creds'), 'JWT')
  const { user, password, creds, token } = { user: 'u', password: 'p', creds: '~/creds', token: 't' }
  const env = { HOME: directory, WHERE: directory }
  expect(read({ user, password, creds, token }, env)).toMatchObject({ user, password, token })
  expect(read({ user, password, creds, token }, env)).not.toHaveProperty('creds')
  expect(read({ creds, nkey: '/none' }, env)).toMatchObject({ creds: Buffer.from('JWT') })
  expect(read({ creds: '$WHERE/creds' }, env)).toMatchObject({ creds: Buffer.from('JWT') })
  expect(read({ creds: '${WHERE}/creds' }, env)).toMatchObject({ creds: Buffer.from('JWT') })
})

test('addresses are a list, with or without scheme, port and login', () => {
  const url = 'nats://u:p%40ss@one.example, two.example:99,tls://three.example'
  expect(read({ url })).toMatchObject({
    servers: ['one.example:4222', 'two.example:99', 'three.example:4222'],
    user: 'u',
    password: 'p@ss',
    tls: { isRequired: true },
  })
  expect(read({ url: 'nats://secret@one.example' })).toMatchObject({ token: 'secret' })
})

test.each([
  ['a program that finds credentials', { nsc: 'nsc://a/b/c' }, /"nsc" is not supported: .* set their file in "creds"/],
  ['a proxy', { socks_proxy: 'socks5://127.0.0.1' }, /"socks_proxy" is not supported|SOCKS/],
  ['web sockets', { url: 'ws://127.0.0.1' }, /ws:\/\/ addresses are not supported/],
  ['half a key pair', { cert: '/none' }, /"cert" and "key" must be set together|cannot|no such file/],
  ['a file that is not there', { creds: '/none' }, /ENOENT.*\/none|\/none/],
  ['an invalid key', { nkey: '/etc/hostname' }, /does not contain a user seed/],
  ['a number for a text', { user: 7 }, /"user" is not text/],
])('%s is an error that says what to do', (_title, members, message) => {
  const context = read(members)
  expect('message' in context && context.message).toMatch(message)
  expect('message' in context && context.message).toMatch(/^nats connection error: context "CCM": /)
})

test('a context that is not there, that is not JSON or that others can change is an error', () => {
  const env = contexts({ CCM: {} })
  const file = join(env.XDG_CONFIG_HOME, 'nats/context/CCM.json')
  const message = (name?: string): string | false => {
    const context = readContext(name, env)
    return 'message' in context && context.message
  }
  expect(message('X')).toMatch(/^nats connection error: unknown context "X": .*X\.json does not exist; .*--context/)
  expect(message('../CCM')).toMatch(/a name or an absolute path/)
  writeFileSync(file, '{ "password": "hunter22", }')
  expect(message()).toMatch(/CCM\.json is not JSON$/)
  writeFileSync(file, '{}')
  chmodSync(file, 0o660)
  expect(message()).toMatch(/other users can write to .*CCM\.json; run: chmod go-w/)
})

/** The value of a key that is put there first, as the client with these members sees it, or why not. */
async function valueWith(server: NatsServer, members: object, env: object = {}): Promise<string> {
  const url = `tls://localhost:${server.port}`
  const nats = createNats({ registration: 'R', env: { ...contexts({ CCM: { url, ...members } }), ...env } })
  const fetched = await nats.value('B', 'a')
  await nats.close()
  return 'message' in fetched ? fetched.message : Buffer.from(fetched.value).toString()
}

async function fill(server: NatsServer, options: object = {}): Promise<void> {
  const connection = await connect({ servers: `127.0.0.1:${server.port}`, ...options })
  const store = await new Kvm(connection).create('B')
  await store.put('a', '1')
  await connection.close()
}

test.skipIf(needsNats)('a private authority of the system is trusted, and one of the context alone', async () => {
  const { authority, server: pair } = makeCertificates('localhost')
  const server = await startJetStream(`tls { cert_file: "${pair.certificate}", key_file: "${pair.key}" }`)
  await fill(server, { tls: { caFile: authority.certificate } })
  const url = `nats://localhost:${server.port}`
  expect(await valueWith(server, { ca: authority.certificate })).toBe('1')
  expect(await valueWith(server, {}, { SSL_CERT_FILE: authority.certificate })).toBe('1')
  // The server asks for encryption where the context says nothing of it.
  expect(await valueWith(server, { url }, { SSL_CERT_FILE: authority.certificate })).toBe('1')
  expect(await valueWith(server, {})).toMatch(/nats connection error: context "CCM": .*certificate/)
  expect(await valueWith(server, { url })).toMatch(/nats connection error: context "CCM": .*certificate/)
})

test.skipIf(needsNats)('the certificate of a client opens a server that asks for it', async () => {
  const { authority, server: pair } = makeCertificates('localhost')
  const tls = `cert_file: "${pair.certificate}", key_file: "${pair.key}", ca_file: "${authority.certificate}", verify: true`
  const server = await startJetStream(`tls { ${tls} }`)
  const own = { caFile: authority.certificate, certFile: pair.certificate, keyFile: pair.key }
  await fill(server, { tls: own })
  const ca = authority.certificate
  expect(await valueWith(server, { ca, cert: pair.certificate, key: pair.key })).toBe('1')
  expect(await valueWith(server, { ca })).toMatch(/nats connection error/)
})

test.skipIf(needsNats)('a server without encryption is refused where the context asks for it', async () => {
  const server = await startJetStream()
  await fill(server)
  expect(await valueWith(server, {})).toMatch(/does not support 'tls'/)
})

test.skipIf(needsNats)('user, token and key open a server, and a wrong password is told', async () => {
  const url = (server: NatsServer): object => ({ url: `nats://127.0.0.1:${server.port}` })
  const byUser = await startJetStream('authorization { user: u, password: "p@ss" }')
  await fill(byUser, { user: 'u', pass: 'p@ss' })
  expect(await valueWith(byUser, { ...url(byUser), user: 'u', password: 'p@ss' })).toBe('1')
  expect(await valueWith(byUser, { url: `nats://u:p%40ss@127.0.0.1:${byUser.port}` })).toBe('1')
  const refused = await valueWith(byUser, { ...url(byUser), user: 'u', password: 'hunter22' })
  expect(refused).toMatch(/nats connection error: context "CCM": 127\.0\.0\.1:\d+: authorization violation/)
  expect(refused).not.toContain('hunter22')
  const byToken = await startJetStream('authorization { token: "t0ken" }')
  await fill(byToken, { token: 't0ken' })
  expect(await valueWith(byToken, { ...url(byToken), token: 't0ken' })).toBe('1')
  const pair = nkeys.createUser()
  const byKey = await startJetStream(`authorization { users = [ { nkey: ${pair.getPublicKey()} } ] }`)
  const seed = join(temporaryDirectory(), 'user.nk')
  writeFileSync(seed, `${new TextDecoder().decode(pair.getSeed())}\n`)
  await fill(byKey, { authenticator: nkeyAuthenticator(pair.getSeed()) })
  expect(await valueWith(byKey, { ...url(byKey), nkey: seed })).toBe('1')
})

test.skipIf(needsNats)('the first server that answers is taken', async () => {
  const [away, server] = [await startJetStream(), await startJetStream()]
  await fill(server)
  await away.kill()
  expect(await valueWith(server, { url: `127.0.0.1:${away.port},127.0.0.1:${server.port}` })).toBe('1')
})
