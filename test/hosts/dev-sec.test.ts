import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { type Violations, CLIENT, LINUX, PROGRAMS, SERVER } from './dev-sec/violations.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'

const TIMEOUT_MS = 600_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

/** What the site of this host decided, and what a fix cannot do. */
const PREPARED = `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends auditd >/dev/null 2>&1
  systemctl disable -q --now auditd 2>/dev/null; systemctl reset-failed
  mkdir -p /etc/cron.d && touch /etc/crontab
  sed -i 's/^root:[^:]*:/root:!*:/' /etc/shadow
  echo 'ListenAddress 127.0.0.1' >/etc/ssh/sshd_config.d/60-site.conf
  echo 'AddressFamily any' >/etc/ssh/ssh_config.d/50-site.conf`

describe.skipIf(unavailable)(`the dev-sec baselines on a Debian host (${unavailable ?? 'booted for the test'})`, () => {
  test(
    'hold after a fix, and each control finds what its documented condition forbids',
    async () => {
      const host = await bootForTest(rootFilesystem)
      await host.shell(PREPARED)
      const all = { ...LINUX, ...SERVER, ...CLIENT, ...PROGRAMS }
      await scan(host, all, ['--fix'])
      expect(await scan(host, all)).toEqual(allOf(all, 'compliant'))

      const first = { ...LINUX, ...SERVER, ...CLIENT }
      for (const script of Object.values(first)) await host.shell(script)
      expect(await scan(host, first)).toEqual(allOf(first, 'drifted'))

      // What the version of a program says is asked of the program, so another one stands in its place at the end.
      for (const script of Object.values(PROGRAMS)) await host.shell(script)
      expect(await scan(host, PROGRAMS)).toEqual(allOf(PROGRAMS, 'drifted'))
    },
    TIMEOUT_MS,
  )
})

function allOf(violations: Violations, verdict: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(violations).map((id) => [id, verdict]))
}

/** What becomes of these controls. */
async function scan(
  host: DebianHost,
  violations: Violations,
  options: readonly string[] = [],
): Promise<Readonly<Record<string, string>>> {
  const ids = Object.keys(violations)
  // The host shares the kernel of the machine; what is about its network is its own.
  const asked = ['--fact', 'host.info.virtualizationSystem=kvm', ...ids.flatMap((id) => ['--only', id])]
  const command = ['driftgate', 'scan', '@dev-sec-linux', '@dev-sec-ssh', '--report', 'json', ...asked, ...options]
  const { stdout, stderr } = await host.run(command)
  if (stdout === '') throw new Error(`no report: ${stderr}`)
  const { policies } = JSON.parse(stdout) as Run
  const controls = policies.flatMap((policy) => policy.controls).filter(({ id }) => id in violations)
  return Object.fromEntries(controls.map(({ id, verdict }) => [id, verdict]))
}
