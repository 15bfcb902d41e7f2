import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryDirectory } from './temporary.ts'
import { issueCertificate } from './x509.ts'

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/** A web server on the loopback interface that ends with the test. */
export interface WebServer {
  readonly port: number
  /** `http://127.0.0.1:<port>` or its https counterpart. */
  readonly origin: string
  readonly asked: readonly Asked[]
}

/** The files of a certificate: an authority's own, or one it has signed. */
export interface Certificate {
  readonly key: string
  readonly certificate: string
}

/** Serves with a handler, over TLS where there is a certificate. */
export async function serve(handler: RequestListener, certificate?: Certificate): Promise<WebServer> {
  const asked: Asked[] = []
  const listener: RequestListener = (request, response) => {
    asked.push(describe(request))
    handler(request, response)
  }
  const server =
    certificate === undefined
      ? createServer(listener)
      : createSecureServer(
          { key: readFileSync(certificate.key), cert: readFileSync(certificate.certificate) },
          listener,
        )
  const port = await listen(server)
  return { port, asked, origin: `${certificate === undefined ? 'http' : 'https'}://127.0.0.1:${port}` }
}

/** A proxy that passes every request, and every tunnel, on to the port of a server, for any requested host. */
export async function serveProxy(target: WebServer): Promise<WebServer> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    asked.push(describe(request))
    const socket = connect(target.port, '127.0.0.1')
    const { pathname, search } = new URL(request.url ?? '')
    socket.write(
      `GET ${pathname}${search} HTTP/1.1\r\nhost: ${request.headers.host ?? ''}\r\nconnection: close\r\n\r\n`,
    )
    response.detachSocket(request.socket)
    socket.pipe(request.socket)
  })
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    asked.push(describe(request))
    const socket = connect(target.port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(client).pipe(socket)
    })
    for (const end of [socket, client]) end.on('error', () => socket.destroy())
  })
  const port = await listen(server)
  return { port, asked, origin: `http://127.0.0.1:${port}` }
}

/** Makes a certificate authority and a certificate for 127.0.0.1 and the given host. */
export function makeCertificates(host: string): { readonly authority: Certificate; readonly server: Certificate } {
  const directory = temporaryDirectory()
  const files = (name: string): Certificate => ({
    key: join(directory, `${name}.key`),
    certificate: join(directory, `${name}.crt`),
  })
  const authority = files('authority')
  const server = files('server')
  // Two authorities of one name could not be told apart.
  const signer = issueCertificate({ name: `authority of ${directory}`, isAuthority: true })
  const issued = issueCertificate({ name: 'test server', hosts: ['127.0.0.1', host], isAuthority: false }, signer)
  for (const [paths, pem] of [
    [authority, signer],
    [server, issued],
  ] as const) {
    writeFileSync(paths.certificate, pem.certificate)
    writeFileSync(paths.key, pem.privateKey, { mode: 0o600 })
  }
  return { authority, server }
}

/** The words with which `fleet init` takes certificates that were made already, and needs no openssl. */
export function ownCertificates(host: string): readonly string[] {
  const { authority, server } = makeCertificates(host)
  return ['--tls-cert', server.certificate, '--tls-key', server.key, '--tls-ca', authority.certificate]
}

function describe({ method = '', url = '', headers }: IncomingMessage): Asked {
  return { method, url, headers }
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
