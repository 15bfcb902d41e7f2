import type { Reading } from '../../model/observation.ts'

/** A connection that is tried, and ended as soon as it stands. */
export interface DialRequest {
  readonly transport: 'tcp' | 'udp'
  /** A name or an address, without brackets. */
  readonly host: string
  readonly port: number
  /** The address of this machine that it starts from. */
  readonly localAddress?: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** The types of records that can be asked for. */
export const RECORD_TYPES = ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'PTR', 'SRV', 'TXT'] as const

/** One of `RECORD_TYPES`. */
export type RecordType = (typeof RECORD_TYPES)[number]

/** A question to the name system. */
export interface NameRequest {
  /** The name, or for `PTR` an address. */
  readonly name: string
  /** Without it the addresses that programs of this machine get: from its own files, too. */
  readonly type?: RecordType
  /** The server that is asked, `ADDRESS` or `ADDRESS:PORT`; those of the system where it is absent. */
  readonly server?: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** A request of HTTP, and how far its answer is followed. */
export interface WebRequest {
  readonly url: string
  readonly method: string
  /** By the names that the user gave them; sent to no other server than that of the URL. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly username?: string
  readonly password?: string
  readonly redirects: 'follow' | 'answer'
  readonly certificates: 'verify' | 'accept-any'
  /** Files in PEM: the authorities that are trusted in place of the system's, and a certificate of our own with its key. */
  readonly authoritiesFile?: string
  readonly certificateFile?: string
  readonly keyFile?: string
  /** In place of the one that the environment names. */
  readonly proxy?: string
  readonly timeoutMs: number
  /** How much of the body is read; none of it where this is 0. */
  readonly maxBodyBytes: number
  readonly signal: AbortSignal
}

/** What a server answered. */
export interface WebAnswer {
  readonly status: number
  /** Each header as it came, several of one name too; without those of a compression that was not asked for. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Unpacked. */
  readonly body: Reading<Uint8Array>
}

/** What is asked of others over the network. Nothing is kept. */
export interface Network {
  /**
   * Whether something takes connections there. False where it is proved that nothing does within the time: no such name, no
   * way, refused, or silent. Unknown where the name system fails, where we may not, and for UDP, where nothing answers.
   */
  dial(request: DialRequest): Promise<Reading<boolean>>
  /**
   * The records of a name, each as text as in a zone file and in the order of their characters; none where it is proved that
   * no record exists. Names in them end with a dot.
   */
  resolve(request: NameRequest): Promise<Reading<readonly string[]>>
  /** Every answer of a server is known; unknown is where none does. No message holds credentials. */
  request(request: WebRequest): Promise<Reading<WebAnswer>>
}
