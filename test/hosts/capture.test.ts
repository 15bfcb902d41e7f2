import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'

const TIMEOUT_MS = 300_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

describe.skipIf(unavailable)(`a policy captured from a host (${unavailable ?? 'booted for the test'})`, () => {
  test(
    'captured packages, services, users, mounts and ports comply at once, and changes are named',
    async () => {
      const host = await bootForTest(rootFilesystem)
      await host.shell(PREPARE)
      const words = ['package:cron', 'service:cron', 'user:deploy', 'group:sudo', 'mount:/srv/data', 'port:22']
      const others = ['process:cron', 'file:/etc/ssh', 'setting:sshd:PermitRootLogin', 'sysctl:net.ipv4.ip_forward']
      const argv = ['driftgate', 'capture', ...words, ...others, '--recursive', '--output', '/root/policy.yaml']
      const captured = await host.run(argv)
      expect(captured.stderr.split('\n').filter((line) => !/not world-readable/.test(line))).toEqual([
        expect.stringMatching(/^driftgate: wrote \/root\/policy.yaml with \d\d resources$/),
        '',
      ])
      expect(captured.code).toBe(0)
      expect(await drifted(host)).toEqual([])

      await host.shell(VIOLATIONS)
      expect(await drifted(host)).toEqual([
        'file#/etc/ssh/sshd_config sha256',
        'group#sudo members',
        'mount#/srv/data options',
        'package#cron ensure',
        'port#22 process',
        'port#22 unit',
        'process#cron ensure',
        'service#cron ensure',
        'setting#sshd:PermitRootLogin value',
        'user#deploy groups',
        'user#deploy shell',
      ])
    },
    TIMEOUT_MS,
  )

  test(
    'a first policy is small, the same each time, complied with at once, and finds what is broken',
    async () => {
      const host = await bootForTest(rootFilesystem)
      await host.shell(AS_THE_KERNEL)
      const first = await host.run(['driftgate', 'init', '--output', '/root/policy.yaml'])
      expect(first, first.stderr).toMatchObject({ code: 0 })
      const text = await host.shell('cat /root/policy.yaml')
      expect(await host.shell('driftgate init --print --output /root/policy.yaml')).toBe(text)
      expect(text.split('\n').length).toBeLessThan(250)
      expect(await host.run(['driftgate', 'validate', '/root/policy.yaml'])).toMatchObject({ code: 0 })
      expect(await drifted(host)).toEqual([])

      await host.shell(`
          useradd -o -u 0 -s /bin/bash toor
          systemctl disable --quiet --now cron
          echo 'ALL ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/zz && chmod 0666 /etc/sudoers.d/zz
          chmod 0666 /etc/shadow
          node -e 'require("net").createServer().listen(2323, "0.0.0.0")' >/dev/null 2>&1 &
          until grep -q :0913 /proc/net/tcp; do sleep 0.1; done`)
      expect(await drifted(host)).toEqual(
        expect.arrayContaining([
          'file#/etc/passwd sha256',
          'file#/etc/shadow mode',
          'port#* only',
          'service#cron enable',
          'service#cron ensure',
        ]),
      )
      await host.reboot()
      await host.shell('userdel -f toor; chmod 0640 /etc/shadow; systemctl enable --quiet --now cron')
    },
    TIMEOUT_MS,
  )
})

const PREPARE = `
useradd -m -s /bin/bash deploy
mkdir -p /srv/data
echo 'tmpfs /srv/data tmpfs nodev,nosuid,noexec 0 0' >>/etc/fstab
systemctl daemon-reload
mount /srv/data`

const VIOLATIONS = `
usermod -s /bin/sh -aG sudo deploy
mount -o remount,exec /srv/data
echo 'PermitRootLogin yes' >>/etc/ssh/sshd_config
systemctl disable --quiet --now ssh ssh.socket cron
dpkg --purge --force-all cron >/dev/null 2>&1 || true
setsid node -e 'require("net").createServer().listen(22, "0.0.0.0")' >/dev/null 2>&1 &
until grep -q :0016 /proc/net/tcp; do sleep 0.1; done`

/** Has files ask of the kernel, which the host shares with this machine, what it does. */
const AS_THE_KERNEL = `
sed -n 's/^\\([a-z_.]*\\) *=.*/\\1/p' /usr/lib/sysctl.d/99-protect-links.conf | while read -r key; do
  echo "$key = $(cat "/proc/sys/$(echo "$key" | tr . /)")"
done >/etc/sysctl.d/99-the-kernel.conf`

/** Drifted properties, as `TYPE#NAME PROPERTY`; other resources with verdict and message. */
async function drifted(host: DebianHost): Promise<readonly string[]> {
  const { stdout, stderr } = await host.run(['driftgate', 'scan', '/root/policy.yaml', '--report', 'json'])
  if (stdout === '') throw new Error(`there is no report: ${stderr}`)
  const run = JSON.parse(stdout) as Run
  const found = run.policies.flatMap(({ resources }) =>
    resources.flatMap(({ id, verdict, drift, message }) => {
      if (verdict === 'compliant') return []
      return verdict === 'drifted' ? drift.map(({ property }) => `${id} ${property}`) : [`${id} ${verdict}: ${message}`]
    }),
  )
  return [...new Set(found)].toSorted()
}
