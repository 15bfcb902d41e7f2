import { type Acceptance, valuesNamed } from '../../model/acceptance.ts'
import { matchesWhole } from '../../resource-type/text-order.ts'
import { asIpv4, type IpNetwork, isAnyAddress, isWithin, parseIp, parseNetwork } from '../../model/ip-address.ts'
import type { ListeningSocket } from './sockets.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'

/** The addresses in a policy: an address, a network or `loopback`. */
export type DesiredAddress = string | Acceptance<string>

const LOOPBACK: readonly IpNetwork[] = [
  { bytes: Uint8Array.of(127, 0, 0, 0), prefix: 8 },
  { bytes: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), prefix: 128 },
]
const ALL_IPV4: IpNetwork = { bytes: new Uint8Array(4), prefix: 0 }
const ALL_IPV6: IpNetwork = { bytes: new Uint8Array(16), prefix: 0 }

/** The first value that is not an address; undefined if all are valid. Patterns are not checked. */
export function notAnAddress(wanted: DesiredAddress): string | undefined {
  return valuesNamed(acceptanceOf(wanted)).find((text) => text !== 'loopback' && parseNetwork(text) === undefined)
}

/**
 * Whether all addresses of a socket are accepted (`all`), or at least one (`some`). A socket at `0.0.0.0` or `::` has all
 * addresses; `::` includes IPv4 unless it is known not to. Both also match literally.
 */
export function acceptsAddresses(wanted: DesiredAddress, socket: ListeningSocket, how: 'all' | 'some'): boolean {
  const { is, not, one_of: oneOf, none_of: noneOf, matches, not_matches: notMatches } = acceptanceOf(wanted)
  const taken = networksTaken(socket)
  const covers = (texts: readonly string[]): boolean => isNamed(socket, texts) || isCovered(taken, networksOf(texts))
  const meets = (texts: readonly string[]): boolean => isNamed(socket, texts) || isTouched(taken, networksOf(texts))
  const [holds, fails] = how === 'all' ? [covers, meets] : [meets, covers]
  return (
    (is === undefined || holds([is])) &&
    (oneOf === undefined || holds(oneOf)) &&
    (not === undefined || !fails([not])) &&
    (noneOf === undefined || !fails(noneOf)) &&
    (matches === undefined || matchesWhole(socket.address, matches)) &&
    (notMatches === undefined || !matchesWhole(socket.address, notMatches))
  )
}

function networksTaken({ address, family, takesIpv4 }: ListeningSocket): readonly IpNetwork[] {
  const network = parseNetwork(address)
  if (network === undefined) throw new Error(`${address} is not an address`)
  if (!isAnyAddress(network.bytes)) return [network]
  if (family === 4 || network.bytes.length === ALL_IPV4.bytes.length) return [ALL_IPV4]
  return takesIpv4 === 'no' ? [ALL_IPV6] : [ALL_IPV6, ALL_IPV4]
}

/** The networks of the texts, without `0.0.0.0` and `::`. */
function networksOf(texts: readonly string[]): readonly IpNetwork[] {
  return texts.flatMap((text) => {
    if (text === 'loopback') return LOOPBACK
    const network = parseNetwork(text)
    return network === undefined || isAllAsWritten(text) ? [] : [network]
  })
}

function isAllAsWritten(text: string): boolean {
  const bytes = parseIp(text)
  return bytes !== undefined && isAnyAddress(bytes)
}

/** Whether one of the texts is the wildcard address of the socket. */
function isNamed({ address }: ListeningSocket, texts: readonly string[]): boolean {
  const own = versionOf(address)
  return isAllAsWritten(address) && texts.some((text) => isAllAsWritten(text) && versionOf(text) === own)
}

function versionOf(text: string): number | undefined {
  const bytes = parseIp(text)
  return bytes === undefined ? undefined : (asIpv4(bytes) ?? bytes).length
}

function isCovered(taken: readonly IpNetwork[], networks: readonly IpNetwork[]): boolean {
  return taken.every((each) => networks.some((network) => isWithin(each, network)))
}

function isTouched(taken: readonly IpNetwork[], networks: readonly IpNetwork[]): boolean {
  return taken.some((each) => networks.some((network) => isWithin(each, network) || isWithin(network, each)))
}
