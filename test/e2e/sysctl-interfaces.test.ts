import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { PROGRAM, start } from '../support/driftgate.ts'
import { OWN_STATE } from '../support/mount.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const canSeparate = spawnSync('unshare', [
  '--net',
  '--mount',
  'ip',
  'link',
  'add',
  'v0',
  'type',
  'veth',
  'peer',
  'name',
  'v1',
])
const needs = canSeparate.status === 0 ? undefined : 'needs root, unshare and ip'

const SCRIPT = `
ip link add red0 type veth peer name red1
ip link add red0.7 type bridge
mount --make-rprivate /
${OWN_STATE}
mount -t tmpfs none /etc/sysctl.d
echo 'net.ipv4.conf.all.send_redirects = 0' > /etc/sysctl.d/10-standard.conf
echo 'net.ipv4.conf.default.send_redirects = 0' >> /etc/sysctl.d/10-standard.conf
echo 1 > /proc/sys/net/ipv4/conf/red0/send_redirects
echo 1 > /proc/sys/net/ipv4/conf/red0.7/send_redirects
echo 0 > /proc/sys/net/ipv4/conf/red1/send_redirects
echo 0 > /proc/sys/net/ipv4/conf/all/send_redirects
echo 0 > /proc/sys/net/ipv4/conf/default/send_redirects
echo '--- audit'; "$@" scan policy.yaml --report json
echo "--- fix"; "$@" scan policy.yaml --fix --report json
echo "--- again"; "$@" scan policy.yaml --report json
echo "--- now"; cat /proc/sys/net/ipv4/conf/red0/send_redirects /proc/sys/net/ipv4/conf/red0.7/send_redirects
echo "--- restart"
for each in all default red0 red1 red0.7; do echo 1 > /proc/sys/net/ipv4/conf/$each/send_redirects; done
/usr/lib/systemd/systemd-sysctl
cat /proc/sys/net/ipv4/conf/all/send_redirects /proc/sys/net/ipv4/conf/red0/send_redirects /proc/sys/net/ipv4/conf/red0.7/send_redirects
echo "--- sealed"
echo 1 > /proc/sys/net/ipv4/conf/red0/send_redirects
mount -o remount,ro,bind /proc/sys 2>/dev/null || { mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys; }
"$@" scan policy.yaml --fix --report json
`

const POLICY = `ccm:
  resources:
    - sysctl:
        - net.ipv4.conf.all.send_redirects:
            value: 0
`

// `all` and `default` are right, as the usual fix leaves them, and two interfaces are not.
test.skipIf(needs)(
  `an interface that weakens a parameter is found, fixed, and stays so${needs === undefined ? '' : ` (${needs})`}`,
  async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'policy.yaml'), POLICY)
    const command = ['--net', '--mount', 'sh', '-c', SCRIPT, 'sh', ...PROGRAM]
    const { stdout, stderr } = await start('unshare', command, { cwd: directory }).outcome
    expect(stderr).toBe('')
    const [, ...parts] = stdout.split(/^--- /m)
    const said = Object.fromEntries(parts.map((part) => part.split(/\n(.*)/s)))
    expect(resourceOf(said['audit'])).toMatchObject({
      verdict: 'drifted',
      drift: [
        { property: 'interface', path: 'red0', desired: '0', observed: '1' },
        { property: 'interface', path: 'red0.7', desired: '0', observed: '1' },
      ],
    })
    expect(resourceOf(said['fix'])).toMatchObject({ verdict: 'fixed' })
    expect(resourceOf(said['again'])).toMatchObject({ verdict: 'compliant' })
    expect(said['now']).toBe('0\n0\n')
    expect(said['restart']).toBe('0\n0\n0\n')
    expect(resourceOf(said['sealed'])).toMatchObject({ verdict: 'fix-failed' })
  },
)

// 192.0.2.2 is the gateway, and what its interface peer0 sends is forged. Only all and default are as a baseline wants them.
const ATTACK = `
unshare --net sleep 300 & peer=$!
while [ "$(readlink /proc/$peer/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do :; done
trap 'kill $peer' EXIT
ip link add red0 address 02:00:00:00:00:0a type veth peer name peer0 address 02:00:00:00:00:0b netns $peer
cd /proc/sys/net
for scope in all default red0; do echo 0 > ipv6/conf/$scope/accept_dad; done
echo 1 > ipv6/conf/red0/accept_ra; echo 1 > ipv4/conf/red0/accept_redirects
for scope in all default; do echo 0 > ipv6/conf/$scope/accept_ra; echo 0 > ipv4/conf/$scope/accept_redirects; done
cd "$OLDPWD"
ip address add 192.0.2.1/24 dev red0; ip link set red0 up; ip route add default via 192.0.2.2
ip neighbour replace 192.0.2.3 lladdr 02:00:00:00:00:0c dev red0 nud permanent
in_peer() { nsenter --target $peer --net "$@"; }
in_peer ip address add 192.0.2.2/24 dev peer0; in_peer ip link set peer0 up
attack() {
  in_peer python3 "$forge" redirect 02:00:00:00:00:0a
  in_peer python3 "$forge" advertise 33:33:00:00:00:01
  ip route get 198.51.100.9 | sed -n 's/.* via \\([^ ]*\\).*/\\1/p'
  ip -6 route show default | sed -n 's/.* via \\([^ ]*\\).*/\\1/p'
}
mount --make-rprivate /; mount -t tmpfs none /etc/sysctl.d
forge=$1; shift
echo '--- right in all and default'; attack
echo '--- audit'; "$@" scan policy.yaml --report json
echo '--- fix'; "$@" scan policy.yaml --fix --report json
ip route flush cache; ip -6 route flush root default; ip -6 route flush proto ra
echo '--- fixed'; attack
`

const BELIEVE_NOBODY = `ccm:
  resources:
    - sysctl:
        - net.ipv4.conf.all.accept_redirects: { value: 0 }
        - net.ipv6.conf.all.accept_ra: { value: 0 }
`

const packetsNeed = needs ?? (spawnSync('python3', ['-c', 'pass']).status === 0 ? undefined : 'needs python3')

test.skipIf(packetsNeed)(
  `an interface that obeys forged packets despite all and default is found, and ignores them once fixed${packetsNeed === undefined ? '' : ` (${packetsNeed})`}`,
  async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'policy.yaml'), BELIEVE_NOBODY)
    const forge = fileURLToPath(new URL('../support/forged-packets.py', import.meta.url))
    const command = ['--net', '--mount', 'sh', '-c', ATTACK, 'sh', forge, ...PROGRAM]
    const { stdout, stderr } = await start('unshare', command, { cwd: directory }).outcome
    expect(stderr).toBe('')
    const [, ...parts] = stdout.split(/^--- /m)
    const said = Object.fromEntries(parts.map((part) => part.split(/\n(.*)/s)))
    expect(said['right in all and default']).toBe('192.0.2.3\nfe80::ff:fe00:b\n')
    const { resources } = JSON.parse(said['audit'] ?? '').policies[0]
    const onInterface = expect.arrayContaining([
      expect.objectContaining({ property: 'interface', path: 'red0', desired: '0', observed: '1' }),
    ])
    expect(resources).toMatchObject([{ drift: onInterface }, { drift: onInterface }])
    expect(JSON.parse(said['fix'] ?? '').policies[0].resources).toMatchObject([
      { verdict: 'fixed' },
      { verdict: 'fixed' },
    ])
    expect(said['fixed']).toBe('192.0.2.2\n')
  },
)

function resourceOf(report: string | undefined): unknown {
  return JSON.parse(report ?? '').policies[0].resources[0]
}
