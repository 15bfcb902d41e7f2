import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { DRIFTGATE, start } from '../support/driftgate.ts'
import { OWN_STATE } from '../support/mount.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const canSeparate = spawnSync('unshare', [
  '--net',
  '--mount',
  'sh',
  '-c',
  'nft list ruleset && ip link && iptables -V && ufw version && python3 -V && firewall-offline-cmd --version && dbus-daemon --version',
])
const needs =
  canSeparate.status === 0
    ? undefined
    : 'needs root, unshare, nft, iptables, ufw, firewalld, dbus-daemon, ip and python3'

// A network and an /etc of its own, and two servers, one of which is that of ssh.
const START = `
set -eu; directory=$PWD; scan() { set +e; "$node" "$driftgate" scan policy.yaml --report json "$@"; set -e; }
node=$1; driftgate=$2; export SSH_CONNECTION='192.0.2.9 5555 192.0.2.1 22'
mount --make-rprivate /; mount -t sysfs none /sys; ${OWN_STATE}
mkdir own; mount -t tmpfs none own; cp -a /etc own; mount --bind own/etc /etc
rm -rf /etc/systemd/system; wanted=/etc/systemd/system/multi-user.target.wants; mkdir -p "$wanted"
ip link set lo up; ip link add red0 type veth peer name red1; ip address add 192.0.2.1/24 dev red0
ip link set red0 up; ip link set red1 up
mkfifo ready end
python3 -c "
import socket
servers = [socket.create_server(('0.0.0.0', port)) for port in (22, 8080)]
print(flush=True)
open('end').read()" >ready &
read -r _ <ready; trap 'echo >end' EXIT
`

// 8080 is not allowed, 443 is open beforehand.
const MANAGERS = {
  nftables: `
ln -s /lib/systemd/system/nftables.service "$wanted"
cat >/etc/nftables.conf <<'end'
flush ruleset
table inet mine {
  chain arriving { type filter hook input priority 5; tcp dport 443 accept; }
}
end
nft -f /etc/nftables.conf; nft add table ip others
lose() { nft flush chain inet mine arriving; nft 'add chain inet mine arriving { policy accept; }'; nft delete table ip others; }
state() { nft list tables | sort | while read -r table; do nft list $table; done; cat /etc/nftables.conf; }
`,
  iptables: `
printf '[Service]\\nExecStart=/bin/true\\n[Install]\\nWantedBy=multi-user.target\\n' >/etc/systemd/system/netfilter-persistent.service
ln -s ../netfilter-persistent.service "$wanted"
mkdir -p /etc/iptables
printf '*nat\\n:PREROUTING ACCEPT [0:0]\\nCOMMIT\\n*filter\\n:INPUT ACCEPT [0:0]\\n-A INPUT -p tcp -m tcp --dport 443 -j ACCEPT\\nCOMMIT\\n' >/etc/iptables/rules.v4
iptables-restore /etc/iptables/rules.v4; ip6tables -P INPUT ACCEPT
lose() { iptables -P INPUT ACCEPT; ip6tables -P INPUT ACCEPT; iptables -F INPUT; }
state() { for family in ip ip6; do "\${family}tables-save"; done | sed 's/^# .*//; s/\\[.*//'; tail -n +1 /etc/iptables/*; }
`,
  ufw: `
ln -s /lib/systemd/system/ufw.service "$wanted"
ufw --force enable; ufw default allow incoming; ufw allow 443/tcp
lose() { iptables -P INPUT ACCEPT; ip6tables -P INPUT ACCEPT; iptables -F ufw-user-input; iptables -F ufw-before-input; }
state() { iptables-save | sed 's/^# .*//; s/\\[.*//'; cat /etc/default/ufw /etc/ufw/user*.rules; }
`,
  firewalld: `
ln -s /lib/systemd/system/firewalld.service "$wanted"
mount -t tmpfs none /run; mount -t tmpfs none /var/log; mkdir /run/dbus
printf '<zone target="ACCEPT"><port port="443" protocol="tcp"/></zone>\\n' >/etc/firewalld/zones/public.xml
dbus-daemon --system --fork --nopidfile; firewalld --nofork --nopid &
until firewall-cmd --state; do :; done
lose() { firewall-cmd --zone=public --add-port=8080/tcp >&2; }
state() { nft list ruleset; cat /etc/firewalld/firewalld.conf /etc/firewalld/zones/*.xml; }
`,
} as const

const POLICY = `ccm:
  resources:
    - firewall:
        - input: { default: drop, loopback: accept, spoofed_loopback: drop, allowed: [tcp:22, tcp:443] }
`

type Run = {
  readonly policies: readonly {
    readonly resources: readonly {
      readonly verdict: string
      readonly message?: string
      readonly drift: readonly object[]
    }[]
  }[]
}

/** What a script says that has marked its parts. */
async function tell(manager: keyof typeof MANAGERS, script: string): Promise<Readonly<Record<string, string>>> {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'policy.yaml'), POLICY)
  const whole = `${START}{ ${MANAGERS[manager]} } >&2\n${script}`
  const command = [
    '--net',
    '--mount',
    '--pid',
    '--fork',
    '--mount-proc',
    'bash',
    '-c',
    whole,
    'bash',
    process.execPath,
    DRIFTGATE,
  ]
  const { stdout, stderr } = await start('unshare', command, { cwd: directory }).outcome
  const [before, ...parts] = stdout.split(/^--- /m)
  expect(before, stderr).toBe('')
  return Object.fromEntries(parts.map((part) => part.split(/\n(.*)/s)))
}

function resourceOf(report: string | undefined): Run['policies'][number]['resources'][number] | undefined {
  return (JSON.parse(report ?? '') as Run).policies[0]?.resources[0]
}

const FIXED = `
echo '--- open'; scan
echo '--- fix'; scan --fix
echo '--- rules'; state
echo '--- again'; scan --fix
echo '--- the same'; state
lose; echo '--- lost'; scan
echo '--- reloaded'; scan --fix
`

test.skipIf(needs).each(Object.keys(MANAGERS) as (keyof typeof MANAGERS)[])(
  `%s drops what is not allowed after a fix, also when its rules were lost${needs === undefined ? '' : ` (${needs})`}`,
  async (manager) => {
    const said = await tell(manager, FIXED)
    expect(resourceOf(said['open'])?.drift.length).toBeGreaterThan(4)
    expect(resourceOf(said['fix'])).toMatchObject({ verdict: 'fixed' })
    expect(said['rules']).toMatch(/22/)
    expect(resourceOf(said['again'])).toMatchObject({ verdict: 'compliant' })
    expect(said['the same']).toBe(said['rules'])
    expect(resourceOf(said['lost'])).toMatchObject({ verdict: 'drifted' })
    expect(resourceOf(said['reloaded'])).toMatchObject({ verdict: 'fixed' })
  },
)

// Rules that nothing stores stay as they are, also those of the tables that a fix changes.
const TAKEN_BACK = `
echo '--- before'; state
echo '--- fix'; scan --fix
echo '--- undo'; "$node" "$driftgate" undo --latest --report json || true
echo '--- after'; state
echo '--- redo'; "$node" "$driftgate" undo --latest --report json || true
echo '--- again'; scan
`

const UNSTORED = {
  nftables: 'nft insert rule inet mine arriving tcp dport 444 accept; nft add table ip6 passing',
  iptables: 'iptables -I INPUT -p tcp --dport 444 -j ACCEPT',
  ufw: 'true',
  firewalld: 'true',
} as const

const LINKED = 'mv /etc/nftables.conf /etc/rules; ln -s rules /etc/nftables.conf'

test.skipIf(needs).each(
  (Object.keys(MANAGERS) as (keyof typeof MANAGERS)[]).flatMap((manager) => [
    [manager, 'added', UNSTORED[manager]] as const,
    ...(manager === 'nftables' ? [[manager, 'added to a file behind a link', LINKED] as const] : []),
    // firewalld loads its rules from its files alone: what a reload brought back cannot be taken away without those.
    ...(manager === 'firewalld' ? [] : [[manager, 'loaded again', `scan --fix >/dev/null; lose`] as const]),
  ]),
)('undoes stored and active rules that %s %s', async (manager, _, prepare) => {
  const said = await tell(manager, `${prepare}${TAKEN_BACK}`)
  expect(resourceOf(said['fix'])).toMatchObject({ verdict: 'fixed' })
  expect(resourceOf(said['undo'])).toMatchObject({ verdict: 'fixed' })
  expect(said['after']).toBe(said['before'])
  expect(resourceOf(said['redo'])).toMatchObject({ verdict: 'fixed' })
  expect(resourceOf(said['again'])).toMatchObject({ verdict: 'compliant' })
})

/** A program in place of one that loads; `%s` is the real one. */
function instead(program: string, script: string): string {
  return `program=$(readlink -f "$(command -v ${program})")
cp "$program" real; printf '#!/bin/sh\\n${script}\\n' "$directory/real" >instead; chmod 755 instead
echo '--- before'; state
mount --bind instead "$program"
echo '--- fix'; scan --fix
umount "$program"
echo '--- after'; state
`
}

test.skipIf(needs).each([
  [
    'nftables',
    'cannot be loaded',
    'nft',
    'case "$*" in *-e*) echo "no such luck" >&2; exit 1;; esac; exec %s "$@"',
    /no such luck/,
  ],
  [
    'iptables',
    'cannot be loaded for IPv6',
    'xtables-nft-multi',
    'case "$0 $*" in *ip6tables-restore*--test*) ;; *ip6tables-restore*-n*) echo "no such luck" >&2; exit 1;; esac; exec %s "${0##*/}" "$@"',
    /no such luck/,
  ],
  [
    'ufw',
    'is refused half-way',
    'ufw',
    'case "$*" in "default deny"*) echo "no such luck" >&2; exit 1;; esac; exec %s "$@"',
    /no such luck/,
  ],
  [
    'firewalld',
    'does not load',
    'firewall-cmd',
    'case "$*" in --reload) mkdir /run/refused 2>/dev/null && { echo "no such luck" >&2; exit 1; };; esac; exec /usr/bin/python3 -Es %s "$@"',
    /no such luck/,
  ],
] as const)('restores rules and files: %s %s', async (...[manager, , program, script, message]) => {
  const said = await tell(manager, instead(program, script))
  expect(resourceOf(said['fix'])).toMatchObject({
    verdict: 'fix-failed',
    message: expect.stringMatching(message),
  })
  expect(resourceOf(said['fix'])?.message).toContain('the previous rules are restored')
  expect(said['after']).toBe(said['before'])
})

test.skipIf(needs)('rules that are flushed at once are restored, and the fix fails', async () => {
  const emptying = 'real=%s; "$real" "$@" || exit; case "$*" in *-e*) "$real" flush chain inet mine arriving;; esac'
  const said = await tell('nftables', instead('nft', emptying))
  expect(resourceOf(said['fix'])).toMatchObject({
    verdict: 'fix-failed',
    message: expect.stringMatching(/would still not be met .*; the previous rules are restored/),
  })
  expect(said['after']).toBe(said['before']?.replace('\t\ttcp dport 443 accept\n', ''))
})
