import type { Reading } from '../../model/observation.ts'

/** What is asked for a certificate over TLS. */
export interface TlsPeer {
  readonly host: string
  readonly port: number
  /** What the client says it wants to reach. */
  readonly serverName: string
  readonly timeoutMs: number
}

/** What servers show of themselves. */
export interface TlsPeers {
  /** The certificates that a server sends, in DER, its own first. Nothing of them is checked. */
  certificates(peer: TlsPeer, signal: AbortSignal): Promise<Reading<readonly Uint8Array[]>>
}
