import { known } from '../../src/model/observation.ts'
import type { NetworkInterface } from '../../src/subjects/network/interfaces.ts'
import type { Process } from '../../src/subjects/processes/processes.ts'
import type { ListeningSocket } from '../../src/subjects/sockets/sockets.ts'

/** A process of sshd; what is said is otherwise. */
export function processOf(said: Partial<Process> = {}): Process {
  return {
    pid: 700,
    parentPid: 1,
    isKernelThread: false,
    command: 'sshd',
    arguments: ['sshd:', '/usr/sbin/sshd', '-D'],
    executable: known({ path: '/usr/sbin/sshd', isDeleted: false }),
    realUid: 0,
    effectiveUid: 0,
    unit: known('ssh.service'),
    startTicks: 4711,
    ...said,
  }
}

/** A socket of TCP that listens for sshd; what is said is otherwise. */
export function socketOf(said: Partial<ListeningSocket> = {}): ListeningSocket {
  const family = said.address?.includes(':') === true ? 6 : 4
  const takesIpv4 = family === 4 ? 'yes' : said.address === '::' ? 'unknown' : 'no'
  return { protocol: 'tcp', family, address: '0.0.0.0', port: 22, takesIpv4, uid: 0, inode: 99, ...said }
}

/** An interface of Ethernet; what is said is otherwise. */
export function interfaceOf(said: Partial<NetworkInterface> = {}): NetworkInterface {
  return {
    name: 'eth0',
    isUp: true,
    mtu: 1500,
    kind: 'other',
    addresses: known(['10.0.0.5/24', 'fe80::1/64']),
    ...said,
  }
}
