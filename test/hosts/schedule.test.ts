import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quoteArgument } from '../../src/runs/schedule/systemd-quote.ts'
import type { Run } from '../../src/model/run.ts'
import { prepareRootFilesystem, bootForTest } from './debian-host.ts'

// Booting takes a few seconds and cron runs once a minute; the rest is for machines that are busy with other things.
const TIMEOUT_MS = 400_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

const POLICY = '/root/my $policies/policy.yaml'
const INSTALL = `driftgate schedule install '${POLICY}' --randomized-delay 0`
const REPORT = '/srv/it is 100%/drift.json'

/** Its command writes where nothing but reports and the history may be written. */
const POLICY_TEXT = `
ccm:
  resources:
    - file:
        - /tmp/planted: { ensure: absent }
        - /etc/shadow: { ensure: present, owner: root, group: shadow, mode: '0640' }
        - /home: { ensure: directory, owner: root, group: root, mode: '0755' }
        - /sys/kernel: { ensure: directory, owner: root, group: root, mode: '0755' }
    - service:
        - cron: { ensure: running, enable: true }
    - exec:
        - write: { command: /bin/true, unless: touch /etc/written }
        - temporary: { command: /bin/true, unless: test -e /tmp/planted }
`

describe.skipIf(unavailable)(`a Debian host (${unavailable ?? 'booted for the test'})`, () => {
  test(
    'scans by a timer and by cron, shows a scan the whole machine and lets it write its reports alone',
    async () => {
      const host = await bootForTest(rootFilesystem)
      await host.shell(`mkdir '/root/my $policies'; touch /tmp/planted`)
      await host.write(POLICY, POLICY_TEXT)
      await host.shell(`${INSTALL} --scheduler cron --name minute --on-calendar minutely --report json=/srv/cron.json`)
      const installed = await host.shell(
        `${INSTALL} --on-calendar '*:*:0/1' --history --report 'json=${REPORT}' --report junit=/root/junit.xml`,
      )
      expect(installed).toMatch(/^started driftgate-scan\.timer, next at ./m)
      // It is the timer that starts this one.
      await host.shell(
        `grep -q -m 1 'Failed with result' < <(timeout 60 journalctl --follow --lines=all --unit driftgate-scan)`,
      )
      expect(await host.shell('ls /var/lib/driftgate/history')).not.toBe('')
      await host.shell('systemctl stop driftgate-scan.timer; systemctl start driftgate-scan.service || true')

      const direct = await host.run(['driftgate', 'scan', POLICY, '--report', 'json'])
      const seen = verdicts(direct.stdout)
      expect(seen).toEqual({
        'file#/tmp/planted': 'drifted',
        'file#/etc/shadow': 'compliant',
        'file#/home': 'compliant',
        'file#/sys/kernel': 'compliant',
        'service#cron': 'compliant',
        'exec#write': 'compliant',
        'exec#temporary': 'compliant',
      })
      expect(verdicts(await host.shell(`cat '${REPORT}'`))).toEqual({ ...seen, 'exec#write': 'drifted' })
      expect(await host.shell('head -c 5 /root/junit.xml')).toBe('<?xml')
      expect(await host.shell('systemctl show --property Result,ExecMainStatus driftgate-scan.service')).toBe(
        'Result=exit-code\nExecMainStatus=2\n',
      )

      expect(await host.shell('driftgate schedule remove')).toBe(
        'removed /etc/systemd/system/driftgate-scan.timer\nremoved /etc/systemd/system/driftgate-scan.service\n',
      )
      expect(await host.shell(`systemctl list-units --all --no-legend 'driftgate*'`)).toBe('')
      expect(await host.shell('find /etc/systemd /var/lib/systemd/timers -name "*driftgate*"')).toBe('')

      // The report is put there all at once, so it is complete as soon as it is there.
      await host.shell('timeout 150 sh -c "until test -e /srv/cron.json; do sleep 0.2; done"')
      expect(verdicts(await host.shell('cat /srv/cron.json'))).toEqual(seen)
      expect(await host.shell('driftgate schedule remove --name minute')).toBe('removed /etc/cron.d/driftgate-minute\n')
    },
    TIMEOUT_MS,
  )

  test(
    'gives a command every word as it is',
    async () => {
      const host = await bootForTest(rootFilesystem)
      const special = fc.constantFrom(...`$%{}"'\\; \n\t\r#=@-:+!~\u001b\u007f`.split(''))
      const unit = fc.oneof(special, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }))
      const words = fc.sample(fc.string({ unit, maxLength: 10 }), 300).filter((word) => !word.includes('\0'))
      await host.write('/usr/local/bin/show-words', '#!/bin/sh\nprintf "%s\\0" "$@" >/run/words\n')
      const command = ['/usr/local/bin/show-words', ...words].map(quoteArgument).join(' ')
      await host.write('/etc/systemd/system/words.service', `[Service]\nType=oneshot\nExecStart=${command}\n`)
      await host.shell('chmod +x /usr/local/bin/show-words; systemctl daemon-reload; systemctl start words')
      expect((await host.shell('cat /run/words')).split('\0').slice(0, -1)).toEqual(words)
    },
    TIMEOUT_MS,
  )
})

/** The verdicts of a JSON report by resource. */
function verdicts(report: string): Readonly<Record<string, string>> {
  const { policies } = JSON.parse(report) as Run
  return Object.fromEntries(policies.flatMap(({ resources }) => resources.map(({ id, verdict }) => [id, verdict])))
}
