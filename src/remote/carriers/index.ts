import type { RemoteSpec } from '../spec.ts'
import type { Carrier } from './carrier.ts'
import { containerCarrier } from './container.ts'
import { machineCarrier } from './machine.ts'
import { podCarrier } from './pod.ts'
import { sshCarrier } from './ssh.ts'

export function carrierOf(spec: RemoteSpec): Carrier {
  switch (spec.kind) {
    case 'ssh':
      return sshCarrier(spec)
    case 'container':
      return containerCarrier(spec)
    case 'pod':
      return podCarrier(spec)
    case 'machine':
      return machineCarrier(spec.name)
  }
}
