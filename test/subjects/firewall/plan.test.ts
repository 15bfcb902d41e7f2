import { describe, expect, test } from 'vitest'
import { known, unknown } from '../../../src/model/observation.ts'
import type { FirewallState } from '../../../src/subjects/firewall/compare.ts'
import { decideFirewall } from '../../../src/subjects/firewall/decide.ts'
import { problemWith } from '../../../src/subjects/firewall/guarantee.ts'
import type { FirewallDesired } from '../../../src/subjects/firewall/wanted.ts'
import { parseIptablesSave } from '../../../src/subjects/firewall/rules/iptables-save.ts'
import type { KeptPort } from '../../../src/subjects/firewall/rules/kept.ts'
import type { Ruleset } from '../../../src/subjects/firewall/rules/ruleset.ts'
import type { FirewallManager } from '../../../src/subjects/firewall/firewall.ts'

const MACHINE = { interfaces: ['lo', 'eth0'], addresses: { ip: [0xc0000201n], ip6: [] } }
const SSH: KeptPort = { protocol: 'tcp', port: 22, isSsh: true }
const WEB: KeptPort = { protocol: 'tcp', port: 80, isSsh: false }

function rules(lines: string): Ruleset {
  const chains = parseIptablesSave(`*filter\n${lines}\nCOMMIT\n`, 'ip') ?? []
  return { tables: ['ip filter'], chains }
}

interface Scenery {
  readonly now?: string
  readonly stored?: string
  readonly kept?: FirewallState['kept']
  readonly enabled?: FirewallState['managers']['enabled']
  readonly listeners?: FirewallState['listeners']
}

const enabled = (...names: readonly FirewallManager[]): FirewallState['managers']['enabled'] => known(names)

function planned(wanted: Partial<FirewallDesired>, scenery: Scenery) {
  const { now = '', stored = now, kept = known([SSH]), listeners = known([]) } = scenery
  const state: FirewallState = {
    scene: known({ ruleset: rules(now), machine: MACHINE, families: ['ip'] }),
    stored: known(rules(stored)),
    managers: { running: known([]), enabled: scenery.enabled ?? enabled('iptables') },
    listeners,
    kept,
  }
  const all: FirewallDesired = { name: 'input', family: 'both', stored: true, ...wanted }
  return { plan: decideFirewall(all, { kind: 'present', state, context: undefined }).plan, all }
}

function reasons(wanted: Partial<FirewallDesired>, scenery: Scenery): readonly string[] {
  const { plan } = planned(wanted, scenery)
  if (plan.kind === 'act') return ['acts', ...(plan.leaves ?? []).map(({ reason }) => reason)]
  return plan.kind === 'none' ? [] : plan.obstacles.map(({ reason }) => reason)
}

function change(wanted: Partial<FirewallDesired>, scenery: Scenery) {
  const { plan } = planned(wanted, scenery)
  return plan.kind === 'act' ? plan.action.change : plan
}

const OPEN = ':INPUT ACCEPT'

describe('a policy that drops', () => {
  test('comes with rules for established connections and allowed ports, and with no others', () => {
    expect(change({ default: 'drop', allowed: ['tcp:22', 'udp:60000-61000'] }, { now: OPEN })).toMatchObject({
      manager: 'iptables',
      halves: { inForce: 'added', stored: true },
      added: {
        closes: true,
        first: [],
        last: [
          { kind: 'established' },
          { kind: 'loopback' },
          { kind: 'messages' },
          { kind: 'port', protocol: 'tcp', first: 22, last: 22, verdict: 'accept' },
          { kind: 'port', protocol: 'udp', first: 60_000, last: 61_000, verdict: 'accept' },
        ],
      },
    })
  })

  test('leaves all listening ports open without property allowed', () => {
    const last = [expect.anything(), expect.anything(), expect.anything(), { first: 22 }, { first: 80 }]
    expect(change({ default: 'drop' }, { now: OPEN, kept: known([SSH, WEB]) })).toMatchObject({ added: { last } })
  })

  test('opens no port that cannot be reached now', () => {
    const now =
      ':INPUT DROP\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT\n-A INPUT -m state --state ESTABLISHED -j ACCEPT'
    const last = [expect.anything(), expect.anything(), expect.anything(), { first: 22 }]
    const scenery = { now, stored: OPEN, kept: known([SSH, WEB]) }
    expect(change({ default: 'drop' }, scenery)).toMatchObject({ added: { last } })
  })

  test('does not cut ssh, although it is not allowed', () => {
    expect(reasons({ default: 'drop', allowed: ['tcp:443'] }, { now: OPEN })).toEqual([
      'connections to tcp:22 (used by ssh) would be cut (ip) by policy drop of ip filter INPUT: add a rule before it that accepts them, or name "tcp:22" under "allowed"',
    ])
  })

  test('cuts a port that is not allowed', () => {
    expect(reasons({ default: 'drop', allowed: ['tcp:22'] }, { now: OPEN, kept: known([SSH, WEB]) })).toEqual(['acts'])
  })

  test.each([
    ['a rule for it is there already', ':INPUT ACCEPT\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT', ['acts']],
    ['it is dropped already', ':INPUT ACCEPT\n-A INPUT -p tcp -m tcp --dport 22 -j DROP', ['acts']],
  ])('needs no rule for ssh where %s', (_name, now, expected) => {
    expect(reasons({ default: 'drop', allowed: [] }, { now })).toEqual(expected)
  })

  test('is not put behind a rule that accepts everything', () => {
    const now = ':INPUT ACCEPT\n-A INPUT -j ACCEPT'
    expect(reasons({ default: 'drop' }, { now })).toEqual([
      '"default" would still not be met (ip): accepted at eth0 by ip filter INPUT: -A INPUT -j ACCEPT; correct that by hand first',
    ])
  })

  test('is not put behind a rule with an unsupported match', () => {
    const now = ':INPUT ACCEPT\n-A INPUT -p udp -m bpf --bytecode x -j ACCEPT'
    expect(reasons({ default: 'drop' }, { now })).toEqual([expect.stringMatching(/cannot verify .*bytecode/)])
  })

  test('is refused for outgoing packets', () => {
    expect(reasons({ name: 'output', default: 'drop' }, { now: ':OUTPUT ACCEPT' })).toEqual([
      expect.stringContaining('a fix does not close outgoing traffic'),
    ])
  })

  test('accepts trusted interfaces and established connections', () => {
    const wanted = { name: 'forward', default: 'drop', trusted_interfaces: ['docker0'] } as const
    expect(change(wanted, { now: ':FORWARD ACCEPT', kept: known([]) })).toMatchObject({
      added: { hook: 'forward', closes: true, last: [{ kind: 'established' }, { kind: 'interface', name: 'docker0' }] },
    })
  })
})

describe('the changed half', () => {
  const right =
    ':INPUT DROP\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT\n-A INPUT -m conntrack --ctstate ESTABLISHED -j ACCEPT'

  test('only the stored rules, if those in force are right', () => {
    expect(change({ default: 'drop' }, { now: right, stored: OPEN })).toMatchObject({
      halves: { inForce: 'kept', stored: true },
    })
  })

  test('stored rules are loaded if that is the whole fix', () => {
    expect(change({ default: 'drop' }, { now: OPEN, stored: right })).toMatchObject({
      halves: { inForce: 'reloaded', stored: false },
    })
  })

  test('a fix keeps rules added since by other programs', () => {
    const now = `${OPEN}\n:f2b -\n-A f2b -s 192.0.2.66/32 -j DROP`
    expect(change({ default: 'drop' }, { now, stored: right })).toMatchObject({
      halves: { inForce: 'added', stored: false },
    })
  })

  test('stored rules are not loaded if they would cut a connection', () => {
    expect(change({ default: 'drop' }, { now: OPEN, stored: ':INPUT DROP' })).toMatchObject({
      halves: { inForce: 'added', stored: false },
    })
  })

  test('only the rules in force, with stored: false', () => {
    expect(change({ default: 'drop', stored: false }, { now: OPEN })).toMatchObject({
      halves: { inForce: 'added', stored: false },
    })
  })
})

describe('with the service that stores the rules', () => {
  const unseen = unknown('not-observable', 'no systemd')
  test.each([
    ['nothing does', enabled(), 'no firewall manager is enabled to load rules at boot'],
    ['two do', enabled('nftables', 'ufw'), 'nftables and ufw load rules at boot: first disable all but one'],
    ['the service is unknown', unseen, 'the service that stores the rules is unknown: no systemd'],
    ['firewalld does', enabled('firewalld'), 'firewall-cmd'],
  ])('no fix if %s', (_name, seen, message) => {
    expect(reasons({ default: 'drop', stored: false }, { now: OPEN, enabled: seen })).toEqual([
      expect.stringContaining(message),
    ])
  })

  test('no fix if the listening ports are unknown', () => {
    const kept = unknown('permission-denied', 'denied')
    expect(reasons({ default: 'drop' }, { now: OPEN, kept })).toEqual([
      expect.stringContaining('listening ports are unknown'),
    ])
  })

  test.each(['nftables', 'iptables'] as const)('%s makes the same of them', (manager) => {
    const scenery = { now: OPEN, enabled: enabled(manager) }
    const wanted = { default: 'drop', loopback: 'accept', spoofed_loopback: 'drop', base_chain: 'present' } as const
    expect(reasons(wanted, scenery)).toEqual(['acts'])
    expect(reasons({ ...wanted, family: 'ip' }, scenery)).toEqual(['acts'])
  })
})

describe('open ports', () => {
  const listeners = known([{ protocol: 'tcp', port: 80, address: '0.0.0.0', takes: ['ip'] }] as const)

  test('are closed behind all rules where no policy does', () => {
    expect(change({ allowed: ['tcp:22'] }, { now: OPEN, listeners, kept: known([SSH, WEB]) })).toMatchObject({
      added: {
        closes: false,
        last: [{ kind: 'established' }, { kind: 'port', protocol: 'tcp', first: 80, last: 80, verdict: 'drop' }],
      },
    })
  })

  test('stay open where a rule opens them', () => {
    const now = ':INPUT DROP\n-A INPUT -p tcp -m tcp --dport 80 -j ACCEPT'
    expect(reasons({ allowed: [] }, { now, listeners })).toEqual([expect.stringMatching(/^stop the service/)])
    const both = { default: 'drop', allowed: ['tcp:22'] } as const
    expect(reasons(both, { now: now.replace('DROP', 'ACCEPT'), listeners })).toEqual([
      'acts',
      expect.stringMatching(/^stop the service/),
    ])
  })
})

test('tables and managers are left to other types', () => {
  expect(reasons({ tables: ['inet x'], manager: 'ufw' }, {})).toEqual([
    expect.stringContaining('add the table'),
    expect.stringContaining('by hand'),
  ])
})

describe('the state that is verified afterwards', () => {
  const guarantee = {
    scene: { ruleset: rules(OPEN), machine: MACHINE, families: ['ip'] as const },
    kept: [SSH],
  }
  const wanted: FirewallDesired = { name: 'input', family: 'both', stored: true, default: 'drop' }

  test('are connections that are there', () => {
    const now = rules(':INPUT DROP\n-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT')
    expect(problemWith(wanted, guarantee, now)).toBe(
      'established connections would be cut (ip) by policy drop of ip filter INPUT: add a rule before it that accepts established connections',
    )
  })

  test('is a base chain', () => {
    expect(problemWith({ ...wanted, base_chain: 'present' }, guarantee, rules(''))).toContain('"base_chain"')
  })

  test('are ways out', () => {
    const shut = rules(
      ':INPUT DROP\n-A INPUT -m state --state NEW -p tcp --dport 22 -j ACCEPT\n-A INPUT -m state --state ESTABLISHED -j ACCEPT\n:OUTPUT DROP',
    )
    expect(problemWith(wanted, guarantee, shut)).toContain('policy drop of ip filter OUTPUT')
  })
})
