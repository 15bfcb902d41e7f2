import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { prepareRootFilesystem, bootForTest } from './debian-host.ts'

const TIMEOUT_MS = 300_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

const SLEEPER = '[Service]\nExecStart=/bin/sleep infinity\n'
const WANTED = '[Install]\nWantedBy=multi-user.target\n'
const wants = (unit: string): string => `[Unit]\nWants=${unit}\n`

/** Disabled services, of which the next start starts all but the last six. */
const DISABLED = [
  'by-target',
  'by-requirement',
  'by-alias',
  'by-prefix',
  'by-type',
  'by-template',
  'by-specifier-helper',
  'by-upholder',
  'by-helper',
  'by-timer',
  'by-path',
  'by-linked-unit',
  'by-timer-that-requires',
  'no-unit',
  'no-idle-unit',
  'no-masked-unit',
  'no-other-target',
  'no-comment',
  'no-quotes',
]

/** Below /etc/systemd/system. */
const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(DISABLED.map((name) => [`${name}.service`, `${SLEEPER}${WANTED}`])),
  'multi-user.target.d/x.conf': wants('by-target.service'),
  'front.service': `${SLEEPER}${WANTED}Alias=shop.service\n`,
  'front.service.d/x.conf': '# a comment \\\n# Wants=no-comment.service\n[Unit]\nRequires=by-requirement.service\n',
  'shop.service.d/y.conf': '[Unit]\nBindsTo=by-alias.service\n',
  'house-door.service': `${SLEEPER}${WANTED}`,
  'house-.service.d/x.conf': wants('by-prefix.service'),
  'path.d/x.conf': wants('by-type.service'),
  'room@.service': `${SLEEPER}${WANTED}`,
  'room@.service.d/x.conf': wants('by-%i.service'),
  'by-specifier.service': `[Unit]\nUpholds=by-upholder.service\nWants=%p-helper.service\n${SLEEPER}${WANTED}`,
  'by-upholder.service.d/x.conf': wants('"no-quotes.service" by-helper.service'),
  'clock.timer': '[Timer]\nOnBootSec=1s\nUnit=by-timer.service\n[Install]\nWantedBy=timers.target\n',
  'watch.path': '[Path]\nPathExists=/etc/passwd\nUnit=by-path.service\n[Install]\nWantedBy=paths.target\n',
  'deep.service': `${wants('by-linked-unit.service')}${SLEEPER}[Install]\nWantedBy=default.target\n`,
  'yearly.timer':
    '[Unit]\nRequires=by-timer-that-requires.service\n[Timer]\nOnCalendar=2099-01-01\nUnit=by-timer.service\n[Install]\nWantedBy=timers.target\n',
  'idle.service': `${wants('no-idle-unit.service')}${SLEEPER}${WANTED}`,
  'covered.service': `${wants('no-masked-unit.service')}${SLEEPER}${WANTED}`,
  'rescue.target.d/x.conf': wants('no-other-target.service'),
}

const ENABLE = `
systemctl daemon-reload
systemctl enable --quiet front house-door room@template by-specifier clock.timer watch.path covered deep yearly.timer
mv covered.service /root && ln -s /dev/null covered.service`

describe.skipIf(unavailable)(
  `units that start disabled services of a host (${unavailable ?? 'booted for the test'})`,
  () => {
    test(
      'are found before the next start shows them, and no others',
      async () => {
        const host = await bootForTest(rootFilesystem)
        for (const [path, text] of Object.entries(FILES)) {
          await host.shell(`mkdir -p /etc/systemd/system/${dirname(path)}`)
          await host.write(`/etc/systemd/system/${path}`, text)
        }
        await host.shell(`cd /etc/systemd/system\n${ENABLE}`)
        const services = DISABLED.map((name) => `        - ${name}: { ensure: stopped, enable: false }\n`).join('')
        await host.write('/root/policy.yaml', `ccm:\n  resources:\n    - service:\n${services}`)
        const { stdout } = await host.run(['driftgate', 'scan', '/root/policy.yaml', '--report', 'json'])
        const run = JSON.parse(stdout) as Run
        const found = run.policies
          .flatMap(({ resources }) => resources)
          .filter(({ drift }) => drift.some(({ property }) => property === 'started_by'))

        await host.reboot()
        const started = DISABLED.slice(0, -6)
        const count = `systemctl is-active ${started.join(' ')} | grep -cx active || true`
        await host.shell(`until systemctl --quiet is-active multi-user.target; do sleep 0.1; done`)
        await expect.poll(() => host.shell(count), { timeout: 60_000 }).toBe(`${started.length}\n`)
        const answers = await host.shell(`systemctl is-active ${DISABLED.join(' ')} || true`)
        const active = DISABLED.filter((_, index) => answers.split('\n')[index] === 'active')
        expect(active).toEqual(started)
        expect(found.map(({ name }) => name)).toEqual(active)
      },
      TIMEOUT_MS,
    )
  },
)
