import { defined } from '../../../../model/defined.ts'
import { known, type Reading, unknown } from '../../../../model/observation.ts'
import { textOf, timeoutOf } from './given.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'
import { NETWORK } from '../../../network/subject.ts'

/** In milliseconds. */
const USUAL_TIMEOUT = 500

/** Measures whether an address accepts connections: `HOST:PORT`, `tcp://HOST:PORT` or `udp://HOST:PORT`. */
export function measureAddress({ request: { id, given }, target, signal }: MeasureContext): Reading<Attributes> {
  const [, transport = 'tcp', bracketed, plain, digits] =
    /^(?:(tcp|udp):\/\/)?(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(id) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  if (host === undefined || !(port <= 65_535)) {
    return unknown('invalid', `${id} is not an address such as example.com:443, tcp://[::1]:22 or udp://10.0.0.1:53`)
  }
  const localAddress = textOf(given, 'local-address')
  const timeoutMs = timeoutOf(given, USUAL_TIMEOUT)
  return known({
    reachable: () =>
      target.open(NETWORK).dial({
        transport: transport === 'udp' ? 'udp' : 'tcp',
        host,
        port,
        timeoutMs,
        signal,
        ...defined({ localAddress }),
      }),
  })
}
