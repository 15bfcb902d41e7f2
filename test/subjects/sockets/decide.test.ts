import { BlockList } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { known, type Reading, type Unknown } from '../../../src/model/observation.ts'
import { acceptsAddresses } from '../../../src/subjects/sockets/addresses.ts'
import { decidePort } from '../../../src/subjects/sockets/decide.ts'
import { parseAllowed, parsePortName } from '../../../src/subjects/sockets/name.ts'
import { formatIp } from '../../../src/model/ip-address.ts'
import type { Process } from '../../../src/subjects/processes/processes.ts'
import type { ListeningSocket } from '../../../src/subjects/sockets/sockets.ts'
import { processOf, socketOf } from '../../support/running.ts'
import { testDecisionCases } from '../decision-cases.ts'

interface Said extends Partial<ListeningSocket> {
  readonly owner?:
    { readonly processes?: readonly Partial<Process>[]; readonly units?: Reading<readonly string[]> } | Unknown
}

function ownerOf(said: Said['owner'] = {}) {
  if ('kind' in said) return said
  const { processes = [{}], units = known(['ssh.service']) } = said
  return known({ processes: processes.map((each) => processOf(each)), units })
}

/** What a case does not say of a socket is that of sshd at 0.0.0.0:22. */
testDecisionCases('sockets', {
  wanted: ['name', 'ensure', 'addresses', 'process', 'user', 'unit', 'only', 'if_absent'],
  observed: ['sockets', 'undecided'],
  decide(wanted, observed) {
    const { sockets, undecided } = observed as { sockets?: readonly Said[]; undecided?: Unknown }
    const seen = (sockets ?? []).map(({ owner, ...socket }) => ({ ...socketOf(socket), owner: ownerOf(owner) }))
    const users = new Map([
      [0, 'root'],
      [33, 'www-data'],
    ])
    const state = undecided === undefined ? { sockets: seen, users } : { sockets: seen, users, undecided }
    return decidePort(
      { name: 'tcp:22', ensure: 'listening', if_absent: 'drift', ...wanted },
      sockets === undefined ? { kind: 'absent', context: undefined } : { kind: 'present', state, context: undefined },
    )
  },
})

const ANY = { address: '0.0.0.0' }
const LOOP = { address: '127.0.0.53' }
const LOOP6 = { address: '::1' }
const MAPPED = { address: '::ffff:127.0.0.1', takesIpv4: 'yes' } as const
const LAN = { address: '10.0.0.5' }
const ANY6 = { address: '::' }
const ONLY6 = { address: '::', takesIpv4: 'no' } as const

// All addresses at which a socket can be reached have to be accepted; a filter asks for one of them.
test.each([
  ['loopback', LOOP, true, true],
  ['loopback', LOOP6, true, true],
  ['loopback', MAPPED, true, true],
  ['loopback', LAN, false, false],
  ['loopback', ANY, false, true],
  ['loopback', ANY6, false, true],
  [{ not: 'loopback' }, ANY, false, true],
  [{ not: 'loopback' }, ANY6, false, true],
  [{ not: 'loopback' }, LOOP, false, false],
  [{ not: 'loopback' }, MAPPED, false, false],
  [{ not: 'loopback' }, LAN, true, true],
  ['10.0.0.0/8', LAN, true, true],
  ['10.0.0.0/8', ANY, false, true],
  ['10.0.0.0/8', ANY6, false, true],
  ['10.0.0.0/8', ONLY6, false, false],
  ['0.0.0.0/0', ANY, true, true],
  ['0.0.0.0/0', ANY6, false, true],
  [{ one_of: ['0.0.0.0/0', '::/0'] }, ANY6, true, true],
  [{ one_of: ['loopback', '10.0.0.0/24'] }, LAN, true, true],
  ['0.0.0.0', ANY, true, true],
  ['0.0.0.0', ANY6, false, false],
  ['::', ANY6, true, true],
  ['::', ANY, false, false],
  [{ none_of: ['0.0.0.0', '::'] }, ANY, false, false],
  [{ none_of: ['0.0.0.0', '::'] }, ANY6, false, false],
  [{ none_of: ['0.0.0.0', '::'] }, LAN, true, true],
  [{ none_of: ['10.0.0.5'] }, ANY, false, true],
  [{ matches: '10[.].*' }, LAN, true, true],
  [{ matches: '10[.].*' }, ANY, false, false],
  [{ not_matches: 'fe80:.*' }, LAN, true, true],
  [{ is: '10.0.0.5', not: 'loopback' }, LAN, true, true],
  ['0.0.0.0', { address: '::ffff:0.0.0.0', takesIpv4: 'yes' }, true, true],
] as const)('addresses %j, listening at %j: all of them %s, some of them %s', (wanted, said, all, some) => {
  expect(acceptsAddresses(wanted, socketOf(said), 'all')).toBe(all)
  expect(acceptsAddresses(wanted, socketOf(said), 'some')).toBe(some)
})

test('an address is in a network as net.BlockList has it', () => {
  const bytes = fc.uint8Array({ minLength: 4, maxLength: 4, max: 3 })
  fc.assert(
    fc.property(bytes, bytes, fc.nat(32), (own, network, prefix) => {
      // What begins with 0 is all addresses, or none that a socket can have.
      const [address, outer] = [formatIp(own.with(0, 10)), formatIp(network.with(0, 10))]
      const list = new BlockList()
      list.addSubnet(outer, prefix)
      const isIn = list.check(address)
      const socket = socketOf({ address })
      expect(acceptsAddresses(`${outer}/${prefix}`, socket, 'all')).toBe(isIn)
      expect(acceptsAddresses({ not: `${outer}/${prefix}` }, socket, 'all')).toBe(!isIn)
    }),
  )
})

test.each([
  ['22', { protocol: 'tcp', family: undefined, port: 22 }],
  ['tcp:22', { protocol: 'tcp', family: undefined, port: 22 }],
  ['tcp6:22', { protocol: 'tcp', family: 6, port: 22 }],
  ['udp4:123', { protocol: 'udp', family: 4, port: 123 }],
  ['udp:*', { protocol: 'udp', family: undefined, port: undefined }],
  ['*', { protocol: undefined, family: undefined, port: undefined }],
  ['0', undefined],
  ['tcp:65536', undefined],
  ['TCP:22', undefined],
  ['tcp5:22', undefined],
  ['icmp:1', undefined],
  ['tcp:22-23', undefined],
  ['', undefined],
])('the name %j', (name, parsed) => expect(parsePortName(name)).toEqual(parsed))

test.each([
  ['22', { protocol: 'tcp', first: 22, last: 22 }],
  ['udp:60000-61000', { protocol: 'udp', first: 60_000, last: 61_000 }],
  ['udp:5-4', undefined],
  ['tcp6:22', undefined],
  ['*', undefined],
  ['tcp:1-65536', undefined],
])('the parsed allowed ports: %j', (text, parsed) => expect(parseAllowed(text)).toEqual(parsed))
