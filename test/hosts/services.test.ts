import { describe, expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'

// Booting takes some seconds, and a scan waits up to ten for units on their way.
const TIMEOUT_MS = 300_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

const SLEEPER = 'ExecStart=/bin/sleep infinity'
const WANTED = '[Install]\nWantedBy=multi-user.target\n'
/** The units of the host, all in /etc/systemd/system and stopped until they are started. */
const UNITS: Readonly<Record<string, string>> = {
  'idle.service': `[Service]\n${SLEEPER}\n${WANTED}`,
  'busy.service': `[Service]\n${SLEEPER}\n${WANTED}`,
  'named.service': `[Service]\n${SLEEPER}\n${WANTED}Alias=nickname.service\n`,
  'fixed.service': `[Service]\n${SLEEPER}\n`,
  'worker@.service': `[Service]\n${SLEEPER}\n${WANTED}`,
  'brief.service': `[Service]\n${SLEEPER}\n${WANTED}`,
  'broken.service': `[Service]\nExecStart=/bin/sh -c 'echo no such thing >&2; exit 3'\n${WANTED}`,
  'crashed.service': `[Service]\nExecStart=/bin/false\n`,
  'flapping.service': `[Service]\nExecStart=/bin/false\nRestart=always\nRestartSec=1h\n`,
  'watcher.service': `[Service]\n${SLEEPER}\n`,
}

const PREPARE = `
systemctl daemon-reload
systemctl enable --quiet busy named
systemctl enable --quiet --runtime brief
systemctl start busy watcher crashed flapping
systemctl mask --quiet shut
for level in 2 3 4 5; do ln -s ../init.d/old /etc/rc$level.d/S01old; done
printf '#!/bin/sh\\n### BEGIN INIT INFO\\n# Provides: old\\n# Default-Start: 2 3 4 5\\n# Default-Stop: 0 1 6\\n### END INIT INFO\\nexit 0\\n' >/etc/init.d/old
chmod 0755 /etc/init.d/old
systemctl daemon-reload`

const POLICY = `
ccm:
  resources:
    - file:
        - defaults: { ensure: present, owner: root, group: root, mode: '0644' }
        - /etc/systemd/system/fresh.service:
            content: "[Service]\\nExecStart=/bin/sleep infinity\\n[Install]\\nWantedBy=multi-user.target\\n"
        - /etc/watched.conf: { content: new }
    - service:
        - idle: { ensure: running, enable: true }
        - busy.service: { ensure: stopped, enable: false }
        - nickname: { ensure: running, enable: true }
        - fixed: { ensure: running, enable: true }
        - worker@one: { ensure: running, enable: true }
        - brief: { ensure: stopped, enable: false }
        - fresh: { ensure: running, enable: true }
        - flapping: { ensure: stopped }
        - crashed: { ensure: stopped }
        - watcher: { subscribe: [file#/etc/watched.conf] }
        - old: { ensure: stopped, enable: false }
        - nowhere: { ensure: stopped, enable: false }
`

const UNFIXABLE = `
        - broken: { ensure: running, enable: true }
        - shut: { ensure: running, enable: true }
        - systemd-logind: { enable: false }
        - nothing: { ensure: running }
`

describe.skipIf(unavailable)(`services of a host (${unavailable ?? 'booted for the test'})`, () => {
  test(
    'are what systemd says, become what the policy wants, and then stay it',
    async () => {
      const host = await bootWithUnits()
      const before = await mainProcess(host, 'watcher')

      const audit = await scan(host, POLICY)
      expect(planned(audit)).toEqual({
        'file#/etc/systemd/system/fresh.service': 'Would have created the file',
        'file#/etc/watched.conf': 'Would have created the file',
        'service#idle': 'Would have started, would have enabled',
        'service#busy.service': 'Would have stopped, would have disabled',
        'service#nickname': 'Would have started',
        'service#fixed': 'Would have started',
        'service#worker@one': 'Would have started, would have enabled',
        'service#brief': 'Would have disabled',
        'service#fresh': 'Would have started, would have enabled',
        'service#flapping': 'Would have stopped',
        'service#watcher': 'Would have restarted via subscribe',
        'service#old': 'Would have disabled',
      })
      expect(named(audit, 'fresh')).toMatchObject({ change: 'may' })
      expect(named(audit, 'flapping')).toMatchObject({ drift: [{ desired: 'stopped', observed: 'activating' }] })
      expect(await mainProcess(host, 'watcher')).toBe(before)

      const fix = await scan(host, POLICY, ['--fix'])
      expect(planned(fix)).toMatchObject({
        'service#idle': 'Started, enabled',
        'service#watcher': 'Restarted via subscribe',
      })
      expect(verdicts(fix)).toEqual({ fixed: 12, compliant: 2 })
      expect(await host.shell(ASK_SYSTEMD)).toBe(WANTED_ANSWERS)
      expect(await mainProcess(host, 'watcher')).not.toBe(before)

      expect(verdicts(await scan(host, POLICY))).toEqual({ compliant: 14 })
    },
    TIMEOUT_MS,
  )

  test(
    'that cannot become it say why, with the end of their journal',
    async () => {
      const host = await bootWithUnits()
      const run = await scan(host, `ccm:\n  resources:\n    - service:${UNFIXABLE}`, ['--fix'])
      expect(verdicts(run)).toEqual({ 'fix-failed': 4 })
      const broken = named(run, 'broken')
      expect(broken).toMatchObject({
        message: 'broken.service is failed after its start (exit-code)',
        remaining: [{ property: 'ensure', observed: 'failed' }],
      })
      expect(broken?.output).toMatch(/^no such thing$/m)
      expect(broken?.output).toMatch(/status=3/)
      const reasons = ['shut', 'systemd-logind', 'nothing'].map((name) => [
        named(run, name)?.change,
        named(run, name)?.message,
      ])
      expect(reasons).toEqual([
        ['cannot', 'shut.service is masked; run systemctl unmask shut.service to remove the mask'],
        ['cannot', expect.stringContaining('systemd-logind.service is static')],
        ['cannot', 'the unit nothing.service does not exist'],
      ])
    },
    TIMEOUT_MS,
  )

  test(
    'are stopped although nothing can keep them from starting with the system',
    async () => {
      const host = await bootWithUnits()
      const policy = 'ccm: { resources: [service: [watcher: { ensure: stopped, enable: false }]] }'
      expect(planned(await scan(host, policy))).toEqual({ 'service#watcher': 'Would have stopped' })
      const fixed = named(await scan(host, policy, ['--fix']), 'watcher')
      expect(fixed).toMatchObject({ verdict: 'fix-failed', change: 'cannot', remaining: [{ property: 'enable' }] })
      expect(fixed?.message).toMatch(/^Stopped, but watcher\.service is static/)
      expect(await host.shell('systemctl is-active watcher || true')).toBe('inactive\n')
    },
    TIMEOUT_MS,
  )

  test(
    'run with the unit file that a fix has written',
    async () => {
      const host = await bootWithUnits()
      const policy = `
ccm:
  resources:
    - file:
        - /etc/systemd/system/watcher.service:
            { ensure: present, owner: root, group: root, mode: '0644', content: "[Service]\\nExecStart=/bin/sleep 12345\\n" }
    - service:
        - watcher: { subscribe: [file#/etc/systemd/system/watcher.service] }
`
      expect(verdicts(await scan(host, policy, ['--fix']))).toEqual({ fixed: 2 })
      expect(await host.shell(`tr '\\0' ' ' </proc/${await mainProcess(host, 'watcher')}/cmdline`)).toBe(
        '/bin/sleep 12345 ',
      )
    },
    TIMEOUT_MS,
  )

  test(
    'are off only once nothing starts them any more',
    async () => {
      const host = await bootWithUnits()
      await host.shell(`mkdir -p ${LIB} /usr/share/dbus-1/system-services`)
      for (const [name, content] of Object.entries(STARTED)) await host.write(name, content)
      await host.shell(START_BY)
      const policy = `ccm: { resources: [service: [${OFF.map((name) => `${name}: { ensure: stopped, enable: false }`).join(', ')}]] }`
      const audit = await scan(host, policy)
      expect(startedBy(audit)).toEqual({
        lazy: ['lazy.socket: it is active and starts at boot'],
        chores: ['nightly.timer: it is active and starts at boot'],
        spool: ['spool.path: it is active'],
        later: ['later.socket: it starts at boot'],
        quiet: ['org.example.Quiet: started by D-Bus activation'],
      })
      // It is stopped, and starts at the first connection.
      expect(
        await host.shell(`systemctl is-active lazy || true; ${CONNECT} && sleep 1; systemctl is-active lazy`),
      ).toBe('inactive\nactive\n')
      expect(verdicts(await scan(host, policy, ['--fix']))).toEqual({ fixed: 4, 'fix-failed': 1 })
      expect(await host.shell(`${CONNECT} 2>/dev/null || echo refused; systemctl is-active lazy || true`)).toBe(
        'refused\ninactive\n',
      )
      expect(await host.shell('systemctl is-enabled lazy.socket nightly.timer later.socket || true')).toBe(
        'disabled\n'.repeat(3),
      )

      const masked = ['quiet', 'loud', 'short', 'nowhere'].map((name) => `${name}: { ensure: stopped, masked: true }`)
      const masks = `ccm: { resources: [service: [${masked.join(', ')}, closed: { enable: true, masked: false }]] }`
      expect(planned(await scan(host, masks))).toEqual({
        'service#quiet': 'Would have masked',
        'service#loud': 'Would have stopped, would have masked',
        'service#short': 'Would have masked',
        'service#closed': 'Would have unmasked, would have started, would have enabled',
      })
      expect(verdicts(await scan(host, masks, ['--fix']))).toEqual({ fixed: 4, compliant: 1 })
      expect(await host.shell('systemctl is-enabled quiet loud short closed || true')).toBe(
        'masked\nmasked\nmasked\nenabled\n',
      )
      expect(await host.shell('systemctl is-active loud closed || true')).toBe('inactive\nactive\n')
      expect(verdicts(await scan(host, masks))).toEqual({ compliant: 5 })
    },
    TIMEOUT_MS,
  )

  test(
    'can be audited by an ordinary user',
    async () => {
      const host = await bootWithUnits()
      await host.shell('useradd --create-home auditor')
      const policy = 'ccm: { resources: [service: [idle: { enable: true }, watcher: {}, busy: { enable: false }]] }'
      const run = await scan(host, policy, [], 'auditor')
      expect(planned(run)).toEqual({
        'service#idle': 'Would have started, would have enabled',
        'service#busy': 'Would have disabled',
      })
    },
    TIMEOUT_MS,
  )
})

const LIB = '/usr/local/lib/systemd/system'
/** Services that something else starts, each with what does. */
const STARTED: Readonly<Record<string, string>> = {
  [`${LIB}/lazy.service`]: `[Service]\n${SLEEPER}\n${WANTED}`,
  [`${LIB}/lazy.socket`]: '[Socket]\nListenStream=/run/lazy.sock\n[Install]\nWantedBy=sockets.target\n',
  [`${LIB}/chores.service`]: `[Service]\n${SLEEPER}\n${WANTED}`,
  [`${LIB}/nightly.timer`]: '[Timer]\nOnCalendar=2099-01-01\nUnit=chores.service\n[Install]\nWantedBy=timers.target\n',
  [`${LIB}/spool.service`]: `[Service]\n${SLEEPER}\n${WANTED}`,
  [`${LIB}/spool.path`]: '[Path]\nPathExists=/run/no-such-thing\n',
  [`${LIB}/later.service`]: `[Service]\n${SLEEPER}\n${WANTED}`,
  [`${LIB}/later.socket`]: '[Socket]\nListenStream=/run/later.sock\n[Install]\nWantedBy=sockets.target\n',
  [`${LIB}/quiet.service`]: `[Service]\nType=dbus\nBusName=org.example.Quiet\n${SLEEPER}\n${WANTED}`,
  [`${LIB}/loud.service`]: `[Service]\n${SLEEPER}\n${WANTED}`,
  [`${LIB}/short.service`]: `[Service]\n${SLEEPER}\n${WANTED}`,
  [`${LIB}/closed.service`]: `[Service]\n${SLEEPER}\n${WANTED}`,
  '/usr/share/dbus-1/system-services/org.example.Quiet.service':
    '[D-BUS Service]\nName=org.example.Quiet\nExec=/bin/false\nSystemdService=quiet.service\n',
}

const OFF = ['lazy', 'chores', 'spool', 'later', 'quiet']

const START_BY = `
systemctl daemon-reload
systemctl enable --now --quiet lazy.socket nightly.timer
systemctl start spool.path
systemctl enable --quiet later.socket
systemctl enable --now --quiet loud
systemctl mask --runtime --quiet short
systemctl mask --quiet closed`

const CONNECT = `node -e "require('net').connect('/run/lazy.sock', () => process.exit()).on('error', () => process.exit(1))"`

/** What starts each of the services, where something does. */
function startedBy(results: readonly ResourceResult[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    results.map(({ name, drift }) => [
      name,
      drift
        .filter(({ property }) => property === 'started_by')
        .map(({ observed, note }) => `${typeof observed === 'string' ? observed : ''}: ${note}`),
    ]),
  )
}

const ASK_SYSTEMD = `
for unit in idle busy named fixed worker@one brief fresh flapping crashed watcher; do
  echo $unit $(systemctl is-active $unit || true) $(systemctl is-enabled $unit || true)
done
ls /etc/rc5.d | grep -c S..old || true`

const WANTED_ANSWERS = `idle active enabled
busy inactive disabled
named active enabled
fixed active static
worker@one active enabled
brief inactive disabled
fresh active enabled
flapping inactive static
crashed failed static
watcher active static
0
`

/** A host with the units, with driftgate, and with nothing done by it yet. */
async function bootWithUnits(): Promise<DebianHost> {
  const host = await bootForTest(rootFilesystem)
  for (const [name, content] of Object.entries(UNITS)) await host.write(`/etc/systemd/system/${name}`, content)
  await host.shell(PREPARE)
  return host
}

async function scan(
  host: DebianHost,
  policy: string,
  args: readonly string[] = [],
  user = 'root',
): Promise<readonly ResourceResult[]> {
  await host.write('/srv/policy.yaml', policy)
  const command = ['driftgate', 'scan', '/srv/policy.yaml', '--report', 'json', ...args]
  const { code, stdout, stderr } = await host.run(command, { user })
  if (stdout === '') throw new Error(`driftgate ended with ${code} and no report: ${stderr}`)
  const run = JSON.parse(stdout) as Run
  return run.policies.flatMap(({ resources }) => resources)
}

/** What the resources would do, or have done. */
function planned(results: readonly ResourceResult[]): Readonly<Record<string, string>> {
  return Object.fromEntries(results.flatMap(({ id, actions }) => actions.map((action) => [id, action])))
}

function named(results: readonly ResourceResult[], name: string): ResourceResult | undefined {
  return results.find(({ name: own }) => own === name)
}

function verdicts(results: readonly ResourceResult[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { verdict } of results) counts[verdict] = (counts[verdict] ?? 0) + 1
  return counts
}

async function mainProcess(host: DebianHost, unit: string): Promise<string> {
  return (await host.shell(`systemctl show --property=MainPID --value ${unit}`)).trim()
}
