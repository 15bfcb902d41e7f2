import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import { parseIp } from '../../../model/ip-address.ts'
import type { NameRequest, RecordType } from '../network.ts'
import { errorCode } from '../../../host/live/system-error.ts'
import { hostAddresses } from './host-addresses.ts'

const TRIES = 3

/** Codes for a missing name or missing records. All other codes are failures. */
const NOTHING: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA'])

/** Queries DNS, or resolves the addresses of a host on this machine. */
export async function resolveName(request: NameRequest): Promise<Reading<readonly string[]>> {
  const { name, type, server } = request
  if (type === undefined && server === undefined) {
    const addresses = await hostAddresses(name, request)
    return addresses.kind === 'unknown' ? addresses : known(addresses.value.toSorted())
  }
  const asked = type === 'PTR' ? reverseName(name) : name
  if (asked === undefined) return unknown('invalid', `${name} is not an address, so it has no PTR record`)
  const resolver = await openResolver(request)
  if (resolver.kind === 'unknown') return resolver
  if (type !== undefined) return ask(request, resolver.value, (it) => QUESTIONS[type](it, asked))
  const four = await ask(request, resolver.value, (it) => it.resolve4(asked))
  const six = four.kind === 'unknown' ? four : await ask(request, resolver.value, (it) => it.resolve6(asked))
  return four.kind === 'unknown' || six.kind === 'unknown' ? six : known([...four.value, ...six.value].toSorted())
}

async function openResolver(request: NameRequest): Promise<Reading<Resolver>> {
  const { server, timeoutMs } = request
  const resolver = new Resolver({ timeout: timeoutMs, tries: TRIES })
  if (server === undefined) return known(resolver)
  const [, name = server, port = '53'] = isIP(server) === 0 ? (/^\[?(.*?)\]?:(\d+)$/.exec(server) ?? []) : []
  const addresses = await hostAddresses(name, request)
  if (addresses.kind === 'unknown') return addresses
  const [address] = addresses.value
  if (address === undefined) return unknown('invalid', `the DNS server ${name} does not exist`)
  resolver.setServers([isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`])
  return known(resolver)
}

async function ask(
  { name, type, signal }: NameRequest,
  resolver: Resolver,
  question: (resolver: Resolver) => Promise<readonly string[]>,
): Promise<Reading<readonly string[]>> {
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return known((await question(resolver)).toSorted())
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    if (NOTHING.has(code)) return known([])
    const subject = type === undefined ? name : `${type} of ${name}`
    return unknown(code === 'ETIMEOUT' ? 'timeout' : 'not-observable', `${subject}: DNS lookup failed: ${code}`)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

type Question = (resolver: Resolver, name: string) => Promise<readonly string[]>

const QUESTIONS: Readonly<Record<RecordType, Question>> = {
  A: (resolver, name) => resolver.resolve4(name),
  AAAA: (resolver, name) => resolver.resolve6(name),
  CAA: async (resolver, name) => (await resolver.resolveCaa(name)).flatMap(formatCaa),
  CNAME: async (resolver, name) => (await resolver.resolveCname(name)).map(toAbsoluteName),
  MX: async (resolver, name) =>
    (await resolver.resolveMx(name)).map(({ priority, exchange }) => `${priority} ${toAbsoluteName(exchange)}`),
  NS: async (resolver, name) => (await resolver.resolveNs(name)).map(toAbsoluteName),
  PTR: async (resolver, name) => (await resolver.resolvePtr(name)).map(toAbsoluteName),
  SRV: async (resolver, name) =>
    (await resolver.resolveSrv(name)).map(
      ({ priority, weight, port, name: target }) => `${priority} ${weight} ${port} ${toAbsoluteName(target)}`,
    ),
  TXT: async (resolver, name) => (await resolver.resolveTxt(name)).flat(),
}

function toAbsoluteName(name: string): string {
  return name.endsWith('.') ? name : `${name}.`
}

/** Apart from the flag, and from Node 26 on its type, a record has one property, named after the tag. */
function formatCaa({
  critical,
  type: _type,
  ...tags
}: {
  readonly critical: number
  readonly type?: string
}): readonly string[] {
  return Object.entries(tags).map(([tag, value]) => `${critical} ${tag} ${String(value)}`)
}

/** Name for a reverse lookup. @see RFC 1035, section 3.5, and RFC 3596, section 2.5 */
function reverseName(address: string): string | undefined {
  const bytes = parseIp(address)
  if (bytes === undefined) return undefined
  if (bytes.length === 4) return `${[...bytes].toReversed().join('.')}.in-addr.arpa`
  const digits = [...bytes].flatMap((byte) => [byte >> 4, byte & 0xf].map((digit) => digit.toString(16)))
  return `${digits.toReversed().join('.')}.ip6.arpa`
}
