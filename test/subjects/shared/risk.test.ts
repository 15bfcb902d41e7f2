import { expect, test } from 'vitest'
import { RISKS } from '../../../src/model/risk.ts'
import { riskOfPackages, riskOfPaths, riskOfUnits } from '../../../src/subjects/shared/risk.ts'
import { loadSurfaces } from '../../../src/subjects/index.ts'

const surfaces = await loadSurfaces()

type Row = readonly [name: string, risk: keyof typeof RISKS | undefined]

function inWords(risk: keyof typeof RISKS | undefined): string | undefined {
  return risk === undefined ? undefined : RISKS[risk]
}

test.each<Row>([
  ['/etc/ssh/sshd_config', 'ssh'],
  ['/etc/ssh/sshd_config.d/50-site.conf', 'ssh'],
  ['/home/deploy/.ssh/authorized_keys', 'ssh'],
  ['/home/deploy/.ssh', 'ssh'],
  ['/etc/pam.d/sshd', 'login'],
  ['/etc/security/limits.d/site.conf', 'login'],
  ['/etc/shadow', 'login'],
  ['/etc/sudoers', 'root'],
  ['/etc/sudoers.d/site', 'root'],
  ['/etc/network/interfaces', 'network'],
  ['/etc/netplan/01.yaml', 'network'],
  ['/etc/NetworkManager/system-connections/eth0', 'network'],
  ['/etc/nftables.conf', 'firewall'],
  ['/etc/fstab', 'mount'],
  ['/boot/grub/grub.cfg', 'boot'],
  ['/etc/default/grub', 'boot'],
  ['/etc/systemd/logind.conf.d/x.conf', 'session'],
  ['/etc/systemd/system/ssh.service.d/override.conf', 'ssh'],
  ['/etc/systemd/system/systemd-networkd.service', 'network'],
  // A directory that holds such files, and another way to write it.
  ['/etc/systemd', 'network'],
  ['/', 'ssh'],
  ['/etc/../etc//ssh', 'ssh'],
  ['/etc/sshguard.conf', undefined],
  ['/etc/sudoers-backup', undefined],
  ['/srv/boot', undefined],
  ['/home/deploy/.sshrc', undefined],
  ['/etc/systemd/system/nginx.service', undefined],
  ['/etc/motd', undefined],
])('the risk of the path %s', (path, risk) => {
  expect(riskOfPaths(['/etc/motd', path])).toBe(inWords(risk))
})

test.each<Row>([
  ['ssh.service', 'ssh'],
  ['sshd.socket', 'ssh'],
  ['systemd-networkd.service', 'network'],
  ['NetworkManager.service', 'network'],
  ['ifup@eth0.service', 'network'],
  ['wg-quick@wg0.service', 'network'],
  ['nftables.service', 'firewall'],
  ['firewalld.service', 'firewall'],
  ['systemd-logind.service', 'session'],
  ['dbus.socket', 'session'],
  ['getty@tty1.service', 'session'],
  ['sshguard.service', undefined],
  ['nginx.service', undefined],
])('the risk of the unit %s', (unit, risk) => {
  expect(riskOfUnits(['nginx.service', unit])).toBe(inWords(risk))
})

test.each<Row>([
  ['openssh-server', 'ssh'],
  ['sudo', 'root'],
  ['libpam-modules', 'login'],
  ['network-manager', 'network'],
  ['nftables', 'firewall'],
  ['grub-pc', 'boot'],
  ['linux-image-amd64', 'boot'],
  ['openssh-client', undefined],
  ['nginx', undefined],
])('the risk of the package %s', (name, risk) => {
  expect(riskOfPackages(['nginx', name])).toBe(inWords(risk))
})

test('surfaces declare their risk', () => {
  const said = surfaces.flatMap(({ name, risk }) => (risk === undefined ? [] : [[name, risk]]))
  expect(Object.fromEntries(said)).toEqual({
    sshd: RISKS.ssh,
    sudoers: RISKS.root,
    pwquality: RISKS.login,
    faillock: RISKS.login,
    limits: RISKS.login,
    logind: RISKS.session,
    selinux: RISKS.boot,
    grub: RISKS.boot,
  })
})
