import { closeSync, fstatSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { defined } from '../../model/defined.ts'
import { openRegularFile, readWhole } from '../live/read-whole.ts'
import { provesAbsence } from '../live/system-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Connection settings from a context file of the `nats` command. */
export interface NatsContext {
  readonly name: string
  /** `host:port` each, in the order of attempts. */
  readonly servers: readonly string[]
  readonly user?: string
  readonly password?: string
  readonly token?: string
  /** The content of a credentials file: a JWT and the seed of its key. */
  readonly creds?: Uint8Array
  /** The seed of an nkey. */
  readonly nkey?: Uint8Array
  readonly tls: NatsTls
  readonly inboxPrefix?: string
  /** Prefix of the JetStream API in the account; `$JS.API` if undefined. */
  readonly apiPrefix?: string
}

export interface NatsTls {
  /** Whether a server without TLS is rejected. */
  readonly isRequired: boolean
  /** Whether the TLS handshake precedes the server's INFO. */
  readonly isFirst: boolean
  readonly cert?: string
  readonly key?: string
  readonly ca?: string
}

const LARGEST_FILE_BYTES = 1024 * 1024

const DEFAULT_NAME = 'CCM'

const TEXTS = ['url', 'user', 'password', 'creds', 'nkey', 'token', 'cert', 'key', 'ca', 'inbox_prefix'] as const

type Texts = Readonly<Partial<Record<(typeof TEXTS)[number], string>>>

/** Members with unsupported features, and advice. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  nsc: 'it runs a program to obtain credentials: set their file in "creds"',
  socks_proxy: 'connections through a SOCKS proxy are not supported',
  user_jwt: 'a JWT alone is not supported: set a file with it and its key in "creds"',
  windows_cert_store: 'Windows certificate stores are not supported',
}

/**
 * Reads the context with this name or at this absolute path; by default the one in NATS_CONTEXT, otherwise `CCM`. A
 * file that other users can change is rejected, since they could redirect the connection.
 */
export function readContext(named: string | undefined, env: Environment): NatsContext | { readonly message: string } {
  const name = named ?? nonEmpty(env['NATS_CONTEXT']) ?? DEFAULT_NAME
  try {
    const members = readMembers(pathOf(name, env), name)
    const texts = textsOf(members)
    for (const [member, reason] of Object.entries(UNSUPPORTED)) {
      if (isSet(members[member])) throw new Error(`"${member}" is not supported: ${reason}`)
    }
    return contextOf(name, texts, { isFirst: members['tls_first'] === true, env })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return {
      message: `nats connection error: ${error instanceof UnknownContext ? '' : `context "${name}": `}${reason}`,
    }
  }
}

class UnknownContext extends Error {}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && value !== false
}

function pathOf(name: string, env: Environment): string {
  if (isAbsolute(name)) return name
  if (!/^[^/\\]+$/.test(name) || name === '..') throw new Error('a context is a name or an absolute path')
  const home = nonEmpty(env['XDG_CONFIG_HOME']) ?? join(homeOf(env), '.config')
  return join(home, 'nats', 'context', `${name}.json`)
}

function homeOf(env: Environment): string {
  return nonEmpty(env['HOME']) ?? homedir()
}

function readMembers(path: string, name: string): Readonly<Record<string, unknown>> {
  let text: string
  try {
    checkWriters(path)
    text = readWhole(path, LARGEST_FILE_BYTES).toString('utf8')
  } catch (error) {
    if (!provesAbsence(error)) throw error
    throw new UnknownContext(
      `unknown context "${name}": ${path} does not exist; create it with "nats context add", or select another one with --context or NATS_CONTEXT`,
    )
  }
  const parsed: unknown = parseJson(text, path)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error(`${path} does not contain an object`)
  return { ...parsed }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The message of JSON.parse quotes the text, which contains passwords.
    throw new Error(`${path} is not JSON`)
  }
}

function checkWriters(path: string): void {
  const descriptor = openRegularFile(path)
  try {
    if ((fstatSync(descriptor).mode & 0o022) !== 0) throw new Error(`other users can write to ${path}; run: chmod go-w`)
  } finally {
    closeSync(descriptor)
  }
}

function textsOf(members: Readonly<Record<string, unknown>>): Texts {
  const texts: Partial<Record<(typeof TEXTS)[number], string>> = {}
  for (const name of TEXTS) {
    const value = members[name]
    if (!isSet(value)) continue
    if (typeof value !== 'string') throw new Error(`"${name}" is not text`)
    texts[name] = value
  }
  return texts
}

interface Surroundings {
  readonly isFirst: boolean
  readonly env: Environment
}

function contextOf(name: string, texts: Texts, { isFirst, env }: Surroundings): NatsContext {
  const urls = (texts.url ?? 'nats://127.0.0.1:4222').split(',').map((url) => parseServer(url.trim()))
  const [first] = urls
  const file = (path: string): Buffer => readWhole(withHome(path, env), LARGEST_FILE_BYTES)
  const pem = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : file(path).toString('utf8')
  const isRequired = isFirst || urls.some(({ isTls }) => isTls) || isSet(texts.cert ?? texts.ca)
  if ((texts.cert === undefined) !== (texts.key === undefined)) throw new Error('"cert" and "key" must be set together')
  return {
    name,
    servers: urls.map(({ server }) => server),
    ...login(texts, { env, file, address: first?.login ?? {} }),
    tls: { isRequired, isFirst, ...defined({ cert: pem(texts.cert), key: pem(texts.key), ca: pem(texts.ca) }) },
    ...defined({ token: texts.token ?? first?.login.token, inboxPrefix: texts.inbox_prefix }),
  }
}

interface LoginSources {
  readonly env: Environment
  readonly file: (path: string) => Buffer
  /** The login in the first address. */
  readonly address: Server['login']
}

/** The first of user with password, credentials and nkey; otherwise the login in an address. */
function login(texts: Texts, { env, file, address }: LoginSources): Partial<NatsContext> {
  if (texts.user !== undefined) return { user: texts.user, password: texts.password ?? '' }
  if (texts.creds !== undefined) return { creds: file(withVariables(texts.creds, env)) }
  if (texts.nkey !== undefined) return { nkey: seedIn(file(texts.nkey), texts.nkey) }
  return address.user === undefined ? {} : { user: address.user, password: address.password ?? '' }
}

function seedIn(content: Buffer, path: string): Uint8Array {
  const seed = /\bSU[A-Z2-7]{56}\b/.exec(content.toString('latin1'))?.[0]
  if (seed === undefined) throw new Error(`${path} does not contain a user seed`)
  return Buffer.from(seed)
}

interface Server {
  readonly server: string
  readonly isTls: boolean
  readonly login: { readonly user?: string; readonly password?: string; readonly token?: string }
}

function parseServer(url: string): Server {
  const full = url.includes('://') ? url : `nats://${url}`
  if (!URL.canParse(full)) throw new Error('"url" is not a valid address')
  const { protocol, hostname, port, username, password } = new URL(full)
  if (protocol !== 'nats:' && protocol !== 'tls:') {
    throw new Error(`${protocol}// addresses are not supported: write nats:// or tls://`)
  }
  const user = decodeURIComponent(username)
  const isToken = user !== '' && password === ''
  return {
    server: `${hostname}:${port === '' ? '4222' : port}`,
    isTls: protocol === 'tls:',
    login: user === '' ? {} : isToken ? { token: user } : { user, password: decodeURIComponent(password) },
  }
}

function withHome(path: string, env: Environment): string {
  return path === '~' || path.startsWith('~/') ? join(homeOf(env), path.slice(1)) : path
}

/** Go's `os.ExpandEnv`: an unset variable is empty. */
function withVariables(path: string, env: Environment): string {
  return path.replaceAll(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (_all, braced?: string, plain?: string) => env[braced ?? plain ?? ''] ?? '',
  )
}
