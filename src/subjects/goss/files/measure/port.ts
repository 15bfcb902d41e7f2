import { known, type Reading, unknown } from '../../../../model/observation.ts'
import type { ListeningSocket } from '../../../sockets/sockets.ts'
import type { Measured } from '../resource.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'
import { SOCKETS } from '../../../sockets/subject.ts'

/** Measures the listening sockets of a port: `22`, `tcp:22`, `tcp6:22`, `udp:53` or `udp6:53`. */
export function measurePort({ request: { id }, target }: MeasureContext): Reading<Attributes> {
  const [, protocol = 'tcp', six, digits] = /^(?:(tcp|udp)(6?):)?(\d{1,5})$/.exec(id) ?? []
  if (digits === undefined)
    return unknown('invalid', `${id} is not a port such as 22, tcp:22, tcp6:22, udp:53 or udp6:53`)
  const sockets = target.open(SOCKETS).listening(['tcp', 'udp'])
  if (sockets.kind === 'unknown') return sockets
  const atPort = sockets.value.filter((each) => each.protocol === protocol && each.port === Number(digits))
  const own = atPort.filter(({ family }) => family === (six === '6' ? 6 : 4))
  const listening = isListening(id, own, six === '6' ? [] : atPort)
  if (listening.kind === 'known' && listening.value === false) return known({ listening: () => listening })
  return known({ listening: () => listening, ip: () => known(own.map(({ address }) => address)) })
}

/** A dual-stack socket is only in the IPv6 table, but also accepts IPv4. */
function isListening(id: string, own: readonly ListeningSocket[], others: readonly ListeningSocket[]): Measured {
  if (own.length > 0 || others.some(({ takesIpv4 }) => takesIpv4 === 'yes')) return known(true)
  if (!others.some(({ takesIpv4 }) => takesIpv4 === 'unknown')) return known(false)
  const why =
    'an IPv6 socket listens on it, and it is unknown whether it also accepts IPv4; check the IPv6 port instead'
  return unknown('not-observable', `${id}: ${why}`)
}
