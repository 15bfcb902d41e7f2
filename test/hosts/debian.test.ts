import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ContentDigest, ReportValue } from '../../src/model/drift.ts'
import { formatValue } from '../../src/model/format-value.ts'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { type CommandOptions, type DebianHost, prepareRootFilesystem, bootForTest } from './debian-host.ts'
import { findAll, parseXml } from '../support/xml.ts'

const POLICY = readFileSync('test/hosts/policy.yaml', 'utf8')
const MAKE_PACKAGES = readFileSync('test/hosts/make-packages.sh', 'utf8')
// A directory is never replaced by a file, and no repository has that package.
const UNFIXABLE = `
        - /etc/cron.d: { ensure: present, owner: root, group: root, mode: '0644' }
    - package:
        - phantom: { ensure: present }
`
// Booting and every scan take about a second each; the rest is for machines that are busy with other things.
const TIMEOUT_MS = 300_000

const rootFilesystem = await prepareRootFilesystem()

type Difference = readonly [property: string, desired: ReportValue, observed: ReportValue]

/** What is done to the host, and what a scan must say of it. */
interface Planted {
  readonly resource: string
  readonly script: string
  readonly differences: readonly Difference[]
}

const PLANTED: readonly Planted[] = [
  {
    resource: 'package#greeter',
    script: 'apt-get install -qq -y --allow-downgrades greeter=1.0-1',
    differences: [['ensure', '2.0-1', '1.0-1']],
  },
  {
    // As text, 1.9 would be the later one.
    resource: 'package#inspector',
    script: 'apt-get install -qq -y --allow-downgrades inspector=1.9-1',
    differences: [['ensure', '1.10-1', '1.9-1']],
  },
  {
    resource: 'package#courier',
    script: 'apt-get remove -qq -y courier',
    differences: [['ensure', 'present', 'absent']],
  },
  {
    resource: 'package#telnet-server',
    script: 'apt-get install -qq -y telnet-server',
    differences: [['ensure', 'absent', '0.17-1']],
  },
  {
    resource: 'service#cron',
    script: 'systemctl stop cron',
    differences: [['ensure', 'running', 'stopped']],
  },
  {
    resource: 'service#greeter',
    script: 'systemctl disable -q greeter',
    differences: [['enable', true, false]],
  },
  {
    resource: 'service#beacon',
    script: 'systemctl enable -q --now beacon',
    differences: [
      ['ensure', 'stopped', 'running'],
      ['enable', false, true],
    ],
  },
  {
    resource: 'exec#name-application',
    script: `sed -i '/application/d' /etc/hosts`,
    differences: [['run', 'not needed', 'needed because unless exited with 1']],
  },
  {
    resource: 'exec#prepare-application',
    script: 'rm /var/lib/application.prepared',
    differences: [['run', 'not needed', 'needed because /var/lib/application.prepared does not exist']],
  },
  {
    resource: 'file#/etc/greeter.conf',
    script: 'echo greeting=Goodbye > /etc/greeter.conf',
    differences: [['content', digest('greeting=Hello\n'), digest('greeting=Goodbye\n')]],
  },
  {
    resource: 'file#/etc/shadow',
    script: 'chmod 0644 /etc/shadow',
    differences: [['mode', '0640', '0644']],
  },
  {
    resource: 'file#/etc/crontab',
    script: 'chown games:mail /etc/crontab',
    differences: [
      ['owner', 'root', 'games'],
      ['group', 'root', 'mail'],
    ],
  },
  {
    resource: 'file#/etc/issue.net',
    script: `echo 'Welcome!' > /etc/issue.net`,
    differences: [['content', digest('Authorised use only.\n'), digest('Welcome!\n')]],
  },
  {
    resource: 'file#/etc/cron.allow',
    script: 'rm /etc/cron.allow',
    differences: [['ensure', 'present', 'absent']],
  },
  {
    resource: 'file#/usr/local/bin/backup',
    script: 'chmod u+s,o+w /usr/local/bin/backup',
    differences: [['mode', '0755', '4757']],
  },
  {
    resource: 'file#/root/.forward',
    script: 'echo somebody >> /root/.forward; chmod 0666 /root/.forward',
    differences: [
      ['content', digest('operations\n'), digest('operations\nsomebody\n')],
      ['mode', '0600', '0666'],
    ],
  },
  {
    resource: 'file#/etc/ssh/sshd_config.d/50-policy.conf',
    script: 'rm /etc/ssh/sshd_config.d/50-policy.conf',
    differences: [['ensure', 'present', 'absent']],
  },
  {
    resource: 'file#/srv/application/data',
    script: 'rmdir /srv/application/data; ln -s /nowhere /srv/application/data',
    differences: [['ensure', 'directory', 'symlink']],
  },
  {
    resource: 'file#/etc/hosts.equiv',
    script: 'echo + > /etc/hosts.equiv',
    differences: [['ensure', 'absent', 'present']],
  },
  {
    resource: 'file#/srv/legacy',
    script: 'mkdir -p /srv/legacy/one/two; touch /srv/legacy/one/two/three',
    differences: [['ensure', 'absent', 'directory']],
  },
]

/** What is as it should be and yet acts in a fix, because something it subscribes to drifted. */
const TRIGGERED = ['exec#publish-issue', 'service#ssh']
const FIXED = [...PLANTED.map(({ resource }) => resource), ...TRIGGERED].toSorted()

/** Objects that only root may read: directories that cannot be entered, content that cannot be read. */
const HIDDEN = [
  'file#/etc/cron.allow',
  'file#/etc/ssh/sshd_config.d/50-policy.conf',
  'file#/root/.forward',
  'file#/root/.rhosts',
  'file#/srv/application/data',
]

const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

describe.skipIf(unavailable)(`a Debian host (${unavailable ?? 'booted for the test'})`, () => {
  test(
    'says exactly what drifted, repairs it, and then has nothing left to do',
    async () => {
      const host = await settledHost()
      const settled = await host.shell(DESCRIBE)
      for (const { script } of PLANTED) await host.shell(script)
      const planted = Object.fromEntries(PLANTED.map(({ resource, differences }) => [resource, differences]))

      const audit = await scan(host, ['--report', 'junit=/tmp/junit.xml'])
      expect(differencesOf(audit.run)).toEqual(planted)
      expect(idsByVerdict(audit.run)).toEqual({
        drifted: Object.keys(planted).toSorted(),
        compliant: ids(audit.run).filter((id) => !(id in planted)),
      })
      expect(actingOf(audit.run)).toEqual(FIXED)
      expect(audit.code).toBe(2)
      expectJunit(await host.shell('cat /tmp/junit.xml'), planted)

      const fix = await scan(host, ['--fix'])
      expect(idsByVerdict(fix.run)).toEqual({
        fixed: FIXED,
        compliant: ids(fix.run).filter((id) => !FIXED.includes(id)),
      })
      expect(differencesOf(fix.run)).toEqual(planted)
      expect(fix.code).toBe(0)
      expect(await host.shell(DESCRIBE)).toBe(settled)
      expect(settled).toContain('Hello from 2.0-1')

      await expectNothingToDo(host)
    },
    TIMEOUT_MS,
  )

  test(
    'fixes the rest where one resource cannot be fixed',
    async () => {
      const host = await settledHost()
      for (const { script } of PLANTED) await host.shell(script)
      await host.write('/root/policy.yaml', POLICY + UNFIXABLE)
      const { code, run } = await scan(host, ['--fix'])
      expect(code).toBe(4)
      expect(idsByVerdict(run)).toMatchObject({
        'fix-failed': ['file#/etc/cron.d', 'package#phantom'],
        fixed: FIXED,
      })
      await expectNothingToDo(host)
    },
    TIMEOUT_MS,
  )

  test(
    'calls nothing absent that an ordinary user may not look at',
    async () => {
      const host = await settledHost()
      await host.shell('useradd --create-home auditor; install -m 0644 /root/policy.yaml /home/auditor')
      const options = { user: 'auditor', cwd: '/home/auditor' }
      const settled = await scan(host, [], options)
      expect(settled.code).toBe(3)
      expect(idsByVerdict(settled.run)).toEqual({
        error: HIDDEN,
        compliant: ids(settled.run).filter((id) => !HIDDEN.includes(id)),
      })
      expect(reasonsOf(settled.run)).toEqual(Object.fromEntries(HIDDEN.map((id) => [id, 'permission-denied'])))

      await host.shell('rm /root/.forward /etc/issue.net; echo + > /root/.rhosts')
      const drifted = await scan(host, [], options)
      expect(drifted.code).toBe(2)
      expect(differencesOf(drifted.run)).toEqual({ 'file#/etc/issue.net': [['ensure', 'present', 'absent']] })
      expect(reasonsOf(drifted.run)).toEqual(Object.fromEntries(HIDDEN.map((id) => [id, 'permission-denied'])))
    },
    TIMEOUT_MS,
  )
})

/** A host of its own for a test, with driftgate and the policy in /root, brought into the policy's state by a fix. */
async function settledHost(): Promise<DebianHost> {
  const host = await bootForTest(rootFilesystem)
  await host.shell(MAKE_PACKAGES)
  await host.write('/root/policy.yaml', POLICY)
  const { code, run } = await scan(host, ['--fix'])
  expect(resources(run).filter(({ verdict }) => verdict !== 'fixed' && verdict !== 'compliant')).toEqual([])
  expect(code).toBe(0)
  await expectNothingToDo(host)
  return host
}

/** Scans and fixes: everything is compliant, and the fix leaves every file as it was. */
async function expectNothingToDo(host: DebianHost): Promise<void> {
  await host.write('/root/policy.yaml', POLICY)
  const audit = await scan(host, [])
  expect(idsByVerdict(audit.run)).toEqual({ compliant: ids(audit.run) })
  expect(audit.code).toBe(0)
  const before = await host.shell(LIST_CHANGES)
  const fix = await scan(host, ['--fix'])
  expect(idsByVerdict(fix.run)).toEqual({ compliant: ids(audit.run) })
  expect(fix.code).toBe(0)
  expect(await host.shell(LIST_CHANGES)).toBe(before)
}

/** Every file a fix could touch: which one it is and when it changed; and the processes of the services. */
const LIST_CHANGES = `
find /etc /usr /srv /root /var -xdev \\( -path /var/log -o -path /var/lib/driftgate \\) -prune -o -printf '%p %i %C@\\n' |
  sort
systemctl show --property Id,MainPID,ActiveEnterTimestampMonotonic beacon cron greeter ssh`

/** What the tools of the system say of it: files with owner, mode and content, packages, services, what commands made. */
const DESCRIBE = `
find /etc /usr/local /usr/sbin /srv /root -xdev -printf '%p %M %u %g %l\\n' | sort
find /etc /usr/local /usr/sbin /srv /root -xdev -type f -exec sha256sum {} + | sort
dpkg-query --show --showformat '\${Package} \${Version} \${db:Status-Status}\\n'
systemctl show --property Id,ActiveState,UnitFileState beacon cron greeter ssh
grep . /run/greeting /run/issue`

async function scan(
  host: DebianHost,
  args: readonly string[],
  options: CommandOptions = { cwd: '/root' },
): Promise<{ readonly code: number | null; readonly run: Run }> {
  const { code, stdout, stderr } = await host.run(
    ['driftgate', 'scan', 'policy.yaml', '--report', 'json', ...args],
    options,
  )
  if (stdout === '') throw new Error(`driftgate ended with ${code} and no report: ${stderr}`)
  return { code, run: JSON.parse(stdout) as Run }
}

function resources(run: Run): readonly ResourceResult[] {
  return run.policies.flatMap((policy) => policy.resources)
}

function ids(run: Run): readonly string[] {
  return resources(run)
    .map(({ id }) => id)
    .toSorted()
}

function idsByVerdict(run: Run): Readonly<Record<string, readonly string[]>> {
  const verdicts = new Set(resources(run).map(({ verdict }) => verdict))
  const withVerdict = (wanted: string): readonly string[] =>
    resources(run)
      .filter(({ verdict }) => verdict === wanted)
      .map(({ id }) => id)
      .toSorted()
  return Object.fromEntries([...verdicts].map((verdict) => [verdict, withVerdict(verdict)]))
}

function differencesOf(run: Run): Readonly<Record<string, readonly Difference[]>> {
  const drifted = resources(run).filter(({ drift }) => drift.length > 0)
  return Object.fromEntries(
    drifted.map(({ id, drift }) => [
      id,
      drift.map(({ property, desired, observed }) => [property, desired, observed] as const),
    ]),
  )
}

/** What acts in a fix, in order of their ids. */
function actingOf(run: Run): readonly string[] {
  return resources(run)
    .filter(({ actions }) => actions.length > 0)
    .map(({ id }) => id)
    .toSorted()
}

function reasonsOf(run: Run): Readonly<Record<string, string | undefined>> {
  const errors = resources(run).filter(({ verdict }) => verdict === 'error')
  return Object.fromEntries(errors.map(({ id, reason }) => [id, reason]))
}

/** One case that failed for every resource that drifted, with each property and both its values, and no other. */
function expectJunit(xml: string, planted: Readonly<Record<string, readonly Difference[]>>): void {
  const failed = findAll(parseXml(xml), 'testcase').filter(({ children }) =>
    children.some(({ name }) => name === 'failure'),
  )
  expect(failed).toHaveLength(Object.keys(planted).length)
  for (const [id, differences] of Object.entries(planted)) {
    const found = failed.find(({ attributes }) => attributes['name']?.includes(id))
    const text = found?.children.map((child) => child.text).join('\n') ?? ''
    for (const [property, desired, observed] of differences) {
      expect(text).toContain(property)
      for (const value of [desired, observed]) expect(text).toContain(shown(value))
    }
  }
}

/** A value as a person sees it: of a digest the beginning is shown. */
function shown(value: ReportValue): string {
  if (value === null || typeof value !== 'object') return String(value)
  if ('sha256' in value) return value.sha256.slice(0, 12)
  return 'digest' in value ? value.digest : formatValue(value)
}

function digest(content: string): ContentDigest {
  return { sha256: createHash('sha256').update(content).digest('hex'), sizeBytes: Buffer.byteLength(content) }
}
