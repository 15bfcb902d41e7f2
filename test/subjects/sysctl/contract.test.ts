import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sysctl } from '../../../src/subjects/sysctl/index.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createKernelParameterControl, openKernelParameters } from '../../../src/subjects/sysctl/live.ts'
import type { Remediator } from '../../../src/host/remediator.ts'
import type { Target } from '../../../src/host/target.ts'
import { auditResource, type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { needsRootToFix, put } from '../../support/contract.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { opening, reading, writing } from '../../support/opening.ts'
import { SYSCTL } from '../../../src/subjects/sysctl/subject.ts'

/** A machine whose /proc/sys and configuration lie in a directory. */
function machineIn(directory: string): Target {
  const parameters = openKernelParameters(directory)
  return {
    ...createLocalTarget(),
    open: opening(createLocalTarget(), reading(SYSCTL, parameters)),
    forget: () => parameters.forget(),
  }
}

function handsIn(directory: string): Remediator {
  const remediator = createLocalRemediator(NO_JOURNAL)
  return {
    ...remediator,
    open: opening(remediator, writing(SYSCTL, createKernelParameterControl(directory))),
    createDirectory: (path, attributes) => remediator.createDirectory(join(directory, path), attributes),
    writeFile: (path, content, attributes) => remediator.writeFile(join(directory, path), content, attributes),
  }
}

type Files = Readonly<Record<string, string>>

const BASE: Files = { 'proc/sys/kernel/ostype': 'Linux\n', 'usr/lib/systemd/systemd-sysctl': '' }

function scene(title: string, state: ContractScene['state'], files: Files, properties: object): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      put(directory, { ...BASE, ...files })
      return { name: 'kernel.sysrq', value: '0', ...properties }
    },
    target: machineIn,
    remediator: handsIn,
  }
}

const SYSRQ = 'proc/sys/kernel/sysrq'
const CONF = 'proc/sys/net/ipv4/conf'

const REDIRECTS: Files = Object.fromEntries(
  Object.entries({ all: '0', default: '0', lo: '1', eth0: '1', 'eth0.5': '0' }).flatMap(([name, value]) => [
    [`${CONF}/${name}/send_redirects`, `${value}\n`],
    [`${CONF}/${name}/forwarding`, '0\n'],
  ]),
)

const scenes: readonly ContractScene[] = [
  scene('now and stored', 'compliant', { [SYSRQ]: '0\n', 'etc/sysctl.d/50-a.conf': 'kernel.sysrq = 0\n' }, {}),
  scene('neither now nor stored', 'fixable', { [SYSRQ]: '16\n' }, {}),
  scene('now and not stored', 'fixable', { [SYSRQ]: '0\n' }, { value: { at_most: '1' } }),
  scene('stored and not now', 'fixable', { [SYSRQ]: '1\n', 'usr/lib/sysctl.d/50-a.conf': 'kernel/sysrq=0\n' }, {}),
  scene(
    'the right line is overruled',
    'fixable',
    { [SYSRQ]: '0\n', 'etc/sysctl.d/10-a.conf': 'kernel.sysrq = 0\n', 'run/sysctl.d/99-b.conf': 'kernel.sysrq = 1\n' },
    {},
  ),
  scene(
    'an interface that weakens it',
    'fixable',
    { ...REDIRECTS, 'etc/sysctl.d/10-a.conf': 'net.ipv4.conf.all.send_redirects = 0\n' },
    { name: 'net.ipv4.conf.all.send_redirects' },
  ),
  scene('now, where that will do', 'compliant', { [SYSRQ]: '0\n' }, { if_unstored: 'compliant' }),
  scene('a parameter that the kernel lacks', 'unfixable', {}, {}),
  scene('a parameter that may be missing', 'compliant', {}, { if_absent: 'compliant' }),
  scene(
    'a value that nothing says how to reach',
    'unfixable',
    { [SYSRQ]: '1\n', 'etc/sysctl.d/10-a.conf': 'kernel.sysrq = 0\n' },
    { value: { not: '1' } },
  ),
]

/** Their fixes write files of root. */
const FIXED_AS_ROOT = [
  'neither now nor stored',
  'now and not stored',
  'the right line is overruled',
  'an interface that weakens it',
]

for (const { name, run } of contractTests(sysctl, { scenes }))
  test.skipIf(needsRootToFix(name, FIXED_AS_ROOT))(name, run)

test.each<[string, Files, string]>([
  ['no /proc', { 'proc/sys/kernel/ostype': '' }, 'is not visible'],
  ['no systemd-sysctl', { [SYSRQ]: '0\n' }, 'systemd-sysctl is not installed'],
])('with %s it is unknown, not compliant', async (_title, files, detail) => {
  const directory = temporaryDirectory()
  put(directory, Object.fromEntries(Object.entries(files).filter(([, text]) => text !== '')))
  if (files[SYSRQ] !== undefined) put(directory, { 'proc/sys/kernel/ostype': 'Linux\n' })
  await expect(told(directory)).resolves.toMatchObject({ verdict: 'error', text: expect.stringContaining(detail) })
})

test('with systemd-sysctl masked, or a dangling link that may hide a file, the stored value is unknown', async () => {
  const masked = temporaryDirectory()
  put(masked, { ...BASE, [SYSRQ]: '0\n', 'etc/sysctl.d/a.conf': 'kernel.sysrq=0\n', 'etc/systemd/system/x': '' })
  symlinkSync('/dev/null', join(masked, 'etc/systemd/system/systemd-sysctl.service'))
  await expect(told(masked)).resolves.toMatchObject({ verdict: 'error', text: expect.stringContaining('masked') })
  const empty = temporaryDirectory()
  put(empty, { ...BASE, [SYSRQ]: '0\n', 'etc/sysctl.d/a.conf': 'kernel.sysrq=0\n' })
  put(empty, { 'etc/systemd/system/systemd-sysctl.service': '', 'etc/sysctl.d/old.conf/kept': '' })
  await expect(told(empty)).resolves.toMatchObject({ verdict: 'error', text: expect.stringContaining('masked') })
  const dangling = temporaryDirectory()
  put(dangling, { ...BASE, [SYSRQ]: '0\n', 'etc/sysctl.d/b.conf': '', 'usr/lib/sysctl.d/a.conf': 'kernel.sysrq=0\n' })
  symlinkSync('/nowhere', join(dangling, 'etc/sysctl.d/a.conf'))
  await expect(told(dangling)).resolves.toMatchObject({ verdict: 'error', text: expect.stringContaining('may hide') })
})

test('a link to /dev/null hides a file of that name, and ufw overrules systemd where it is enabled', async () => {
  const files = { ...BASE, [SYSRQ]: '0\n', 'etc/sysctl.d/b.conf': '', 'usr/lib/sysctl.d/a.conf': 'kernel.sysrq=0\n' }
  const hidden = temporaryDirectory()
  put(hidden, files)
  await expect(told(hidden)).resolves.toMatchObject({ verdict: 'compliant' })
  symlinkSync('/dev/null', join(hidden, 'etc/sysctl.d/a.conf'))
  await expect(told(hidden)).resolves.toMatchObject({ verdict: 'drifted' })
  const ufw = temporaryDirectory()
  const own = { 'etc/default/ufw': 'IPT_SYSCTL=/etc/ufw/sysctl.conf\n', 'etc/ufw/sysctl.conf': '\nkernel/sysrq=1\n' }
  put(ufw, { ...files, ...own, 'etc/ufw/ufw.conf': 'ENABLED=no\n' })
  await expect(told(ufw)).resolves.toMatchObject({ verdict: 'compliant' })
  put(ufw, { 'etc/ufw/ufw.conf': 'ENABLED=yes\n' })
  await expect(told(ufw)).resolves.toMatchObject({
    verdict: 'drifted',
    text: expect.stringContaining('shadowed by /etc/ufw/sysctl.conf:2'),
  })
})

const ACCEPT_RA = 'net.ipv6.conf.all.accept_ra'

// @see systemd.network(5), IPForward=, IPMasquerade= and IPv6AcceptRA=; systemd.unit(5) for masks and drop-ins
test.each([
  ['IPForward=yes', 'net.ipv4.ip_forward', 'drifted'],
  ['IPForward=yes', 'net.ipv6.conf.all.forwarding', 'drifted'],
  ['IPForward=ipv4', 'net.ipv6.conf.all.forwarding', 'compliant'],
  ['IPForward=ipv6', 'net.ipv4.ip_forward', 'compliant'],
  ['IPForward=no', 'net.ipv4.ip_forward', 'compliant'],
  ['IPForward=yes\nIPForward=no', 'net.ipv4.ip_forward', 'compliant'],
  ['IPMasquerade=ipv4', 'net.ipv4.ip_forward', 'drifted'],
  ['IPMasquerade=both', 'net.ipv6.conf.all.forwarding', 'drifted'],
  ['IPv6Forwarding=yes', 'net.ipv6.conf.all.forwarding', 'drifted'],
  ['IPForward=yes\n[Link]\nUnmanaged=yes', 'net.ipv4.ip_forward', 'compliant'],
  ['IPv6AcceptRA=yes', ACCEPT_RA, 'drifted'],
  ['DHCP=ipv4', ACCEPT_RA, 'drifted'],
  ['IPv6AcceptRA=no', ACCEPT_RA, 'compliant'],
  ['IPv6AcceptRA=yes\nIPv6AcceptRA=no', ACCEPT_RA, 'compliant'],
  ['IPForward=ipv6', ACCEPT_RA, 'compliant'],
  ['IPForward=ipv4', ACCEPT_RA, 'drifted'],
  ['IPForward=ipv6\nIPv6AcceptRA=yes', ACCEPT_RA, 'drifted'],
  ['LinkLocalAddressing=ipv4\nIPv6AcceptRA=yes', ACCEPT_RA, 'compliant'],
  ['[Match]\nName=lo', ACCEPT_RA, 'compliant'],
])('%s of systemd-networkd counts after sysctl.d for %s', async (line, name, verdict) => {
  const directory = temporaryDirectory()
  const wants = 'etc/systemd/system/multi-user.target.wants'
  put(directory, {
    ...BASE,
    'etc/sysctl.d/a.conf': `${name}=0\n`,
    'etc/systemd/network/10.network': `[Match]\nName=*\n[Network]\n${line}\n`,
    [`proc/sys/${name.replaceAll('.', '/')}`]: '0\n',
    [`${wants}/.keep`]: '',
  })
  await expect(told(directory, name)).resolves.toMatchObject({ verdict: 'compliant' })
  symlinkSync('/lib/systemd/system/systemd-networkd.service', join(directory, wants, 'systemd-networkd.service'))
  await expect(told(directory, name)).resolves.toMatchObject({ verdict })
  symlinkSync('/dev/null', join(directory, 'etc/systemd/system/systemd-networkd.service'))
  await expect(told(directory, name)).resolves.toMatchObject({ verdict: 'compliant' })
})

const [PROFILES, KEYFILE] = ['NetworkManager/system-connections', '[connection]\nuuid=u1\ntype=ethernet\n']

// @see nm-settings-nmcli(5), ipv6.method; nm-settings-keyfile(5) for the directories and names
test.each([
  ['etc', 'a.nmconnection', '[ipv6]\nmethod=auto\n', 'drifted'],
  ['etc', 'a.nmconnection', '[ipv4]\nmethod=auto\n', 'drifted'],
  ['etc', 'a', '[ipv6]\naddr-gen-mode=stable-privacy\n', 'drifted'],
  ['run', 'netplan-a.nmconnection', '[ipv6]\nmethod=auto\n', 'drifted'],
  ['usr/lib', 'a.nmconnection', '[ipv6]\nmethod=auto\n', 'drifted'],
  ['run', 'a', '[ipv6]\nmethod=auto\n', 'compliant'],
  ['etc', 'a.nmconnection~', '[ipv6]\nmethod=auto\n', 'compliant'],
  ['etc', 'a.nmconnection', '[ipv6]\nmethod=disabled\n', 'compliant'],
  ['etc', 'a.nmconnection', '[ipv6]\nmethod=ignore\n', 'compliant'],
  ['etc', 'a.nmconnection', '[ipv6]\nmethod=manual\n', 'compliant'],
  ['etc', 'a.nmconnection', '[ipv6]\nmethod=link-local\n', 'compliant'],
  ['etc', 'a.nmconnection', '[connection]\nmaster=br0\nslave-type=bridge\n', 'compliant'],
  ['etc', 'a.nmconnection', '[connection]\ntype=wireguard\n', 'compliant'],
])('a profile of NetworkManager in %s, %s, with %j', async (place, file, lines, verdict) => {
  const directory = temporaryDirectory()
  put(directory, {
    ...BASE,
    'etc/sysctl.d/a.conf': `${ACCEPT_RA}=0\n`,
    'proc/sys/net/ipv6/conf/all/accept_ra': '0\n',
    [`${place}/${PROFILES}/${file}`]: `${KEYFILE}${lines}`,
  })
  await expect(told(directory, ACCEPT_RA)).resolves.toMatchObject({ verdict: 'compliant' })
  put(directory, { 'etc/systemd/system/multi-user.target.wants/NetworkManager.service': '' })
  await expect(told(directory, ACCEPT_RA)).resolves.toMatchObject({ verdict })
  if (place !== 'usr/lib') return
  put(directory, { [`etc/${PROFILES}/b.nmconnection`]: `${KEYFILE}[ipv6]\nmethod=disabled\n` })
  await expect(told(directory, ACCEPT_RA)).resolves.toMatchObject({ verdict: 'compliant' })
})

// @see networkd.conf(5) of systemd 256
test.each([
  ['IPv4Forwarding=yes', 'net.ipv4.ip_forward', 'drifted'],
  ['IPv4Forwarding=yes', 'net.ipv6.conf.all.forwarding', 'compliant'],
  ['IPv6Forwarding=yes', 'net.ipv6.conf.all.forwarding', 'drifted'],
  ['IPv6Forwarding=yes\nIPv6Forwarding=no', 'net.ipv6.conf.all.forwarding', 'compliant'],
])('%s of networkd.conf counts for %s', async (line, name, verdict) => {
  const directory = temporaryDirectory()
  put(directory, {
    ...BASE,
    'etc/sysctl.d/a.conf': `${name}=0\n`,
    [`proc/sys/${name.replaceAll('.', '/')}`]: '0\n',
    'etc/systemd/networkd.conf.d/a.conf': `[Network]\n${line}\n`,
    'etc/systemd/system/multi-user.target.wants/systemd-networkd.service': '',
  })
  await expect(told(directory, name)).resolves.toMatchObject({ verdict })
})

test('files of systemd for its containers count where the administrator has them', async () => {
  const directory = temporaryDirectory()
  const [name, network] = ['net.ipv4.ip_forward', '[Match]\nName=ve-*\n[Network]\nIPMasquerade=both\n']
  put(directory, {
    ...BASE,
    'etc/sysctl.d/a.conf': `${name}=0\n`,
    'proc/sys/net/ipv4/ip_forward': '0\n',
    'etc/systemd/system/multi-user.target.wants/systemd-networkd.service': '',
    'usr/lib/systemd/network/80-container-ve.network': network,
  })
  await expect(told(directory, name)).resolves.toMatchObject({ verdict: 'compliant' })
  put(directory, { 'etc/systemd/network/80-container-ve.network': network })
  await expect(told(directory, name)).resolves.toMatchObject({ verdict: 'drifted' })
})

test('a drop-in of a network takes its forwarding back, and a file hides those of its name', async () => {
  const directory = temporaryDirectory()
  const name = 'net.ipv4.ip_forward'
  put(directory, {
    ...BASE,
    'etc/sysctl.d/a.conf': `${name}=0\n`,
    'proc/sys/net/ipv4/ip_forward': '0\n',
    'etc/systemd/system/multi-user.target.wants/systemd-networkd.service': '',
    'usr/lib/systemd/network/10.network': '[Network]\nIPForward=yes\n',
  })
  await expect(told(directory, name)).resolves.toMatchObject({ verdict: 'drifted' })
  put(directory, { 'etc/systemd/network/10.network.d/a.conf': '[Network]\nIPForward=no\n' })
  await expect(told(directory, name)).resolves.toMatchObject({ verdict: 'compliant' })
  put(directory, { 'etc/systemd/network/10.network.d/a.conf': '' })
  await expect(told(directory, name)).resolves.toMatchObject({ verdict: 'drifted' })
  put(directory, { 'etc/systemd/network/10.network': '[Network]\n' })
  await expect(told(directory, name)).resolves.toMatchObject({ verdict: 'compliant' })
})

async function told(directory: string, name = 'kernel.sysrq'): Promise<{ verdict: string; text: string }> {
  const target = machineIn(directory)
  const result = await auditResource(sysctl, { name, value: '0' }, { workingDirectory: directory, target })
  return { verdict: result.verdict, text: JSON.stringify(result) }
}
