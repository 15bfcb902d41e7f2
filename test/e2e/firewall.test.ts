import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PROGRAM, start } from '../support/driftgate.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const canSeparate = spawnSync('unshare', ['--net', '--mount', 'sh', '-c', 'nft list ruleset && ip link && python3 -V'])
const needs = canSeparate.status === 0 ? undefined : 'needs root, unshare, nft, ip and python3'

// Two servers, one of which only the machine itself can reach.
const SCRIPT = `
mount -t sysfs none /sys
ip link set lo up; ip link add red0 type veth peer name red1; ip address add 192.0.2.1/24 dev red0
ip link set red0 up; ip link set red1 up
listen() { python3 -c "
import socket, sys
server = socket.create_server((sys.argv[1], int(sys.argv[2])))
print(flush=True)
server.accept()" "$1" "$2" > ready-$2 & read _ < ready-$2; }
mkfifo ready-8080 ready-8081
trap 'kill $(jobs -p)' EXIT
listen 0.0.0.0 8080; listen 127.0.0.1 8081
echo '--- none'; "$@" scan policy.yaml --report json
nft -f last-drop.nft
echo '--- last-drop'; "$@" scan policy.yaml --report json
nft add rule inet filter input tcp dport 8080 accept; nft flush chain inet filter last
echo '--- emptied'; "$@" scan policy.yaml --report json
nft flush ruleset; iptables-nft-restore < rules.v4; ip6tables-nft-restore < rules.v6
echo '--- iptables'; "$@" scan policy.yaml --report json
mount --make-rprivate /; mount -t tmpfs none /etc/systemd/system; mkdir /etc/systemd/system/sysinit.target.wants
ln -s /lib/systemd/system/nftables.service /etc/systemd/system/sysinit.target.wants/nftables.service
mount --bind stored.nft /etc/nftables.conf; nft -f stored.nft
echo '--- stored'; "$@" scan stored.yaml --report json
echo 'flush ruleset' > stored.nft
echo '--- lost'; "$@" scan stored.yaml --report json
echo 'no rule' > stored.nft
echo '--- garbled'; "$@" scan stored.yaml --report json
`

const POLICY = `ccm:
  resources:
    - firewall:
        - input: { default: drop, loopback: accept, spoofed_loopback: drop, base_chain: present, allowed: [tcp:22], stored: false }
`

const LAST_DROP = `table inet filter {
  chain last {
    counter reject with icmpx admin-prohibited
  }
  chain input {
    type filter hook input priority 0; policy accept;
    iif lo accept
    ip saddr 127.0.0.0/8 drop
    ip6 saddr ::1 drop
    ct state established,related accept
    tcp dport 22 accept
    jump last
  }
}
`

// nft shows of these rules no more than that they have extensions.
const saved = (source: string): string => `*filter
:INPUT ACCEPT [0:0]
-A INPUT -i lo -m comment --comment "myself" -j ACCEPT
-A INPUT -s ${source} -j DROP
-A INPUT -p tcp -m multiport --dports 22,8080 -m conntrack --ctstate NEW -j ACCEPT
-A INPUT -m comment --comment "the rest" -j DROP
COMMIT
`

test.skipIf(needs)(
  `rules of nft and iptables are judged by what they do${needs === undefined ? '' : ` (${needs})`}`,
  async () => {
    const directory = temporaryDirectory()
    const stored = POLICY.replace('allowed: [tcp:22], stored: false', 'stored: true')
    const files = {
      'stored.yaml': stored,
      'stored.nft': `flush ruleset\n${LAST_DROP}`,
      'policy.yaml': POLICY,
      'last-drop.nft': LAST_DROP,
      'rules.v4': saved('127.0.0.0/8'),
      'rules.v6': saved('::1'),
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
    const command = ['--net', '--mount', 'bash', '-c', SCRIPT, 'bash', ...PROGRAM]
    const { stdout, stderr } = await start('unshare', command, { cwd: directory }).outcome
    expect(stderr).toBe('')
    const [, ...parts] = stdout.split(/^--- /m)
    const said = Object.fromEntries(parts.map((part) => part.split(/\n(.*)/s)))
    const nobody = 'the kernel, because no chain filters the packets'
    const of = (family: string) => [
      ['base_chain', 'absent', family, undefined],
      ['default', 'accept', family, `accepted at red0 by ${nobody}`],
      ['spoofed_loopback', 'accept', family, `accepted by ${nobody}`],
    ]
    const open = (by: string) => ['allowed', 'open', 'tcp:8080 at 0.0.0.0', `python3 listens; accepted by ${by}`]
    expect(driftIn(said['none'])).toEqual([...of('ip'), ...of('ip6'), open(nobody)])
    expect(driftIn(said['last-drop'])).toEqual([])
    const policy = 'policy accept of inet filter input'
    expect(driftIn(said['emptied'])).toEqual([
      ['default', 'accept', 'ip', `accepted at red0 by ${policy}`],
      ['default', 'accept', 'ip6', `accepted at red0 by ${policy}`],
      open('inet filter input: tcp dport 8080 accept'),
    ])
    expect(driftIn(said['stored'])).toEqual([])
    expect(driftIn(said['lost'])).toEqual(
      ['ip', 'ip6'].flatMap((family) => [
        ['stored', 'accept', `default ${family}`, `accepted at red0 by ${nobody}`],
        ['stored', 'accept', `spoofed_loopback ${family}`, `accepted by ${nobody}`],
      ]),
    )
    expect(resourceOf(said['garbled'])).toMatchObject({
      verdict: 'error',
      unknown: [{ property: 'stored', detail: expect.stringContaining('/etc/nftables.conf') }],
    })
    const rule = '-A INPUT -p tcp -m multiport --dports 22,8080 -m conntrack --ctstate NEW -j ACCEPT'
    expect(driftIn(said['iptables'])).toEqual([open(`ip filter INPUT: ${rule}`)])
  },
)

interface Resource {
  readonly verdict: string
  readonly drift?: readonly Record<string, unknown>[]
  readonly unknown?: readonly unknown[]
}

function resourceOf(report: string | undefined): Resource | undefined {
  const run = JSON.parse(report ?? '') as { readonly policies: readonly { readonly resources: readonly Resource[] }[] }
  return run.policies[0]?.resources[0]
}

function driftIn(report: string | undefined): readonly unknown[] {
  const resource = resourceOf(report)
  expect(resource?.unknown ?? []).toEqual([])
  return (resource?.drift ?? []).map(({ property, observed, path, note }) => [property, observed, path, note])
}
