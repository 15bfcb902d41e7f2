/** A service of a host, as an entry in CCM's registry. */
export interface Registration {
  readonly cluster: string
  readonly service: string
  readonly protocol: string
  readonly address: string
  /** Undefined for a service without a port. */
  readonly port?: number
  /** From 1 to 255; lower is preferred. */
  readonly priority: number
  readonly annotations: Readonly<Record<string, string>>
  /** Lifetime of the entry: a duration in Go's format, or `never`; undefined means the default of the registry. */
  readonly ttl?: string
}

/** A filter of registrations; `*` and the empty text match any value. */
export interface RegistrationQuery {
  readonly cluster: string
  readonly protocol: string
  readonly service: string
  readonly ip: string
}

/** Prefix of all subjects of the registry. */
export const REGISTRATION_PREFIX = 'choria.ccm.registration.v1'

export const REGISTRATION_STREAM = 'REGISTRATION'

/** Valid names of clusters, services and protocols. */
export const REGISTERED_NAME = /^[a-zA-Z][a-zA-Z\d_-]*$/

/** The subject of an entry; its last word is a digest of the identity of the entry. @see CCM's `registration/subject.go` */
export function registrationSubject(entry: Registration): string {
  const { cluster, protocol, service } = entry
  return [REGISTRATION_PREFIX, cluster, protocol, service, subjectWord(entry.address), instanceOf(entry)].join('.')
}

function subjectWord(address: string): string {
  return address.replaceAll('.', '_')
}

const FNV_OFFSET = 0xcb_f2_9c_e4_84_22_23_25n
const FNV_PRIME = 0x1_00_00_00_01_b3n

/** 64-bit FNV-1a of cluster, service, protocol, address and port, concatenated without separators. */
function instanceOf({ cluster, service, protocol, address, port }: Registration): string {
  // Go's output for a nil port.
  const text = `${cluster}${service}${protocol}${address}${port ?? '%!d(<nil>)'}`
  const hash = new TextEncoder()
    .encode(text)
    .reduce((sum, byte) => BigInt.asUintN(64, (sum ^ BigInt(byte)) * FNV_PRIME), FNV_OFFSET)
  return hash.toString(16).padStart(16, '0')
}

/** The problem of a query that cannot match any entry, because a word is invalid. */
export function queryProblem(query: RegistrationQuery): string | undefined {
  for (const [name, text] of Object.entries(query)) {
    const isAny = text === '' || text === '*'
    if (!isAny && name !== 'ip' && !REGISTERED_NAME.test(text))
      return `${name} ${JSON.stringify(text)} is not a valid name`
    if (!isAny && /[\s*>]/.test(text)) return `${name} ${JSON.stringify(text)} is not a valid address`
  }
  return undefined
}

/** Whether the subject of an entry matches a query. */
export function isAskedFor(subject: string, { cluster, protocol, service, ip }: RegistrationQuery): boolean {
  const words = subject.slice(REGISTRATION_PREFIX.length + 1).split('.')
  return [cluster, protocol, service, subjectWord(ip)].every(
    (wanted, at) => wanted === '' || wanted === '*' || wanted === words[at],
  )
}

/** The body of an entry as published. @see CCM's `model/registration.go` */
export function registrationBody({ annotations, ...entry }: Registration): string {
  const { cluster, service, protocol, address, port = null, priority, ttl } = entry
  const more = Object.keys(annotations).length === 0 ? {} : { annotations }
  return JSON.stringify({
    cluster,
    service,
    protocol,
    address,
    port,
    priority,
    ...more,
    ...(ttl === undefined ? {} : { ttl }),
  })
}

/** Parses the body of an entry from any writer; undefined if invalid. */
export function parseRegistration(body: string): Registration | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return undefined
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined
  const members = new Map<string, unknown>(Object.entries(parsed))
  const text = (name: string): string => asText(members.get(name))
  const [address, port, priority, ttl] = [
    text('address'),
    members.get('port'),
    members.get('priority'),
    members.get('ttl'),
  ]
  if (address === '') return undefined
  return {
    cluster: text('cluster'),
    service: text('service'),
    protocol: text('protocol'),
    address,
    ...(typeof port === 'number' ? { port } : {}),
    priority: typeof priority === 'number' ? priority : 0,
    annotations: annotationsIn(members.get('annotations')),
    ...ttlIn(ttl),
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function annotationsIn(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asText(each)]))
}

/** A duration is text; older versions of CCM write a number of nanoseconds. */
function ttlIn(value: unknown): Pick<Registration, 'ttl'> {
  if (typeof value === 'string' && value !== '') return { ttl: value }
  return typeof value === 'number' && value > 0 ? { ttl: `${value / 1e9}s` } : {}
}

/** Sort order of entries: by address as text, then by port. */
export function compareRegistrations(left: Registration, right: Registration): number {
  if (left.address !== right.address) return left.address < right.address ? -1 : 1
  return (left.port ?? 0) - (right.port ?? 0)
}
