import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'

const TIMEOUT_MS = 300_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

/** Traces of an intrusion, by the control of the Linux baseline whose title promises to find them. */
const LEFT_BEHIND: Readonly<Record<string, string>> = {
  'uid-0': `echo 'toor:x:0:0::/root:/bin/bash' >>/etc/passwd && echo 'toor:*:19000:0:99999:7:::' >>/etc/shadow`,
  'empty-passwords': `sed -i 's/^root:[^:]*:/root::/' /etc/shadow`,
  'sudo-password': `echo 'daemon ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/backup && chmod 0440 /etc/sudoers.d/backup`,
  sudoers: `install -m 0666 /etc/sudoers.d/backup /etc/sudoers.d/other`,
  'world-writable': `chmod 0666 /etc/sudoers.d/other`,
  'set-id-programs': `install -m 4755 /bin/bash /usr/local/bin/.cache`,
  'ssh-root-login': `echo 'PermitRootLogin yes' >/etc/ssh/sshd_config.d/00-a.conf`,
  'ssh-config-directories': `chmod 0777 /etc/ssh/sshd_config.d`,
}

describe.skipIf(unavailable)(`a compromised Debian host (${unavailable ?? 'booted for the test'})`, () => {
  test(
    'is not compliant with the Linux baseline: each thing left behind is found by the control that promises it',
    async () => {
      const host = await bootForTest(rootFilesystem)
      await host.shell(
        `apt-get update -q && apt-get install -q -y --no-install-recommends sudo
          sed -i 's/^root:[^:]*:/root:!*:/' /etc/shadow && echo 'PermitRootLogin no' >/etc/ssh/sshd_config.d/50-site.conf
          chmod 0600 /etc/ssh/sshd_config /etc/ssh/sshd_config.d/*`,
      )
      const before = await verdictsOf(host)
      expect(before).toEqual(Object.fromEntries(Object.keys(LEFT_BEHIND).map((id) => [id, 'compliant'])))
      for (const script of Object.values(LEFT_BEHIND)) await host.shell(script)
      expect(await verdictsOf(host)).toEqual(Object.fromEntries(Object.keys(LEFT_BEHIND).map((id) => [id, 'drifted'])))
    },
    TIMEOUT_MS,
  )
})

/** What became of the controls in question. */
async function verdictsOf(host: DebianHost): Promise<Readonly<Record<string, string>>> {
  const { stdout, stderr } = await host.run(['driftgate', 'scan', '@linux', '--report', 'json'])
  if (stdout === '') throw new Error(`no report: ${stderr}`)
  const { policies } = JSON.parse(stdout) as Run
  const controls = policies.flatMap((policy) => policy.controls).filter(({ id }) => id in LEFT_BEHIND)
  return Object.fromEntries(controls.map(({ id, verdict }) => [id, verdict]))
}
