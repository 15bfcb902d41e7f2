import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AddedRules } from '../../../../src/subjects/firewall/rules/added.ts'
import { addressNumber } from '../../../../src/subjects/firewall/rules/addresses.ts'
import { followPackets } from '../../../../src/subjects/firewall/rules/evaluate.ts'
import { firewalldOptions, withFirewalldRules } from '../../../../src/subjects/firewall/rules/firewalld/added.ts'
import {
  FAMILY_NUMBER,
  interfacesNamed,
  singleValue,
  type Packets,
} from '../../../../src/subjects/firewall/rules/packets.ts'
import { type FilterHook, WAY } from '../../../../src/subjects/firewall/rules/question.ts'
import type { Ruleset } from '../../../../src/subjects/firewall/rules/ruleset.ts'
import { rulesetOf } from '../../../../src/subjects/firewall/rules/whole.ts'
import { storedOfFirewalld } from '../../../../src/subjects/firewall/live/stored.ts'
import { createLocalProbe } from '../../../../src/host/live/probe.ts'
import { needsRoot } from '../../../support/temporary.ts'
import { expectAgreement } from '../../../support/proof.ts'
import { sample } from '../../../support/soak.ts'
import { type Configuration, configured } from './firewalld-configuration.ts'

const SCRIPT = fileURLToPath(new URL('../../../support/firewalld-rules.py', import.meta.url))
// The Python that has the module of Debian's package.
const PYTHON = '/usr/bin/python3'
const canTry =
  spawnSync('unshare', ['--net', 'sh', '-c', `nft list ruleset && ${PYTHON} -c 'import firewall.core.fw'`]).status === 0
const needs = needsRoot ?? (canTry ? undefined : 'needs unshare, nft and firewalld')

/** What the real one loads. */
function loaded(directories: readonly string[]): readonly Ruleset[] {
  const { stdout, stderr } = spawnSync('unshare', ['--net', PYTHON, SCRIPT, ...directories], {
    encoding: 'utf8',
    maxBuffer: 1024 ** 3,
  })
  if (stdout === '') throw new Error(stderr)
  return (JSON.parse(stdout) as readonly { readonly state: string; readonly nft: string }[]).map(({ state, nft }) => {
    expect(state, stderr).toBe('RUNNING')
    const rules = rulesetOf({ nft })
    if (rules === undefined) throw new Error(nft)
    return rules
  })
}

async function supposed(directory: string): Promise<Ruleset> {
  const rules = await storedOfFirewalld(createLocalProbe(), directory)
  if (rules.kind === 'unknown') throw new Error(rules.detail)
  return rules.value
}

const oneOf = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts)
const maybe = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom('', '', ...texts)

/** Named often, so that rules meet. */
const USUAL = ['<service name="ssh"/>', '<port port="8080" protocol="tcp"/>', '<port port="8000-9000" protocol="udp"/>']
const element = oneOf(
  ...USUAL,
  '<service name="samba"/>',
  '<service name="mdns"/>',
  '<service name="dhcpv6-client"/>',
  '<service name="own"/>',
  '<source-port port="68" protocol="udp"/>',
  '<protocol value="gre"/>',
)
const rule = fc
  .record({
    family: oneOf('ipv4', 'ipv6', ''),
    priority: oneOf('', '', '', '-5', '5', '10'),
    four: maybe(
      'address="192.0.2.0/24"',
      'address="192.0.2.9"',
      'address="192.0.2.9" invert="True"',
      'ipset="four"',
      'mac="00:11:22:33:44:55"',
    ),
    six: maybe('address="2001:db8::/64"', 'address="2001:db8::9" invert="yes"'),
    to: maybe('<destination address="TO"/>', '<destination address="TO" invert="true"/>'),
    what: fc.oneof(element, oneOf(...USUAL, '')),
    log: maybe('<log prefix="x"/>', '<audit/>'),
    action: oneOf('<accept/>', '<drop/>', '<reject/>', '<accept><limit value="1/m"/></accept>'),
  })
  .filter(({ what, to }) => to === '' || !/mdns|dhcpv6|own/.test(what))
  .filter(
    ({ family, four, six, to, what }) => what + (family === '' ? '' : to + (family === 'ipv4' ? four : six)) !== '',
  )
  .map(({ family, priority, four, six, to, what, log, action }) => {
    const source = family === 'ipv4' ? four : family === 'ipv6' ? six : ''
    const target = family === '' ? '' : to.replace('TO', family === 'ipv4' ? '192.0.2.1' : '2001:db8::1')
    const attributes = [
      ...(family === '' ? [] : [`family="${family}"`]),
      ...(priority === '' ? [] : [`priority="${priority}"`]),
    ]
    return `<rule ${attributes.join(' ')}>${source && `<source ${source}/>`}${target}${what}${log}${action}</rule>`
  })
const sent = oneOf(
  '<forward-port port="80" protocol="tcp" to-port="8080"/>',
  '<forward-port port="443" protocol="tcp" to-addr="198.51.100.7"/>',
  '<forward-port port="53" protocol="udp" to-port="22" to-addr="2001:db8:f::7"/>',
  '<rule family="ipv4"><source address="192.0.2.0/24"/><forward-port port="22" protocol="tcp" to-port="22" to-addr="198.51.100.7"/></rule>',
)
const zone = fc
  .record({
    target: oneOf('', '', '', ' target="ACCEPT"', ' target="DROP"', ' target="%%REJECT%%"'),
    inside: fc.array(
      fc.oneof({ weight: 3, arbitrary: element }, { weight: 2, arbitrary: rule }, { weight: 1, arbitrary: sent }),
      {
        minLength: 3,
        maxLength: 6,
      },
    ),
    rest: fc.subarray(['<forward/>', '<icmp-block name="echo-request"/>', '<icmp-block-inversion/>']),
  })
  .map(({ target, inside, rest }) => ({ target, inside: [...new Set(inside), ...rest].join('\n') }))
const policy = fc
  .record({
    priority: oneOf('-1', '-100', '7'),
    target: oneOf('CONTINUE', 'CONTINUE', 'ACCEPT', 'DROP', 'REJECT'),
    inside: fc.array(fc.oneof(element, rule), { maxLength: 3 }),
  })
  .map(
    ({ priority, target, inside }) =>
      `<policy priority="${priority}" target="${target}"><ingress-zone name="ANY"/><egress-zone name="HOST"/>${[...new Set(inside)].join('')}</policy>`,
  )

const configuration = fc
  .record({
    usual: oneOf('public', 'work', 'home', 'trusted', 'drop'),
    zones: fc.tuple(zone, zone, zone),
    ends: fc.shuffledSubarray([
      '<interface name="red0"/>',
      '<interface name="blue+"/>',
      '<source address="192.0.2.0/25"/>',
      '<source address="2001:db8::/48"/>',
      '<source ipset="four"/>',
    ]),
    policies: fc.array(policy, { maxLength: 2 }),
    filter: oneOf('yes', 'yes', 'no'),
  })
  .map(({ usual, zones, ends, policies, filter }): Configuration => ({
    'firewalld.conf': `# as it is\nDefaultZone=${usual}\nIPv6_rpfilter = ${filter}\nDefaultZone=block\n`,
    ...Object.fromEntries(
      ['public', 'home', 'work'].map((name, index) => {
        const own = ends.filter((_each, at) => at % 3 === index).join('\n')
        return [
          `zones/${name}.xml`,
          `<?xml version="1.0"?>\n<zone${zones[index]?.target ?? ''}><!-- of ours -->\n${own}\n${zones[index]?.inside ?? ''}\n</zone>`,
        ]
      }),
    ),
    ...Object.fromEntries(policies.map((text, index) => [`policies/own${index}.xml`, text])),
    'services/own.xml':
      '<service><include service="ssh"/><port port="" protocol="ipip"/><port port="7" protocol="sctp"/><destination ipv4="192.0.2.1"/></service>',
    'ipsets/four.xml': '<ipset type="hash:net"><entry>192.0.2.128/26</entry><entry>10.0.0.0/8</entry></ipset>',
  }))

/** What decides where several could: the first of these zones, what is denied before what is allowed, priorities. */
const MEETING: Configuration = {
  'firewalld.conf': 'DefaultZone=public\n',
  'zones/public.xml': `<zone><interface name="red0"/>${USUAL.join('')}<rule family="ipv4"><service name="ssh"/><drop/></rule>
<rule family="ipv6" priority="-5"><port port="8080" protocol="tcp"/><drop/></rule><port port="80" protocol="tcp"/>
<rule priority="9"><port port="443" protocol="tcp"/><accept/></rule><rule priority="8"><port port="443" protocol="tcp"/><drop/></rule></zone>`,
  'zones/home.xml':
    '<zone><source address="192.0.2.0/24"/><interface name="blue+"/><port port="22" protocol="tcp"/></zone>',
  'zones/work.xml': '<zone target="ACCEPT"><source address="192.0.2.9"/><source address="10.0.0.0/8"/></zone>',
  'policies/first.xml': `<policy priority="-1" target="CONTINUE"><ingress-zone name="ANY"/><egress-zone name="HOST"/>
<rule><port port="80" protocol="tcp"/><drop/></rule><rule><port port="139" protocol="tcp"/><accept/></rule></policy>`,
  'policies/last.xml': `<policy priority="1" target="ACCEPT"><ingress-zone name="ANY"/><egress-zone name="HOST"/>
<rule><protocol value="tcp"/><reject/></rule></policy>`,
}

const SIDES = {
  ip: {
    own: '192.0.2.1',
    far: '198.51.100.7',
    near: ['192.0.2.9', '192.0.2.150', '10.1.2.3', '203.0.113.5', '127.0.0.1'],
  },
  ip6: { own: '2001:db8::1', far: '2001:db8:f::7', near: ['2001:db8::9', '2001:db8:0:7::1', '2001:db8:ff::5', '::1'] },
} as const

const packet = fc
  .record({
    family: fc.constantFrom('ip' as const, 'ip6' as const),
    hook: fc.constantFrom<FilterHook[]>('input', 'input', 'input', 'forward', 'output'),
    interface: oneOf('red0', 'blue1', 'green0', 'lo'),
    near: fc.nat(4),
    protocol: fc.constantFrom(6, 6, 6, 17, 17, 47, 4, 132),
    ports: fc.tuple(fc.constantFrom(68, 40_000), fc.constantFrom(22, 22, 8080, 8080, 7, 53, 80, 139, 443, 546, 5353)),
  })
  .map(({ family, hook, interface: device, near, protocol, ports }) => {
    const side = SIDES[family]
    const address = (field: 'saddr' | 'daddr', text: string): Packets => ({
      [family === 'ip' ? field : `${field}6`]: singleValue(addressNumber(text)?.value ?? 0n),
    })
    const packets: Packets = {
      family: singleValue(FAMILY_NUMBER[family]),
      state: singleValue(0),
      dnat: singleValue(0),
      pkttype: singleValue(0),
      protocol: singleValue(protocol),
      sport: singleValue(ports[0]),
      dport: singleValue(ports[1]),
      dsttype: singleValue(hook === 'input' ? 2 : 1),
      ...(hook === 'output' ? {} : { iif: interfacesNamed(device) }),
      ...(hook === 'input' ? {} : { oif: interfacesNamed(hook === 'output' ? device : 'blue1') }),
      ...address('saddr', hook === 'output' ? side.own : (side.near[near % side.near.length] ?? '')),
      ...address('daddr', hook === 'input' ? side.own : side.far),
    }
    return { hook, packets }
  })

function textOf(packets: Packets): string {
  return JSON.stringify(packets, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString(16) : value))
}

/** Whether a packet is surely accepted, surely not, or may be. */
function fate(rules: Ruleset, { hook, packets }: { readonly hook: FilterHook; readonly packets: Packets }): string {
  const { accepted, dropped } = followPackets(rules, WAY[hook], packets)
  if ([...accepted, ...dropped].every(({ certainty }) => certainty === 'sure'))
    return accepted.length > 0 ? 'accepted' : 'dropped'
  return accepted.length > 0 ? 'perhaps' : 'dropped'
}

describe.skipIf(needs)('firewalld', () => {
  test('treats packets as its files say', async () => {
    const generated = sample(
      fc.record({ files: configuration, packets: fc.array(packet, { minLength: 40, maxLength: 40 }) }),
      { usual: 10, soak: 400 },
      15,
    )
    const made = [{ files: MEETING, packets: fc.sample(packet, { numRuns: 400, seed: 15 }) }, ...generated]
    const directories = made.map(({ files }) => configured(files))
    const real = loaded(directories)
    const counts: Record<string, number> = {}
    const wrong: object[] = []
    let vague = 0
    for (const [index, { files, packets }] of made.entries()) {
      const stored = await supposed(directories[index] ?? '')
      for (const each of packets) {
        const [said, truth] = [fate(stored, each), fate(real[index] ?? stored, each)]
        counts[truth] = (counts[truth] ?? 0) + 1
        if (said === 'perhaps' && truth !== 'perhaps') vague += 1
        const isRight = said === truth || said === 'perhaps' || truth === 'perhaps'
        if (!isRight) wrong.push({ files, hook: each.hook, packet: textOf(each.packets), said, truth })
      }
    }
    expectAgreement({ reader: 'firewalld', program: 'firewall-offline-cmd', texts: made.length }, wrong)
    expect(Math.min(counts['accepted'] ?? 0, counts['dropped'] ?? 0)).toBeGreaterThan(made.length * 8)
    expect(vague).toBeLessThan(made.length)
  })
})

test.skipIf(needs)('a change of firewalld has the proven effect', async () => {
  // Policies stand before and behind what is added; the change is judged again in the files that it makes.
  const zones = Object.entries(MEETING).filter(([name]) => name.startsWith('zones/'))
  const directory = configured({ ...Object.fromEntries(zones), 'firewalld.conf': 'DefaultZone=trusted\n' })
  const before = await supposed(directory)
  const added: AddedRules = {
    hook: 'input',
    families: ['ip', 'ip6'],
    first: [{ kind: 'spoofed' }],
    last: [
      { kind: 'established' },
      { kind: 'interface', name: 'green0' },
      { kind: 'port', protocol: 'udp', first: 5353, last: 5354, verdict: 'accept' },
      { kind: 'port', protocol: 'tcp', first: 139, last: 139, verdict: 'drop' },
    ],
    closes: true,
  }
  const options = firewalldOptions(before, added)
  expect(options.filter(([, option = '']) => !option.startsWith('--add-'))).toEqual([
    ['--set-default-zone=public'],
    ['--zone=trusted', '--change-interface=green0'],
    ['--zone=work', '--set-target=default'],
  ])
  for (const each of options) {
    const told = spawnSync('firewall-offline-cmd', ['--system-config', directory, ...each], { encoding: 'utf8' })
    expect(told.status, told.stderr).toBe(0)
  }
  const [real] = loaded([directory])
  const model = withFirewalldRules(before, added)
  const packets = fc.sample(packet, { numRuns: 400, seed: 15 }).filter(({ hook }) => hook === 'input')
  expect(packets.map((each) => fate(model, each))).toEqual(packets.map((each) => real && fate(real, each)))
})
