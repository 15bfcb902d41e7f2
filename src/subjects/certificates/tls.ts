import type { Reading } from '../../model/observation.ts'

export interface TlsPeer {
  readonly host: string
  readonly port: number
  /** Server name indication (SNI). */
  readonly serverName: string
  readonly timeoutMs: number
}

export interface TlsPeers {
  /** Certificates that a server sends, in DER, its own first. They are not verified. */
  certificates(peer: TlsPeer, signal: AbortSignal): Promise<Reading<readonly Uint8Array[]>>
}
