import { type ClientRequest, type IncomingMessage, request as requestHttp, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls'
import { trustedAuthorities } from './authorities.ts'
import { HttpError, showUrl } from './http-error.ts'
import { chooseProxy, type Environment } from './proxy.ts'

/** A request, GET by default. Header names are in lower case. */
export interface Sent {
  readonly url: URL
  readonly method?: string
  /** The body; may be empty. */
  readonly body?: string
  /** The request target, instead of path and query of the URL. */
  readonly path?: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly environment: Environment
  /** Overrides the proxy of the environment. */
  readonly proxy?: URL
  readonly tls?: Trust | undefined
  /** Aborting it ends the request and the reading of its response. */
  readonly signal: AbortSignal
}

/** The trust of a connection; without a context, that of the system. */
interface Trust {
  readonly secureContext: SecureContext | undefined
  readonly rejectUnauthorized: boolean
}

/**
 * Sends one request, through the proxy of the environment if there is one, and resolves to the response before its body
 * is read.
 */
export async function sendRequest(sent: Sent): Promise<IncomingMessage> {
  const { url, method = 'GET', body = '', headers: said, environment, signal, tls } = sent
  const proxy = sent.proxy ?? chooseProxy(url, environment)
  const path = sent.path ?? `${url.pathname}${url.search}`
  const headers = body === '' ? said : { ...said, 'content-length': `${Buffer.byteLength(body)}` }
  const shared = { method, headers, signal, environment, tls } as const
  // Each request has its own connection, so that none stays open and Node does not read the environment.
  if (proxy === undefined) return answer(start(url, { ...shared, agent: false, path }), body)
  if (url.protocol === 'http:') {
    const options = {
      ...shared,
      agent: false as const,
      path: `${url.protocol}//${url.host}${path}`,
      headers: { ...proxyHeaders(proxy, url), ...headers },
    }
    return answer(start(proxy, options), body)
  }
  const tunnel = await openTunnel(proxy, { url, environment, signal })
  // An agent would open its own connection.
  return answer(start(url, { ...shared, path, createConnection: () => secure(tunnel, url, sent) }), body)
}

/** Starts a request; the caller must end it with its body. */
function start(
  server: URL,
  { environment, tls, ...options }: RequestOptions & Pick<Sent, 'environment' | 'tls'>,
): ClientRequest {
  const shared = { host: bareHost(server), port: server.port, ...options }
  if (server.protocol === 'http:') return requestHttp(shared)
  return requestHttps({ ...shared, servername: serverName(server), ...trust({ environment, tls }) })
}

function trust({ environment, tls }: Pick<Sent, 'environment' | 'tls'>): {
  secureContext?: SecureContext
  rejectUnauthorized?: boolean
} {
  const secureContext = tls?.secureContext ?? trustedAuthorities(environment)
  return {
    ...(secureContext === undefined ? {} : { secureContext }),
    ...(tls === undefined ? {} : { rejectUnauthorized: tls.rejectUnauthorized }),
  }
}

function answer(request: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    // Errors after the head of the response are errors of its body.
    request.on('error', reject)
    // As a buffer: Node would encode text together with the headers, in their encoding.
    request.end(body === '' ? undefined : Buffer.from(body))
  })
}

function openTunnel(proxy: URL, { url, environment, signal }: Omit<Sent, 'headers'>): Promise<Socket> {
  const path = `${url.hostname}:${url.port === '' ? '443' : url.port}`
  const headers = { ...proxyHeaders(proxy, url), host: path }
  const request = start(proxy, { agent: false, method: 'CONNECT', path, headers, signal, environment })
  return new Promise((resolve, reject) => {
    request.once('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode === 200) {
        resolve(socket)
        return
      }
      socket.destroy()
      const message = `the proxy ${showUrl(proxy)} refused the connection with status ${statusCode}`
      reject(new HttpError(message, { isTransient: statusCode >= 500 }))
    })
    request.once('response', (response) => {
      response.destroy()
      reject(new HttpError(`the proxy ${showUrl(proxy)} refused the connection`))
    })
    request.on('error', reject)
    request.end()
  })
}

function secure(socket: Socket, url: URL, trusting: Pick<Sent, 'environment' | 'tls'>): TLSSocket {
  return connectTls({
    socket,
    host: bareHost(url),
    servername: serverName(url),
    ALPNProtocols: ['http/1.1'],
    ...trust(trusting),
  })
}

function proxyHeaders(proxy: URL, { host }: URL): Record<string, string> {
  if (proxy.username === '') return { host }
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  return { host, 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

/** An address must not be sent as a server name. @see RFC 6066, section 3 */
function serverName(url: URL): string {
  const host = bareHost(url)
  return isIP(host) === 0 ? host : ''
}
