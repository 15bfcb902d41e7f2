// The packages around the one file: what lintian says of the one for Debian, and a host where it is installed, used and purged.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { invitationWord, makeSecret } from '../../src/fleet/nats/enrolment.ts'
import { makeKeys } from '../../src/host/signing/keys.ts'
import { packagesForTests } from '../support/one-file.ts'
import { needsPrograms } from '../support/programs.ts'
import { bootHost, prepareRootFilesystem } from './debian-host.ts'

const packages = packagesForTests()
const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

test('the sums are those of all packages', () => {
  const sums = execFileSync('sh', ['-c', 'sha256sum --check SHA256SUMS-*'], {
    cwd: packages.directory,
    encoding: 'utf8',
  })
  expect(sums.trim().split('\n')).toHaveLength(6)
  expect(readdirSync(packages.directory)).toHaveLength(7)
})

test.skipIf(needsPrograms('lintian'))('lintian finds nothing that is not explained in an override', () => {
  const args = ['--no-cfg', '--allow-root', '--fail-on', 'error,warning', packages.file('.deb')]
  expect(execFileSync('lintian', args, { encoding: 'utf8' })).toBe('')
})

describe.skipIf(unavailable)(`a host of Debian (${unavailable ?? 'booted for the test'})`, () => {
  test('has no Node, installs the package, scans, fixes and takes back with it, and keeps nothing after a purge', async () => {
    if (rootFilesystem.kind !== 'ready') throw new Error('unreachable: the test is skipped without a root')
    const host = await bootHost(rootFilesystem.path)
    onTestFinished(() => host.stop())
    await host.shell('node=$(command -v node); umount "$node"; rm "$node"')
    expect((await host.run(['sh', '-c', 'command -v node'])).code).not.toBe(0)
    const sent = await host.run(['sh', '-c', 'cat >/root/driftgate.deb'], {
      stdin: readFileSync(packages.file('.deb')),
    })
    expect(sent.code).toBe(0)
    await host.shell('dpkg --install /root/driftgate.deb')

    expect(await host.shell('stat -c "%a %U" /var/lib/driftgate /etc/driftgate')).toBe('700 root\n755 root\n')
    expect(await host.shell('driftgate version')).toContain('form: single executable file')
    expect(await host.shell('driftgate validate @ssh @linux')).toContain('2 policies valid')
    expect(
      await host.shell('bash -c ". /usr/share/bash-completion/completions/driftgate; complete -p driftgate"'),
    ).toContain('_driftgate')

    await host.write('/etc/driftgate/motd.yaml', POLICY)
    await host.shell('echo old >/etc/motd')
    expect(await host.run(['driftgate', 'scan', '/etc/driftgate/motd.yaml'])).toMatchObject({ code: 2 })
    expect(
      await host.run(['driftgate', 'scan', '/etc/driftgate/motd.yaml', '--fix', '--confirm-within', '1h']),
    ).toMatchObject({ code: 0 })
    expect(await host.shell('driftgate confirm')).toContain('stays')
    await host.shell('systemctl start driftgate@motd.service')
    await host.shell('systemctl enable --now driftgate@motd.timer; systemctl is-active driftgate@motd.timer')
    expect(await host.shell('ls /var/lib/driftgate/history')).not.toBe('')
    expect(await host.run(['driftgate', 'undo', '--latest'])).toMatchObject({ code: 0 })
    expect(await host.shell('cat /etc/motd')).toBe('old\n')
    expect((await host.run(['systemctl', 'start', 'driftgate@motd.service'])).code).not.toBe(0)

    await host.shell(
      'systemctl disable --now driftgate@motd.timer; rm /etc/driftgate/motd.yaml; dpkg --purge driftgate',
    )
    const left =
      'find / -xdev -iname "*driftgate*" -not -path "/proc/*" -not -path "/root/*" -not -path "/run/*" -not -path "/var/lib/systemd/*" -not -path "/tmp/*"'
    expect(await host.shell(left)).toBe('')
  }, 300_000)

  test('the agent of the package runs once the host has joined a fleet, and not before', async () => {
    if (rootFilesystem.kind !== 'ready') throw new Error('unreachable: the test is skipped without a root')
    const host = await bootHost(rootFilesystem.path)
    onTestFinished(() => host.stop())
    await host.run(['sh', '-c', 'cat >/root/driftgate.deb'], { stdin: readFileSync(packages.file('.deb')) })
    const stateOf = async (): Promise<string> =>
      host.shell('systemctl is-enabled driftgate-agent || :; systemctl is-active driftgate-agent || :')
    await host.shell('dpkg --install /root/driftgate.deb')
    expect(await stateOf()).toBe('disabled\ninactive\n')
    await host.shell('systemctl start driftgate-agent')
    expect(await stateOf()).toBe('disabled\ninactive\n')

    expect((await host.run(['driftgate', 'fleet', 'join', '-'], { stdin: invitation() })).code).toBe(0)
    await host.shell('dpkg --install /root/driftgate.deb')
    expect(await stateOf()).toBe('disabled\ninactive\n')
    await host.shell('systemctl enable --now driftgate-agent')
    const said = 'until journalctl --unit driftgate-agent --grep "cannot connect" --quiet; do :; done'
    expect(await host.shell(said)).toContain('the last verified assignment stays in force')
    expect((await host.run(['driftgate', 'agent', '--once'])).stderr).toContain('another agent is running')
    await host.shell('systemctl stop driftgate-agent')
    expect(await host.shell('systemctl show --property=Result driftgate-agent')).toBe('Result=success\n')

    await host.shell('dpkg --purge driftgate; test -e /etc/driftgate/agent/host.pem')
    expect(await host.shell('find /etc/systemd /lib/systemd -name "*driftgate*"')).toBe('')
    await host.shell('dpkg --install /root/driftgate.deb')
    expect(await stateOf()).toBe('enabled\nactive\n')
    await host.shell('dpkg --remove driftgate')
    expect(await host.shell('systemctl is-active driftgate-agent || :')).toBe('inactive\n')
  }, 300_000)
})

/** The invitation of a host to a fleet; no process listens at its server. */
function invitation(): string {
  const { publicPem } = makeKeys()
  const server = { server: 'tls://127.0.0.1:1', authority: 'none\n', policyKey: publicPem, secret: makeSecret() }
  return invitationWord({ name: 'web01', ring: 'all', interval: '1h', ...server })
}

const POLICY = `policy: { id: motd }
ccm:
  resources:
    - file:
        - /etc/motd: { ensure: present, content: "new\\n", owner: root, group: root, mode: "0644" }
`
