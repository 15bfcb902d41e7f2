import { describe, expect, onTestFinished, test } from 'vitest'
import type { Run } from '../../src/core/run.ts'
import { bootHost, type DebianHost, installDriftgate, prepareRootFilesystem } from '../hosts/debian-host.ts'

// Booting takes a few seconds and cron runs once a minute; the rest is for machines that are busy with other things.
const TIMEOUT_MS = 400_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

async function boot(): Promise<DebianHost> {
  if (rootFilesystem.kind === 'unavailable') throw new Error(rootFilesystem.reason)
  const host = await bootHost(rootFilesystem.path)
  onTestFinished(host.stop)
  await installDriftgate(host)
  return host
}

describe.skipIf(unavailable !== undefined)(
  `a schedule on a Debian host (${unavailable ?? 'booted for the test'})`,
  () => {
    test(
      'fires by systemd and by cron, sees the whole machine, writes nothing but its report, and goes away again',
      async () => {
        const host = await boot()
        await host.shell(`mkdir '/root/my $policies'`)
        await host.write('/root/my $policies/policy.yaml', POLICY)
        await host.shell(
          `${INSTALL} '100% policy' --scheduler cron --name minute --on-calendar minutely --report json=/srv/cron/drift.json`.replace(
            "'100% policy'",
            `'/root/my $policies/policy.yaml'`,
          ),
        )
        const installed = await host.shell(
          `${INSTALL} '/root/my $policies/policy.yaml' --on-calendar '*:*:0/1' --report 'json=/srv/it is 100%/drift.json' ` +
            '--report junit=/root/junit.xml',
        )
        expect(installed).toMatch(/^started driftgate-scan\.timer, next at ./m)

        await host.shell(ended('driftgate-scan.service'))
        const scheduled = await reportIn(host, '/srv/it is 100%/drift.json')
        expect(await host.shell('head -c 5 /root/junit.xml')).toBe('<?xml')
        const direct = await host.run(['driftgate', 'scan', '/root/my $policies/policy.yaml', '--report', 'json'])
        expect(verdicts(scheduled)).toEqual({ ...verdicts(JSON.parse(direct.stdout) as Run), 'exec#write': 'drifted' })
        expect(verdicts(JSON.parse(direct.stdout) as Run)).toMatchObject({
          'exec#write': 'compliant',
          'file#/tmp/planted': 'drifted',
        })
        // A drift is a failure that systemd tells of, and the guard could not write although it ran as root.
        expect(await host.shell('systemctl show --property Result,ExecMainStatus driftgate-scan.service')).toBe(
          'Result=exit-code\nExecMainStatus=2\n',
        )

        const removed = await host.shell('driftgate schedule remove')
        expect(removed.split('\n')).toEqual([
          'removed /etc/systemd/system/driftgate-scan.timer',
          'removed /etc/systemd/system/driftgate-scan.service',
          '',
        ])
        expect(
          await host.shell(
            `systemctl list-units --all --no-legend 'driftgate*'; ls /etc/systemd/system/timers.target.wants`,
          ),
        ).toBe('')

        // Its lock is released when the run has ended.
        await host.shell('until test -s /srv/cron/drift.json; do flock /run/driftgate-minute.lock sleep 0.2; done')
        expect(verdicts(await reportIn(host, '/srv/cron/drift.json'))).toEqual(
          verdicts(JSON.parse(direct.stdout) as Run),
        )
      },
      TIMEOUT_MS,
    )
  },
)

const INSTALL = 'driftgate schedule install --randomized-delay 0'

const POLICY = `
ccm:
  resources:
    - file:
        - /tmp/planted: { ensure: absent }
        - /etc/hostname: { ensure: present, owner: root, group: root, mode: '0644' }
        - /home: { ensure: directory, owner: root, group: root, mode: '0755' }
    - exec:
        - write:
            command: /bin/true
            unless: touch /etc/written
`

function ended(unit: string): string {
  return `timeout 60 journalctl --follow --lines=all --unit ${unit} | grep -m 1 -E 'Finished|Failed with result'`
}

async function reportIn(host: DebianHost, path: string): Promise<Run> {
  return JSON.parse(await host.shell(`cat '${path}'`)) as Run
}

function verdicts(run: Run): Readonly<Record<string, string>> {
  return Object.fromEntries(run.policies.flatMap(({ resources }) => resources.map(({ id, verdict }) => [id, verdict])))
}
