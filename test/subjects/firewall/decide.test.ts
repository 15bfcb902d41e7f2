import { describe, expect, test } from 'vitest'
import { known, onlyRunning, unknown } from '../../../src/model/observation.ts'
import type { FirewallState } from '../../../src/subjects/firewall/compare.ts'
import { decideFirewall } from '../../../src/subjects/firewall/decide.ts'
import type { FirewallDesired, Listener } from '../../../src/subjects/firewall/wanted.ts'
import type { FirewallManager } from '../../../src/subjects/firewall/firewall.ts'
import type { AddressFamily } from '../../../src/subjects/firewall/rules/packets.ts'
import type { Chain } from '../../../src/subjects/firewall/rules/ruleset.ts'
import { parseIptablesSave } from '../../../src/subjects/firewall/rules/iptables-save.ts'
import { rulesetOf } from '../../../src/subjects/firewall/rules/whole.ts'

// 192.0.2.1 at eth0
const MACHINE = { interfaces: ['lo', 'eth0'], addresses: { ip: [0xc0000201n], ip6: [] } }

/** The rules of IPv4 that iptables-save prints of the table filter. */
function withRules(lines: string, more: Partial<FirewallState> = {}): FirewallState {
  const chains = parseIptablesSave(`*filter\n${lines}\nCOMMIT\n`, 'ip') ?? []
  const managers = { running: known([]), enabled: known([]) }
  const none = { stored: known({ tables: [], chains: [] }), listeners: known([]), kept: known([]) }
  return { scene: sceneOf(chains), managers, ...none, ...more }
}

function sceneOf(chains: readonly Chain[], families: readonly AddressFamily[] = ['ip']): FirewallState['scene'] {
  return known({ ruleset: { tables: ['ip filter'], chains }, machine: MACHINE, families })
}

function decided(wanted: Partial<FirewallDesired>, state: FirewallState) {
  const seen = { kind: 'present', state, context: undefined } as const
  const {
    drift,
    unknown: unseen,
    plan,
  } = decideFirewall({ name: 'input', family: 'both', stored: false, ...wanted }, seen)
  return {
    drift: drift.map(({ property, observed, path, note }) =>
      [property, observed, path, note].filter((each) => each !== undefined),
    ),
    unknown: unseen.map(({ property, reason, detail }) => [property, reason, detail]),
    plan: plan.kind,
  }
}

/** As libnftables-json(5) has it. */
const NAME = { meta: { key: 'iifname' } }

const RIGHT = { drift: [], unknown: [], plan: 'none' }
const wrong = (...drift: readonly (readonly string[])[]) => ({ drift, unknown: [], plan: 'refuse' })
const doubtful = (...seen: readonly (readonly string[])[]) => ({ drift: [], unknown: seen, plan: 'none' })

describe('what no rule accepts', () => {
  const rows: readonly (readonly [string, string, object])[] = [
    ['is dropped by a policy', ':INPUT DROP', RIGHT],
    [
      'is dropped by a last rule, whatever the policy',
      ':INPUT ACCEPT\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT\n-A INPUT -j REJECT',
      RIGHT,
    ],
    [
      'is dropped by a chain that the last rule jumps to',
      ':INPUT ACCEPT\n:end -\n-A INPUT -j end\n-A end -j DROP',
      RIGHT,
    ],
    ...['-m length --length 0:65535', '-m ttl --ttl-eq 64', '-m dscp --dscp 0x00'].map(
      (match): readonly [string, string, object] => [
        `is perhaps accepted, where a rule says ${match}`,
        `:INPUT DROP\n-A INPUT ${match} -j ACCEPT`,
        doubtful([
          'default',
          'not-observable',
          `ip: depends on a rule that driftgate cannot evaluate: ip filter INPUT: -A INPUT ${match} -j ACCEPT`,
        ]),
      ],
    ),
    [
      'is accepted by a policy',
      ':INPUT ACCEPT',
      wrong(['default', 'accept', 'ip', 'accepted at eth0 by policy accept of ip filter INPUT']),
    ],
    [
      'is accepted by a rule before the policy',
      ':INPUT DROP\n-A INPUT -j ACCEPT',
      wrong(['default', 'accept', 'ip', 'accepted at eth0 by ip filter INPUT: -A INPUT -j ACCEPT']),
    ],
    [
      'is accepted by a rule for most ports',
      ':INPUT DROP\n-A INPUT -p tcp -m tcp --dport 1024:65535 -j ACCEPT',
      wrong([
        'default',
        'accept',
        'ip',
        'accepted at eth0 by ip filter INPUT: -A INPUT -p tcp -m tcp --dport 1024:65535 -j ACCEPT',
      ]),
    ],
    [
      'is accepted by a rule for the interface',
      ':INPUT DROP\n-A INPUT -i eth+ -j ACCEPT',
      wrong(['default', 'accept', 'ip', 'accepted at eth0 by ip filter INPUT: -A INPUT -i eth+ -j ACCEPT']),
    ],
    [
      'is accepted by a rule for half of all addresses and another for the rest',
      ':INPUT DROP\n-A INPUT -s 0.0.0.0/1 -j ACCEPT\n-A INPUT -s 128.0.0.0/1 -j ACCEPT',
      wrong(['default', 'accept', 'ip', 'accepted at eth0 by ip filter INPUT: -A INPUT -s 0.0.0.0/1 -j ACCEPT']),
    ],
    ['is dropped although a network is accepted', ':INPUT DROP\n-A INPUT -s 10.0.0.0/8 -j ACCEPT', RIGHT],
    [
      'is accepted at the only address',
      ':INPUT DROP\n-A INPUT -d 192.0.2.1/32 -j ACCEPT',
      wrong(['default', 'accept', 'ip', 'accepted at eth0 by ip filter INPUT: -A INPUT -d 192.0.2.1/32 -j ACCEPT']),
    ],
    [
      'is nobody knows what behind a match that is not understood',
      ':INPUT DROP\n-A INPUT -m bpf --bytecode x -j ACCEPT',
      doubtful([
        'default',
        'not-observable',
        'ip: depends on a rule that driftgate cannot evaluate: ip filter INPUT: -A INPUT -m bpf --bytecode x -j ACCEPT',
      ]),
    ],
    ['is dropped behind commands that change no rule', ':INPUT DROP\n-F INPUT\n-Z INPUT', RIGHT],
    ['is dropped whatever that match says', ':INPUT DROP\n-A INPUT -m bpf --bytecode x -j LOG', RIGHT],
  ]
  test.each(rows)('%s', (_name, rules, expected) => {
    expect(decided({ default: 'drop' }, withRules(rules))).toEqual(expected)
  })

  test.each<[string, readonly object[]]>([
    ['a set', [{ match: { op: '==', left: NAME, right: { set: ['lo', 'eth0'] } } }, { accept: null }]],
    ['a map', [{ vmap: { key: NAME, data: { set: ['lo', 'eth0'].map((name) => [name, { accept: null }]) } } }]],
  ])('is accepted by %s of nftables that names the interface', (_name, expr) => {
    const where = { family: 'inet', table: 'filter' }
    const nftables = [
      { table: { family: 'inet', name: 'filter' } },
      { chain: { ...where, name: 'input', type: 'filter', hook: 'input', prio: 0, policy: 'drop' } },
      { rule: { ...where, chain: 'input', handle: 2, expr } },
    ]
    const chains = rulesetOf({ nft: JSON.stringify({ nftables }) })?.chains ?? []
    const { drift } = decided({ default: 'drop', base_chain: 'present' }, withRules('', { scene: sceneOf(chains) }))
    expect(drift).toMatchObject([
      ['default', 'accept', 'ip', expect.stringMatching(/^accepted at eth0 by inet filter/)],
    ])
  })

  test('is not asked about at an interface that is trusted', () => {
    const state = withRules(':FORWARD DROP\n-A FORWARD -i docker0 -j ACCEPT')
    const wanted = { name: 'forward', default: 'drop' } as const
    expect(decided({ ...wanted, trusted_interfaces: ['docker0'] }, state)).toEqual(RIGHT)
    const note = 'accepted at docker0 to eth0 by ip filter FORWARD: -A FORWARD -i docker0 -j ACCEPT'
    expect(decided(wanted, state)).toEqual(wrong(['default', 'accept', 'ip', note]))
  })

  test('is asked of what leaves, where the title does not say the hook', () => {
    const wanted = { name: 'a title', hook: 'output', default: 'drop', loopback: 'accept' } as const
    expect(decided(wanted, withRules(':OUTPUT DROP\n-A OUTPUT -o lo -j ACCEPT'))).toEqual(RIGHT)
  })

  test('is asked of the families that are meant and that there are', () => {
    const wanted = { default: 'drop' } as const
    const chains = parseIptablesSave('*filter\n:INPUT DROP\nCOMMIT\n', 'ip') ?? []
    const both = withRules('', { scene: sceneOf(chains, ['ip', 'ip6']) })
    const open = ['default', 'accept', 'ip6', 'accepted at eth0 by the kernel, because no chain filters the packets']
    expect(decided(wanted, both)).toEqual(wrong(open))
    expect(decided({ ...wanted, family: 'ip' }, both)).toEqual(RIGHT)
  })
})

describe('loopback', () => {
  const rows: readonly (readonly [string, string, object])[] = [
    [
      'is accepted at lo, and dropped elsewhere',
      ':INPUT DROP\n-A INPUT -i lo -j ACCEPT\n-A INPUT -s 127.0.0.0/8 -j DROP',
      RIGHT,
    ],
    [
      'is dropped by a policy',
      ':INPUT DROP',
      wrong(['loopback', 'drop', 'ip', 'dropped by policy drop of ip filter INPUT']),
    ],
    [
      'is forged to a port that is open before it is dropped',
      ':INPUT DROP\n-A INPUT -i lo -j ACCEPT\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT\n-A INPUT -s 127.0.0.0/8 -j DROP',
      wrong([
        'spoofed_loopback',
        'accept',
        'ip',
        'accepted by ip filter INPUT: -A INPUT -p tcp -m tcp --dport 22 -j ACCEPT',
      ]),
    ],
  ]
  test.each(rows)('%s', (_name, rules, expected) => {
    expect(decided({ loopback: 'accept', spoofed_loopback: 'drop' }, withRules(rules))).toEqual(expected)
  })
})

test.each([
  ['224.0.0.251', RIGHT],
  ['255.255.255.255', RIGHT],
  [
    '223.255.255.255',
    wrong([
      'spoofed_loopback',
      'accept',
      'ip',
      'accepted by ip filter INPUT: -A INPUT -d 223.255.255.255 -p udp -m udp --dport 5353 -j ACCEPT',
    ]),
  ],
])('forged packets to %s, at a machine without addresses', (address, expected) => {
  const rules = `:INPUT DROP\n-A INPUT -d ${address} -p udp -m udp --dport 5353 -j ACCEPT\n-A INPUT -s 127.0.0.0/8 -j DROP`
  const ruleset = { tables: [], chains: parseIptablesSave(`*filter\n${rules}\nCOMMIT\n`, 'ip') ?? [] }
  const scene = known({ ruleset, machine: { ...MACHINE, addresses: { ip: [], ip6: [] } }, families: ['ip'] as const })
  expect(decided({ spoofed_loopback: 'drop' }, withRules('', { scene }))).toEqual(expected)
})

describe('chains and tables', () => {
  test('are there', () => {
    expect(decided({ base_chain: 'present', tables: ['ip filter'] }, withRules(':INPUT ACCEPT'))).toEqual(RIGHT)
  })

  test('are not', () => {
    const wanted = { base_chain: 'present', tables: ['inet filter'] } as const
    const expected = wrong(['base_chain', 'absent', 'ip'], ['tables', 'absent', 'inet filter'])
    expect(decided(wanted, withRules(':FORWARD ACCEPT'))).toEqual(expected)
  })

  test('are there for both families, and not for the other one', () => {
    const chainOf = (family: 'ip6' | 'inet'): readonly Chain[] =>
      (parseIptablesSave('*filter\n:INPUT DROP\nCOMMIT\n', 'ip') ?? []).map((chain) => ({ ...chain, family }))
    const found = (family: 'ip6' | 'inet') =>
      decided({ base_chain: 'present' }, withRules('', { scene: sceneOf(chainOf(family)) }))
    expect([found('inet'), found('ip6')]).toEqual([RIGHT, wrong(['base_chain', 'absent', 'ip'])])
  })

  test('are asked of a resource without a hook, too', () => {
    expect(decided({ name: 'tables', tables: ['ip filter'] }, withRules(''))).toEqual(RIGHT)
  })
})

describe('listeners', () => {
  const web: Listener = { protocol: 'tcp', port: 8080, address: '0.0.0.0', takes: ['ip'], by: 'python3' }
  const opening = '-A INPUT -p tcp -m tcp --dport 8080 -j ACCEPT'
  const rows: readonly (readonly [string, Partial<Listener>, string, object])[] = [
    [
      'that a rule lets be reached',
      {},
      opening,
      wrong(['allowed', 'open', 'tcp:8080 at 0.0.0.0', `python3 listens; accepted by ip filter INPUT: ${opening}`]),
    ],
    ['that no rule lets be reached', { port: 8081 }, opening, RIGHT],
    ['at loopback', { address: '127.0.0.1' }, opening, RIGHT],
    ['at ::1', { address: '::1' }, opening, RIGHT],
    ['of another protocol', { protocol: 'udp' }, opening, RIGHT],
    ['at another address', { address: '198.51.100.1' }, '-A INPUT -d 192.0.2.1/32 -j ACCEPT', RIGHT],
    [
      'of IPv6 that take IPv4',
      { address: '::ffff:192.0.2.1' },
      opening,
      wrong([
        'allowed',
        'open',
        'tcp:8080 at ::ffff:192.0.2.1',
        `python3 listens; accepted by ip filter INPUT: ${opening}`,
      ]),
    ],
    ['of IPv6 alone', { takes: ['ip6'], address: '::' }, opening, RIGHT],
  ]
  test.each(rows)('%s', (_name, listener, rule, expected) => {
    const state = withRules(`:INPUT DROP\n${rule}`, { listeners: known([{ ...web, ...listener }]) })
    expect(decided({ allowed: [] }, state)).toEqual(expected)
  })

  test('nobody knows whether they can be reached', () => {
    const { by: _, ...nobody } = web
    const state = withRules(':INPUT DROP\n-A INPUT -p tcp -j NFQUEUE', { listeners: known([nobody]) })
    expect(decided({ allowed: [] }, state)).toMatchObject({
      drift: [],
      unknown: [['allowed', 'not-observable', expect.anything()]],
    })
  })

  test('are not a difference where nobody asks', () => {
    expect(decided({ base_chain: 'present' }, withRules(`:INPUT ACCEPT`, { listeners: known([web]) }))).toEqual(RIGHT)
  })

  test('ports that are sent on to a container, which no rule of INPUT keeps out', () => {
    const chains = [
      ...(parseIptablesSave(
        '*nat\n:PREROUTING ACCEPT\n-A PREROUTING -p tcp -m tcp --dport 8080 -j DNAT --to-destination 172.17.0.2:80\nCOMMIT\n',
        'ip',
      ) ?? []),
      ...(parseIptablesSave(
        '*filter\n:INPUT DROP\n:FORWARD DROP\n-A FORWARD -d 172.17.0.2/32 -o docker0 -j ACCEPT\nCOMMIT\n',
        'ip',
      ) ?? []),
    ]
    const state = withRules('', { scene: sceneOf(chains) })
    const note =
      'the port is forwarded; accepted by ip filter FORWARD: -A FORWARD -d 172.17.0.2/32 -o docker0 -j ACCEPT'
    expect(decided({ allowed: [] }, state)).toEqual(wrong(['allowed', 'open', 'tcp:8080 to 172.17.0.2:80', note]))
    expect(decided({ allowed: ['tcp:8000-8090'] }, state)).toEqual(RIGHT)
  })

  test('a range of ports that is sent on has to be allowed as a whole', () => {
    const chains = [
      ...(parseIptablesSave(
        '*nat\n:PREROUTING ACCEPT\n-A PREROUTING -p tcp -m tcp --dport 8000:8010 -j DNAT --to-destination 172.17.0.2\nCOMMIT\n',
        'ip',
      ) ?? []),
      ...(parseIptablesSave('*filter\n:FORWARD ACCEPT\nCOMMIT\n', 'ip') ?? []),
    ]
    const state = withRules('', { scene: sceneOf(chains) })
    expect(decided({ allowed: ['tcp:8000'] }, state).drift).toMatchObject([
      ['allowed', 'open', 'tcp:8000-8010 to 172.17.0.2', expect.any(String)],
    ])
    expect(decided({ allowed: ['tcp:7000-8010'] }, state)).toEqual(RIGHT)
  })
})

describe('managers', () => {
  type Names = readonly FirewallManager[]
  const managers = (running: Names, enabled: Names) => ({ running: known(running), enabled: known(enabled) })
  const unseen = unknown('not-observable', 'no systemd')
  test.each([
    ['the one that is wanted', managers(['nftables'], ['nftables']), RIGHT],
    ['two', managers(['nftables', 'ufw'], ['nftables']), wrong(['manager', 'nftables, ufw'])],
    ['one that does not start', managers(['nftables'], []), wrong(['enabled', 'none'])],
    ['another', managers(['ufw'], ['ufw']), wrong(['manager', 'ufw'], ['enabled', 'ufw'])],
    [
      'nobody knows which run',
      { running: unseen, enabled: known(['nftables'] as const) },
      doubtful(['manager', 'not-observable', 'no systemd']),
    ],
  ])('%s', (_name, seen, expected) => {
    expect(decided({ name: 'one', manager: 'nftables' }, withRules('', { managers: seen }))).toEqual(expected)
  })
})

describe('the rules of the next start', () => {
  const right = ':INPUT DROP\n-A INPUT -i lo -j ACCEPT\n-A INPUT -s 127.0.0.0/8 -j DROP'
  const wanted = { default: 'drop', loopback: 'accept', spoofed_loopback: 'drop', stored: true } as const
  const chainsOf = (lines: string) => parseIptablesSave(`*filter\n${lines}\nCOMMIT\n`, 'ip') ?? []

  test('are as those now', () => {
    const stored = known({ tables: [], chains: chainsOf(right) })
    expect(decided(wanted, withRules(right, { stored }))).toEqual(RIGHT)
  })

  test('are lost', () => {
    const nobody = 'by the kernel, because no chain filters the packets'
    const lost = wrong(
      ['stored', 'accept', 'default ip', `accepted at eth0 ${nobody}`],
      ['stored', 'accept', 'spoofed_loopback ip', `accepted ${nobody}`],
    )
    expect(decided(wanted, withRules(right))).toEqual(lost)
    expect(decided({ ...wanted, stored: false }, withRules(right))).toEqual(RIGHT)
  })

  test('cannot be read', () => {
    const stored = unknown('permission-denied', 'denied')
    expect(decided(wanted, withRules(right, { stored }))).toEqual(doubtful(['stored', 'permission-denied', 'denied']))
  })

  test('are not asked about where nothing is', () => {
    const stored = unknown('permission-denied', 'denied')
    expect(decided({ base_chain: 'present', stored: true }, withRules(right, { stored }))).toEqual(RIGHT)
    expect(decided({ name: 'x', tables: ['ip filter'], stored: true }, withRules(right, { stored }))).toEqual(RIGHT)
  })
})

test('what cannot be seen is unknown', () => {
  const denied = unknown('permission-denied', 'you must be root')
  const wanted = { default: 'drop', allowed: [] } as const
  const all = doubtful(['default', 'permission-denied', denied.detail], ['allowed', 'permission-denied', denied.detail])
  expect(decided(wanted, withRules('', { scene: denied }))).toEqual(all)
  const some = doubtful(['allowed', 'permission-denied', denied.detail])
  expect(decided({ allowed: [] }, withRules(':INPUT DROP', { listeners: denied }))).toEqual(some)
})

test('the rules of a machine are never absent', () => {
  const absent = { kind: 'absent', context: undefined } as const
  expect(() => decideFirewall({ name: 'input', family: 'both', stored: true }, absent)).toThrow('never absent')
})

describe('stored rules where nobody sees those in force', () => {
  const RUNNING = onlyRunning('the firewall is that of a running system')
  const stored = (lines: string): FirewallState => {
    const chains = (['ip', 'ip6'] as const).flatMap(
      (family) => parseIptablesSave(`*filter\n${lines}\nCOMMIT\n`, family) ?? [],
    )
    return withRules(':INPUT DROP', { scene: RUNNING, stored: known({ tables: [], chains }) })
  }
  const IN_FORCE = ['default', 'not-observable', 'the firewall is that of a running system']
  const wanted = { default: 'drop', stored: true } as const

  test('are a difference where they accept what nobody asked for, and no fix writes them', () => {
    expect(decided(wanted, stored(':INPUT ACCEPT [0:0]'))).toEqual({
      drift: [
        ['stored', 'accept', 'default ip', 'accepted by policy accept of ip filter INPUT'],
        ['stored', 'accept', 'default ip6', 'accepted by policy accept of ip6 filter INPUT'],
      ],
      unknown: [IN_FORCE],
      plan: 'refuse',
    })
  })

  test('leave only those in force open where they drop, at whatever interface', () => {
    expect(decided(wanted, stored(':INPUT DROP [0:0]'))).toEqual({ drift: [], unknown: [IN_FORCE], plan: 'none' })
    expect(decided(wanted, stored(':INPUT DROP [0:0]\n-A INPUT -i ens3 -j ACCEPT')).drift).toHaveLength(2)
  })

  test('are not decided by a rule for an address that may be the only one of the machine', () => {
    const chains = parseIptablesSave('*filter\n:INPUT DROP\n-A INPUT -d 192.0.2.1/32 -j ACCEPT\nCOMMIT\n', 'ip') ?? []
    const state = withRules(':INPUT DROP', { scene: RUNNING, stored: known({ tables: [], chains }) })
    expect(decided({ ...wanted, family: 'ip' }, state)).toMatchObject({
      drift: [],
      unknown: [
        IN_FORCE,
        ['stored', 'not-observable', expect.stringContaining('addresses known only on a running system')],
      ],
    })
  })

  test('are judged even where what only a running system has is left out', () => {
    const seen = (state: FirewallState) =>
      decideFirewall({ name: 'input', family: 'both', ...wanted }, { kind: 'present', state, context: undefined })
    expect(seen(stored(':INPUT DROP [0:0]')).comparesStored).toBe(true)
    const unread = { ...stored(''), stored: unknown('not-observable', 'the ruleset in it') }
    expect(seen(unread).comparesStored).toBe(false)
  })
})
