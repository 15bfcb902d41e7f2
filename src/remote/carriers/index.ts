import type { RemoteSpec } from '../spec.ts'
import type { Carrier } from './carrier.ts'
import { sshCarrier } from './ssh.ts'

/** The way to a place. */
export function carrierOf(spec: RemoteSpec): Carrier {
  return sshCarrier(spec)
}
