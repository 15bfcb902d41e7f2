import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { DRIFTGATE, start } from '../support/driftgate.ts'
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
test.skipIf(needs !== undefined)(
  `an interface that weakens a parameter is found, fixed, and stays so${needs === undefined ? '' : ` (${needs})`}`,
  async () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'policy.yaml'), POLICY)
    const command = ['--net', '--mount', 'sh', '-c', SCRIPT, 'sh', process.execPath, DRIFTGATE]
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

function resourceOf(report: string | undefined): unknown {
  return JSON.parse(report ?? '').policies[0].resources[0]
}
