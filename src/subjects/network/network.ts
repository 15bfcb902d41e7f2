import type { Reading } from '../../model/observation.ts'

/** Connection test; the connection is closed once established. */
export interface DialRequest {
  readonly transport: 'tcp' | 'udp'
  /** Name or address, without brackets. */
  readonly host: string
  readonly port: number
  readonly localAddress?: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export const RECORD_TYPES = ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'PTR', 'SRV', 'TXT'] as const

export type RecordType = (typeof RECORD_TYPES)[number]

export interface NameRequest {
  /** The name, or for `PTR` an address. */
  readonly name: string
  /** Without a type: the addresses that programs of this machine resolve, including the hosts file. */
  readonly type?: RecordType
  /** Server to query, `ADDRESS` or `ADDRESS:PORT`; the system's servers if absent. */
  readonly server?: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface WebRequest {
  readonly url: string
  readonly method: string
  /** With the names as written in the policy; sent only to the server of the URL. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly username?: string
  readonly password?: string
  readonly redirects: 'follow' | 'answer'
  readonly certificates: 'verify' | 'accept-any'
  /** PEM files: authorities that replace the system's, and a client certificate with its key. */
  readonly authoritiesFile?: string
  readonly certificateFile?: string
  readonly keyFile?: string
  /** Overrides the proxy of the environment. */
  readonly proxy?: string
  readonly timeoutMs: number
  /** Maximum size of the body to read; 0 reads no body. */
  readonly maxBodyBytes: number
  readonly signal: AbortSignal
}

/** HTTP response. */
export interface WebAnswer {
  readonly status: number
  /** All headers as received, including repeated ones; without those of transparent compression. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Decompressed. */
  readonly body: Reading<Uint8Array>
}

/** Network queries to other hosts. Results are not cached. */
export interface Network {
  /**
   * Whether a server accepts connections. False if that is disproved within the timeout: unknown name, no route, refused, or
   * silent. Unknown if DNS fails, permission is missing, and for UDP, which has no handshake.
   */
  dial(request: DialRequest): Promise<Reading<boolean>>
  /**
   * Records of a name in zone file format, sorted by characters; empty if it is proved that no record exists. Names in them end
   * with a dot.
   */
  resolve(request: NameRequest): Promise<Reading<readonly string[]>>
  /** Any response of a server is known; unknown if there is no response. No message contains credentials. */
  request(request: WebRequest): Promise<Reading<WebAnswer>>
}
