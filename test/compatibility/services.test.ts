import { describe, expect, test } from 'vitest'
import type { ResourceResult } from '../../src/index.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from '../hosts/debian-host.ts'
import { needsSystemctl } from '../support/systemctl.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { oneResource, problemsOf, resultOf, resultsOf, scanWith } from './support.ts'

const NOWHERE = 'driftgate-test-no-such-unit'

async function audit(name: string, body: Readonly<Record<string, unknown>>): Promise<ResourceResult> {
  return resultOf(await scanWith(temporaryDirectory(), oneResource('service', name, body)))
}

test.skipIf(needsSystemctl)('a missing unit is stopped', async () => {
  expect(await audit(NOWHERE, { ensure: 'stopped', enable: false })).toMatchObject({ verdict: 'compliant' })
  expect(await audit(NOWHERE, { ensure: 'running' })).toMatchObject({
    verdict: 'drifted',
    change: 'cannot',
    changeReason: `the unit ${NOWHERE}.service does not exist`,
    drift: [{ property: 'ensure', desired: 'running', observed: 'absent' }],
  })
})

test.skipIf(needsSystemctl)('a unit whose file comes from an earlier fix may be started', async () => {
  const text = `
ccm:
  resources:
    - file:
        - /etc/systemd/system/${NOWHERE}.service: { ensure: present, content: x, owner: root, group: root, mode: "0644" }
    - service:
        - ${NOWHERE}: { ensure: running }
        - ${NOWHERE}-too: { ensure: running, require: ["file#/etc/systemd/system/${NOWHERE}.service"] }
        - ${NOWHERE}-either: { ensure: running }
`
  const [, ...services] = resultsOf(await scanWith(temporaryDirectory(), text))
  expect(services.map(({ change }) => change)).toEqual(['may', 'may', 'cannot'])
})

test.skipIf(needsSystemctl)('instances of templates are services', async () => {
  expect(await audit(`${NOWHERE}@tty1`, { ensure: 'stopped' })).toMatchObject({ verdict: 'compliant' })
  expect(await problemsOf(temporaryDirectory(), oneResource('service', 'getty@', { ensure: 'stopped' }))).toEqual([
    expect.stringContaining('is a template and cannot run'),
  ])
})

const TIMEOUT_MS = 300_000
const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

describe.skipIf(unavailable)(`a Debian host (${unavailable ?? 'booted for the test'})`, () => {
  test(
    'a service is not stopped while a socket can start it',
    async () => {
      const host = await bootForTest(rootFilesystem)
      await host.write('/etc/systemd/system/lazy.service', '[Service]\nExecStart=/bin/sleep infinity\n')
      await host.write('/etc/systemd/system/lazy.socket', '[Socket]\nListenStream=/run/lazy.sock\n')
      await host.shell('systemctl daemon-reload; systemctl start lazy.socket')
      expect(await auditOn(host, oneResource('service', 'lazy', { ensure: 'stopped' }))).toMatchObject([
        { verdict: 'drifted', drift: [{ property: 'started_by', observed: 'lazy.socket' }] },
      ])
    },
    TIMEOUT_MS,
  )

  test(
    'an audit does not reload systemd',
    async () => {
      const host = await bootForTest(rootFilesystem)
      await host.shell(`sed -i 's/^\\[Service\\]/&\\nNice=1/' /lib/systemd/system/cron.service`)
      const NEEDS_RELOAD = 'systemctl show --property=NeedDaemonReload --value cron.service'
      expect(await host.shell(NEEDS_RELOAD)).toBe('yes\n')
      const policy = oneResource('service', 'cron', { ensure: 'running', enable: true })
      expect(await auditOn(host, policy)).toMatchObject([{ verdict: 'compliant' }])
      expect(await host.shell(NEEDS_RELOAD)).toBe('yes\n')
    },
    TIMEOUT_MS,
  )

  test(
    'an alias has the enablement of its unit',
    async () => {
      const host = await bootForTest(rootFilesystem)
      await host.shell('ln -s ssh.service /lib/systemd/system/openssh.service; systemctl disable --quiet ssh')
      const policy = oneResource('service', 'openssh', { ensure: 'running', enable: true })
      expect(await auditOn(host, policy)).toMatchObject([
        { verdict: 'drifted', drift: [{ property: 'enable', desired: true, observed: false }] },
      ])
    },
    TIMEOUT_MS,
  )

  test(
    'a static unit cannot be disabled',
    async () => {
      const host = await bootForTest(rootFilesystem)
      const policy = oneResource('service', 'systemd-logind', { ensure: 'running', enable: false })
      expect(await auditOn(host, policy)).toMatchObject([
        { verdict: 'drifted', change: 'cannot', changeReason: expect.stringContaining('static') },
      ])
    },
    TIMEOUT_MS,
  )

  test(
    'a unit enabled until reboot is neither enabled nor disabled',
    async () => {
      const host = await bootForTest(rootFilesystem)
      const install = '\n[Install]\nWantedBy=multi-user.target\n'
      await host.write('/etc/systemd/system/now.service', `${unitFile('sleep infinity')}${install}`)
      await host.shell('systemctl daemon-reload; systemctl enable --runtime now')
      for (const enable of [true, false]) {
        expect(await auditOn(host, oneResource('service', 'now', { ensure: 'stopped', enable }))).toMatchObject([
          { verdict: 'drifted', drift: [{ property: 'enable', note: 'the unit is enabled-runtime' }] },
        ])
      }
    },
    TIMEOUT_MS,
  )

  test(
    'a service that is starting or stopping is waited for',
    async () => {
      const host = await bootForTest(rootFilesystem)
      await host.write('/etc/systemd/system/late.service', unitFile('Type=oneshot', 'RemainAfterExit=yes', 'sleep 2'))
      await host.write('/etc/systemd/system/never.service', unitFile('Type=notify', 'TimeoutStartSec=1h', 'sleep 1h'))
      await host.shell('systemctl start --no-block late never')
      const policy = `
ccm:
  resources:
    - service:
        - late: { ensure: running }
        - never: { ensure: running, alias: must-run }
        - never: { ensure: stopped, alias: must-stop }
`
      const unsettled = { verdict: 'drifted', drift: [{ property: 'ensure', observed: 'activating' }] }
      expect(await auditOn(host, policy)).toMatchObject([{ verdict: 'compliant' }, unsettled, unsettled])
    },
    TIMEOUT_MS,
  )
})

function unitFile(...lines: readonly string[]): string {
  const [command = 'true'] = lines.slice(-1)
  return ['[Service]', ...lines.slice(0, -1), `ExecStart=/bin/${command}`, ''].join('\n')
}

async function auditOn(host: DebianHost, policy: string): Promise<readonly ResourceResult[]> {
  await host.write('/root/policy.yaml', policy)
  const { stdout } = await host.run(['driftgate', 'scan', '/root/policy.yaml', '--report', 'json'])
  return resultsOf(JSON.parse(stdout))
}
