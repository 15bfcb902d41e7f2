import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { parseIptablesSave } from '../../../../src/subjects/firewall/rules/iptables-save.ts'
import { ufwRules } from '../../../../src/subjects/firewall/rules/ufw-files.ts'
import { needsRoot } from '../../../support/temporary.ts'

/** ufw with files of its own, in a network of its own; then what it reads, and what it made of that. */
const SCRIPT = `
mount --make-rprivate /
cp -a /etc/ufw /etc/default "$1"
mount --bind "$1/ufw" /etc/ufw; mount --bind "$1/default" /etc/default
ip link set lo up
sed -i 's/^IPV6=.*/IPV6=yes/' /etc/default/ufw
exec 3>&1 >/dev/null 2>&1
eval "$2"
ufw --force enable
# Only now it has written all its files.
ufw reload
exec >&3
for each in /etc/default/ufw /etc/ufw/ufw.conf /etc/ufw/before.rules /etc/ufw/after.rules /etc/ufw/user.rules \\
  /etc/ufw/before6.rules /etc/ufw/after6.rules /etc/ufw/user6.rules; do cat $each; printf '\\0'; done
iptables-save; printf '\\0'; ip6tables-save
`

const CASES: readonly (readonly [string, string])[] = [
  ['as it is installed', 'true'],
  ['with reject', 'ufw default reject incoming; ufw default deny routed; ufw allow 22/tcp; ufw limit 2222/tcp'],
  [
    'with allow',
    'ufw default allow incoming; ufw default reject outgoing; ufw deny 23; ufw route allow proto udp to 10.0.0.1 port 53',
  ],
  [
    'with the loopback rules of a baseline',
    'ufw allow in on lo; ufw allow out on lo; ufw deny in from 127.0.0.0/8; ufw deny in from ::1; ufw allow from 10.0.0.0/8 to any port 8000:8100 proto tcp',
  ],
  ['with a policy in ufw.conf', 'echo \'DEFAULT_OUTPUT_POLICY="DROP"\' >>/etc/ufw/ufw.conf'],
  ['without IPv6', "sed -i 's/^IPV6=.*/IPV6=no/' /etc/default/ufw; ufw allow in on eth0 to any port 443 proto tcp"],
]

function chainsOf(text: string, family: 'ip' | 'ip6'): unknown {
  const chains = parseIptablesSave(text, family)
  if (chains === undefined) throw new Error(`not understood: ${text}`)
  return Object.fromEntries(
    chains
      .map(
        ({ table, name, base, rules }) =>
          [
            `${table} ${name}`,
            { policy: base?.policy, rules: rules.map(({ steps }) => [...new Set(steps.map(textOf))].toSorted()) },
          ] as const,
      )
      .filter(([name, { rules }]) => rules.length > 0 || /^filter (?:INPUT|OUTPUT|FORWARD)$/.test(name))
      .toSorted(([left], [right]) => (left < right ? -1 : 1)),
  )
}

/** The order of conditions says nothing, nor do options that have their usual values. */
function textOf(step: object): string {
  return JSON.stringify(step, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

const canTry =
  spawnSync('unshare', ['--net', '--mount', 'sh', '-c', 'ufw version && iptables-save && mktemp -u']).status === 0

const needs = needsRoot ?? (canTry ? undefined : 'needs unshare, ufw and iptables')

test.skipIf(needs).each(CASES)('ufw %s loads what its files say', (_name, setUp) => {
  const directory = spawnSync('mktemp', ['-d'], { encoding: 'utf8' }).stdout.trim()
  const { stdout, stderr, status } = spawnSync(
    'unshare',
    ['--net', '--mount', 'bash', '-c', SCRIPT, 'bash', directory, setUp],
    {
      encoding: 'utf8',
    },
  )
  spawnSync('rm', ['-r', directory])
  expect([status, stderr.replace(/^# Warning.*\n/gm, '')]).toEqual([0, ''])
  const [
    usual = '',
    own = '',
    before = '',
    after = '',
    user = '',
    before6 = '',
    after6 = '',
    user6 = '',
    ip = '',
    ip6 = '',
  ] = stdout.split('\0')
  const settings = [
    { file: '/etc/default/ufw', text: usual },
    { file: '/etc/ufw/ufw.conf', text: own },
  ]
  const rules = ufwRules({ settings, before, after, user }, 'ip')
  const rules6 = ufwRules({ settings, before: before6, after: after6, user: user6 }, 'ip6')
  expect(chainsOf(rules ?? '', 'ip')).toEqual(chainsOf(ip, 'ip'))
  expect(chainsOf(rules6 ?? '', 'ip6')).toEqual(chainsOf(ip6, 'ip6'))
})
