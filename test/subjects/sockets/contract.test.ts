import { expect, test } from 'vitest'
import { known, unknown } from '../../../src/model/observation.ts'
import { observePort, port } from '../../../src/subjects/sockets/index.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import type { ListeningSocket } from '../../../src/subjects/sockets/sockets.ts'
import { auditResource, type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { processOf, socketOf } from '../../support/running.ts'
import { EMPTY_MACHINE } from '../../support/target.ts'
import { opening, reading } from '../../support/opening.ts'
import { SOCKETS } from '../../../src/subjects/sockets/subject.ts'

const LISTENING: readonly ListeningSocket[] = [
  socketOf(),
  socketOf({ address: '::', takesIpv4: 'no' }),
  socketOf({ port: 25, address: '127.0.0.1' }),
  socketOf({ port: 80, address: '::' }),
  socketOf({ protocol: 'udp', port: 53, address: '127.0.0.53' }),
  socketOf({ protocol: 'udp', port: 68, address: '10.0.0.5' }),
]

const sockets = {
  listening: () => known(LISTENING),
  owner: async () => known({ processes: [processOf()], units: known(['ssh.service']) }),
}

function scene(state: ContractScene['state'], properties: Readonly<Record<string, unknown>>): ContractScene {
  const target = () => ({ ...createLocalTarget(), open: opening(createLocalTarget(), reading(SOCKETS, sockets)) })
  return { title: JSON.stringify(properties), state, arrange: () => properties, target }
}

const scenes: readonly ContractScene[] = [
  scene('compliant', { name: 'tcp:22', process: 'sshd', user: 'root', unit: 'ssh.service' }),
  scene('compliant', { name: 'tcp:25', addresses: 'loopback' }),
  scene('compliant', { name: '465', addresses: 'loopback', if_absent: 'compliant' }),
  scene('compliant', { name: '23', ensure: 'closed' }),
  scene('compliant', { name: '*', only: ['tcp:22', '80', 'udp:68'] }),
  scene('unfixable', { name: '*', only: ['tcp:22'] }),
  scene('unfixable', { name: '80', ensure: 'closed' }),
  scene('unfixable', { name: '80', addresses: 'loopback' }),
  scene('unfixable', { name: '443' }),
]

for (const { name, run } of contractTests(port, { scenes })) test(name, run)

const machine = {
  ...EMPTY_MACHINE,
  open: opening(EMPTY_MACHINE, reading(SOCKETS, sockets)),
  names: { ...EMPTY_MACHINE.names, userName: (uid: number) => (uid === 0 ? 'root' : undefined) },
}

async function portsOf(name: string, where?: string): Promise<unknown> {
  const seen = await observePort(machine, { name, where_address: where })
  return seen.kind === 'present'
    ? seen.state.sockets.map(({ port: number, family }) => `${number}/${family}`)
    : seen.kind
}

test.each([
  ['tcp:22', ['22/4', '22/6']],
  ['tcp4:22', ['22/4']],
  ['tcp6:22', ['22/6']],
  ['tcp:53', 'absent'],
  ['udp:53', ['53/4']],
  ['tcp6:25', 'absent'],
  ['*', ['22/4', '22/6', '80/6', '68/4']],
  ['udp:*', ['68/4']],
  // Whether the one at :: takes IPv4 is not shown.
  ['tcp4:80', 'unknown'],
  ['tcp4:*', ['22/4']],
])('%s means %j', async (name, expected) => expect(await portsOf(name)).toEqual(expected))

test('a filter takes those that can be reached there, among others', async () => {
  expect(await portsOf('*', 'loopback')).toEqual(['22/4', '22/6', '25/4', '80/6', '53/4'])
  expect(await portsOf('udp:53', '10.0.0.0/8')).toBe('absent')
})

test.each([
  [{ name: 'tcp:22', only: ['22'] }, /"only" requires the name \*/],
  [{ name: '*', only: ['tcp6:22'] }, /"tcp6:22", which is neither a port/],
  [{ name: '*' }, /all ports need a requirement/],
  [{ name: 'ssh' }, /must be a port such as tcp:22/],
  [{ name: '22', ensure: 'closed', user: 'root' }, /cannot be combined with "user"/],
  [{ name: '22', addresses: 'public' }, /"public", which is neither an address/],
  [{ name: '22', where_address: { one_of: ['10.0.0.0/33'] } }, /where_address contains "10.0.0.0\/33"/],
])('%j is refused', async (properties, message) => {
  const { verdict, message: said } = await auditResource(port, properties, { target: machine })
  expect({ verdict, said }).toEqual({ verdict: 'error', said: expect.stringMatching(message) })
})

test('tables that cannot be read are no closed port', async () => {
  const denied = unknown('permission-denied', '/proc/net/tcp: permission denied')
  const target = { ...machine, open: opening(machine, reading(SOCKETS, { ...sockets, listening: () => denied })) }
  expect(await observePort(target, { name: '23' })).toEqual(denied)
})
