import { describe, expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { firewall, FIREWALL_CONFIGURATION } from './baseline/firewall.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'

// A start of the host and four scans for each rule.
const TIMEOUT_MS = 600_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

// A port that no rule allows, open after each start.
const SERVER = `[Unit]\nDefaultDependencies=no\n[Socket]\nListenStream=0.0.0.0:8080\nAccept=yes\n[Install]\nWantedBy=sockets.target\n`
const SERVICE = '[Service]\nExecStart=/bin/echo served\nStandardOutput=socket\n'

// Another machine, which says what it hears at a port of the host.
const PEER = `
ip link add red0 type veth peer name red1; ip address add 192.0.2.1/24 dev red0; ip link set red0 up
unshare --net sleep 60 & peer=$!
until [ "$(readlink /proc/$peer/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do :; done
ip link set red1 netns $peer
inside() { nsenter --net=/proc/$peer/ns/net "$@"; }
inside ip address add 192.0.2.9/24 dev red1; inside ip link set red1 up
hear() { inside timeout 5 bash -c "exec 3<>/dev/tcp/192.0.2.1/$1; head -c 7 <&3" 2>/dev/null || echo nothing; }
hear 22; echo; hear 8080
kill $peer; ip link del red0 2>/dev/null || true
`

describe.skipIf(unavailable)(`a firewall on a Debian host (${unavailable ?? 'booted for the test'})`, () => {
  test(
    `${firewall.length} violations are found and fixed beyond a reboot, and ssh stays reachable`,
    async () => {
      const host = await bootedHost()
      for (const { name, properties, violation, drift } of firewall) {
        await host.write('/etc/nftables.conf', FIREWALL_CONFIGURATION)
        await host.shell('nft -f /etc/nftables.conf')
        await host.write(
          '/root/policy.yaml',
          JSON.stringify({ ccm: { resources: [{ firewall: [{ [name]: properties }] }] } }),
        )
        await host.shell(violation)
        expect(driftOf(await scan(host)), name).toEqual({ verdict: 'drifted', drift })
        expect((await scan(host, ['--fix'])).verdict, name).toBe('fixed')
        await host.reboot()
        const again = await scan(host, ['--fix'])
        expect([again.verdict, again.message, again.actions], name).toEqual(['compliant', again.message, []])
        expect((await host.inNetwork(PEER)).trim().split('\n'), name).toEqual(['SSH-2.0', 'nothing'])
      }
    },
    TIMEOUT_MS,
  )
})

async function bootedHost(): Promise<DebianHost> {
  const host = await bootForTest(rootFilesystem)
  await host.write('/etc/systemd/system/web.socket', SERVER)
  await host.write('/etc/systemd/system/web@.service', SERVICE)
  await host.shell(`DEBIAN_FRONTEND=noninteractive apt-get install -qq -y nftables >/dev/null 2>&1
    systemctl enable -q --now web.socket nftables ssh; rm -f /etc/ssh/sshd_not_to_be_run`)
  return host
}

async function scan(host: DebianHost, args: readonly string[] = []): Promise<ResourceResult> {
  const { code, stdout, stderr } = await host.run([
    'driftgate',
    'scan',
    '/root/policy.yaml',
    '--report',
    'json',
    ...args,
  ])
  if (stdout === '') throw new Error(`driftgate ended with ${code} and no report: ${stderr}`)
  const [resource] = (JSON.parse(stdout) as Run).policies.flatMap(({ resources }) => resources)
  if (resource === undefined) throw new Error(stdout)
  return resource
}

function driftOf({ verdict, drift }: ResourceResult): object {
  return { verdict, drift: drift.map(({ property, observed, path }) => [property, observed, path]) }
}
