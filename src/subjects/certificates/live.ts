import { isIP } from 'node:net'
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { TlsPeer } from './tls.ts'

/** Certificates that a server sends. */
export function readCertificates(peer: TlsPeer, signal: AbortSignal): Promise<Reading<readonly Uint8Array[]>> {
  const { host, port, serverName, timeoutMs } = peer
  const at = `${host}:${port}`
  return new Promise((resolve) => {
    // The caller verifies the certificate, so that it can report what is wrong.
    const socket = connect({
      host,
      port,
      rejectUnauthorized: false,
      ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    })
    const end = (answer: Reading<readonly Uint8Array[]>): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', interrupt)
      socket.destroy()
      resolve(answer)
    }
    const interrupt = (): void => end(unknown('timeout', `${at}: the run was interrupted`))
    const timer = setTimeout(() => {
      end(unknown('timeout', `${at}: no certificate received within ${timeoutMs / 1000} seconds`))
    }, timeoutMs)
    if (signal.aborted) interrupt()
    signal.addEventListener('abort', interrupt, { once: true })
    socket.once('error', (error) => end(unknown('not-observable', `${at}: ${error.message}`)))
    socket.once('secureConnect', () => end(chainOf(socket, at)))
  })
}

function chainOf(socket: TLSSocket, at: string): Reading<readonly Uint8Array[]> {
  const chain: Uint8Array[] = []
  let each: Partial<DetailedPeerCertificate> | undefined = socket.getPeerCertificate(true)
  // A self-signed certificate is its own issuer.
  while (each?.raw !== undefined && chain.every((other) => !each?.raw?.equals(other))) {
    chain.push(each.raw)
    each = each.issuerCertificate
  }
  return chain.length > 0 ? known(chain) : unknown('not-observable', `${at} presents no certificate`)
}
