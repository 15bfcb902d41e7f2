import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'

// What keeps the rules beside nftables, which firewall.test.ts is about.
const TIMEOUT_MS = 600_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

const POLICY = { input: { default: 'drop', loopback: 'accept', allowed: ['tcp:22'] } }

const DRIFT = [
  ['default', 'accept', 'ip'],
  ['default', 'accept', 'ip6'],
  ['stored', 'accept', 'default ip'],
  ['stored', 'accept', 'default ip6'],
  ['allowed', 'open', 'tcp:8080 at 0.0.0.0'],
]

interface Manager {
  readonly packages: string
  readonly start: string
  readonly violation: string
  readonly state: string
}

const MANAGERS: Readonly<Record<'ufw' | 'iptables', Manager>> = {
  ufw: {
    packages: 'ufw',
    start: 'ufw allow 22/tcp; ufw --force enable; systemctl enable -q --now ufw',
    violation: 'ufw default allow incoming',
    state: `iptables-save | sed 's/^# .*//; s/\\[.*//'; cat /etc/default/ufw /etc/ufw/user*.rules`,
  },
  iptables: {
    packages: 'iptables-persistent',
    start: `for each in iptables ip6tables; do
        $each -A INPUT -i lo -j ACCEPT; $each -A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
        $each -A INPUT -p tcp --dport 22 -j ACCEPT; $each -P INPUT DROP; done
      netfilter-persistent save; systemctl enable -q --now netfilter-persistent`,
    violation: 'iptables -P INPUT ACCEPT; ip6tables -P INPUT ACCEPT; netfilter-persistent save',
    state: `for each in iptables ip6tables; do $each-save; done | sed 's/^# .*//; s/\\[.*//'; sed 's/^# .*//; s/\\[.*//' /etc/iptables/*`,
  },
}

// Another machine, which begins a connection to ssh, and goes on with it when it is told to.
const PEER = `
ip link add red0 type veth peer name red1; ip address add 192.0.2.1/24 dev red0; ip link set red0 up
unshare --net sleep 600 & peer=$!; trap 'kill $peer' EXIT
until [ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do :; done
ip link set red1 netns $peer
inside() { nsenter --net=/proc/$peer/ns/net "$@"; }
inside ip address add 192.0.2.9/24 dev red1; inside ip link set red1 up
hear() { inside timeout 5 bash -c "exec 3<>/dev/tcp/$1; head -c 7 <&3" 2>/dev/null || echo nothing; }
`
const GOING_ON = `inside bash -c '
  exec 3<>/dev/tcp/192.0.2.1/22; read -r banner <&3; echo >"$1/begun"; read -r _ <"$1/fixed"
  printf "SSH-2.0-test\\r\\n" >&3; timeout 10 head -c 6 <&3 | tail -c 1 | od -An -tu1' bash "$directory"
hear 192.0.2.1/22; echo; hear 192.0.2.1/8080
`
/** What sshd says after the versions. @see RFC 4253, section 12 */
const SSH_MSG_KEXINIT = '20'

describe.skipIf(unavailable)(`firewall managers of a Debian host (${unavailable ?? 'booted for the test'})`, () => {
  test.each(Object.entries(MANAGERS))(
    '%s drops disallowed traffic after a fix, beyond a reboot and until an undo, and cuts off no connection',
    async (...[, { packages, start, violation, state }]) => {
      const host = await bootedHost(packages, start)
      expect((await scan(host)).verdict).toBe('compliant')
      await host.shell(violation)
      const before = await host.shell(state)
      expect(driftOf(await scan(host))).toEqual({ verdict: 'drifted', drift: DRIFT })

      const directory = temporaryDirectory()
      spawnSync('mkfifo', [join(directory, 'begun'), join(directory, 'fixed')])
      const going = host.inNetwork(`${PEER}directory=${directory}\n${GOING_ON}`)
      await host.inNetwork(`read -r _ <${directory}/begun`)
      const fixed = await scan(host, ['--fix'])
      expect(fixed.verdict, fixed.message).toBe('fixed')
      writeFileSync(join(directory, 'fixed'), '\n')
      expect((await going).trim().split(/\s+/)).toEqual([SSH_MSG_KEXINIT, 'SSH-2.0', 'nothing'])
      expect(await host.shell('head -c 6 </dev/tcp/127.0.0.1/8080')).toBe('served')

      await host.reboot()
      const again = await scan(host, ['--fix'])
      expect([again.verdict, again.message, again.actions]).toEqual(['compliant', again.message, []])
      const heard = await host.inNetwork(`${PEER}hear 192.0.2.1/22; echo; hear 192.0.2.1/8080`)
      expect(heard.trim().split('\n')).toEqual(['SSH-2.0', 'nothing'])

      const [fix] = JSON.parse(await host.shell('driftgate fixes --json')) as { readonly run: string }[]
      const undone = await host.run(['driftgate', 'undo', fix?.run ?? ''])
      expect(undone, undone.stdout + undone.stderr).toMatchObject({ code: 0 })
      expect(await host.shell(state)).toBe(before)
      expect(driftOf(await scan(host))).toEqual({ verdict: 'drifted', drift: DRIFT })
    },
    TIMEOUT_MS,
  )
})

async function bootedHost(packages: string, start: string): Promise<DebianHost> {
  const host = await bootForTest(rootFilesystem)
  await host.write('/etc/systemd/system/web.socket', SERVER)
  await host.write('/etc/systemd/system/web@.service', SERVICE)
  await host.write('/root/policy.yaml', JSON.stringify({ ccm: { resources: [{ firewall: [POLICY] }] } }))
  await host.shell(`DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends nftables ${packages} >/dev/null 2>&1
    systemctl disable -q --now nftables; systemctl enable -q --now web.socket ssh; rm -f /etc/ssh/sshd_not_to_be_run
    { ${start}
    } >/dev/null 2>&1`)
  return host
}

// A port that no rule allows, open after each start.
const SERVER = `[Unit]\nDefaultDependencies=no\n[Socket]\nListenStream=0.0.0.0:8080\nAccept=yes\n[Install]\nWantedBy=sockets.target\n`
const SERVICE = '[Service]\nExecStart=/bin/echo served\nStandardOutput=socket\n'

async function scan(host: DebianHost, args: readonly string[] = []): Promise<ResourceResult> {
  const command = ['driftgate', 'scan', '/root/policy.yaml', '--report', 'json', ...args]
  const { code, stdout, stderr } = await host.run(command)
  if (stdout === '') throw new Error(`driftgate ended with ${code} and no report: ${stderr}`)
  const [resource] = (JSON.parse(stdout) as Run).policies.flatMap(({ resources }) => resources)
  if (resource === undefined) throw new Error(stdout)
  return resource
}

function driftOf({ verdict, drift }: ResourceResult): { readonly verdict: string; readonly drift: readonly object[] } {
  return { verdict, drift: drift.map(({ property, observed, path }) => [property, observed, path]) }
}
