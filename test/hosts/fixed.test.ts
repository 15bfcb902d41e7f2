import { readFileSync } from 'node:fs'
import { describe, expect, test, type TestContext } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import {
  bootHost,
  type DebianHost,
  installDriftgate,
  prepareRootFilesystem,
  type RootFilesystem,
} from './debian-host.ts'
import { type Peer, startPeer } from './peer.ts'

// Two starts of a host, two fixes and two audits of everything, on machines that are busy with other things.
const TIMEOUT_MS = 600_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

const GUIDE = readFileSync('docs/guide/shipped-policies.md', 'utf8')
const PASSWORD = 'Right-Horse-42-x'

/** What is fixed together: the packages that are there before, and what works after a start, by a script and what it prints. */
interface Repair {
  readonly baselines: readonly string[]
  readonly packages: readonly string[]
  readonly works: Readonly<Record<string, string>>
  /** The release of Debian, where it is not this machine's. */
  readonly suite?: string
  /** The unit that does not run in a container. */
  readonly failed: string
}

const REPAIRS: readonly Repair[] = [
  { baselines: ['@linux', '@ssh'], packages: [], works: {}, failed: '' },
  // Only the kernel of the machine is audited, not that of a container.
  { baselines: ['@cis-debian-12'], packages: [], works: {}, failed: 'auditd.service' },
  { baselines: ['@cis-debian-13'], packages: [], works: {}, suite: 'trixie', failed: 'audit-rules.service' },
  { baselines: ['@dev-sec-linux', '@dev-sec-ssh'], packages: [], works: {}, failed: 'auditd.service' },
  {
    baselines: ['@nginx', '@postgresql', '@docker-host'],
    packages: ['nginx', 'postgresql', 'docker.io'],
    works: {
      'nginx -t 2>&1 | tail -n 1': 'nginx: configuration file /etc/nginx/nginx.conf test is successful\n',
      [`node -e "fetch('http://127.0.0.1/').then(({ status }) => console.log(status))"`]: '200\n',
      [`setpriv --reuid=postgres --regid=postgres --init-groups psql -Atc 'select 1 + 1'`]: '2\n',
      // The daemon of Debian 12 has no --validate: it starts with the file or not at all.
      "docker info --format '{{.LiveRestoreEnabled}}'": 'true\n',
    },
    failed: '',
  },
]

describe.skipIf(unavailable)(`a Debian host that a baseline repaired (${unavailable ?? 'booted for the test'})`, () => {
  test.concurrent.for(REPAIRS)(
    'is as usable as before after a start, and lacks what the guide lists: $baselines',
    { timeout: TIMEOUT_MS },
    async ({ baselines, packages, works, suite, failed }, { skip, onTestFinished }) => {
      const root = suite === undefined ? rootFilesystem : await prepareRootFilesystem(suite)
      if (root.kind === 'unavailable') return skip(root.reason)
      const { host, peer } = await hostWithAdministrator(root, onTestFinished)
      await addPeople(host, peer)
      for (const name of packages) await install(host, name)
      await fix(host, baselines)
      const again = await fix(host, baselines)
      expect(again.policies.flatMap(({ resources }) => resources.flatMap(({ actions }) => actions))).toEqual([])

      await host.reboot()
      await peer.connect(host)
      const { policies } = await scan(host, baselines)
      for (const [index, { controls, resources }] of policies.entries()) {
        const wrong = controls.filter(({ verdict }) => verdict === 'drifted' || verdict === 'error')
        const inContainer = listed('Containers', baselines[index])
        const ofCarl = resources
          .filter(({ changeReason = '' }) => changeReason.startsWith('carl: '))
          .map(({ id }) => id)
        const left = wrong
          .filter((control) => !control.resources.some((id) => ofCarl.includes(id)))
          .map(({ id }) => id)
          .filter((id) => !inContainer.has(id))
        const why = resources.filter(({ id }) => wrong.some((control) => control.resources.includes(id)))
        expect(new Set(left), `${baselines[index]}: ${JSON.stringify(why)}`).toEqual(
          listed('Left to a person', baselines[index]),
        )
      }

      await expectPeopleToWork(host, peer)
      expect(await peer.ssh('gina', `echo ${PASSWORD} | sudo -S id -un 2>/dev/null`)).toBe('root\n')
      expect(await host.shell('getent hosts debian-host')).toContain('127.0.1.1')
      await install(host, 'chrony')
      for (const [script, answer] of Object.entries(works)) expect(await host.shell(script), script).toBe(answer)
      expect((await host.shell('systemctl --failed --plain --no-legend')).split(' ', 1)).toEqual([failed])
    },
  )

  test.concurrent(
    'a baseline of another system changes nothing, and says that it is one of another system',
    async ({ onTestFinished }) => {
      const { host } = await hostWithAdministrator(rootFilesystem, onTestFinished)
      await host.shell('touch /root/before')
      for (const baseline of ['@cis-debian-13', '@cis-ubuntu-24.04', '@cis-rhel-9']) {
        const { policies } = await fix(host, [baseline])
        const [system, ...others] = policies[0]?.controls ?? []
        expect(system).toMatchObject({ id: '0', verdict: 'fix-failed' })
        const untouched = ['blocked', 'not-applicable', 'not-evaluated']
        expect(others.filter(({ verdict }) => !untouched.includes(verdict))).toEqual([])
      }
      expect(await host.shell('find /etc /usr -xdev -newer /root/before')).toBe('')
    },
    TIMEOUT_MS,
  )
})

/** A host with an administrator who logs in with a key and uses sudo, as on most servers. */
async function hostWithAdministrator(
  root: RootFilesystem,
  onTestFinished: TestContext['onTestFinished'],
): Promise<{ readonly host: DebianHost; readonly peer: Peer }> {
  if (root.kind === 'unavailable') throw new Error(root.reason)
  const host = await bootHost(root.path)
  onTestFinished(host.stop)
  const peer = await startPeer()
  onTestFinished(peer.stop)
  await installDriftgate(host)
  await host.shell(
    `printf '127.0.0.1 localhost\\n127.0.1.1 debian-host\\n' >/etc/hosts
    useradd --create-home --shell /bin/bash gina && echo 'gina:${PASSWORD}' | chpasswd
    install -d -o gina -g gina -m 0700 ~gina/.ssh && echo '${peer.publicKey}' >~gina/.ssh/authorized_keys
    apt-get update -q && apt-get install -qq -y --no-install-recommends sudo >/dev/null 2>&1 && adduser -q gina sudo`,
  )
  return { host, peer }
}

/** A user of cron whose password is old, and one who may copy files into a directory and nothing else. */
async function addPeople(host: DebianHost, { publicKey }: Peer): Promise<void> {
  await install(host, 'cron')
  await host.shell(`
    useradd --create-home --shell /bin/bash carl && echo 'carl:${PASSWORD}' | chpasswd
    chage -d 2025-01-01 carl
    echo '@reboot touch /home/carl/ran' | crontab -u carl -
    useradd --no-create-home --home-dir / --shell /usr/sbin/nologin sue
    install -d -m 0755 /srv/sftp /srv/sftp/sue && install -d -o sue -g sue -m 0700 /srv/sftp/sue/upload
    install -d -m 0755 /etc/ssh/keys && echo '${publicKey}' >/etc/ssh/keys/sue
    printf 'Match User sue\\n  ChrootDirectory /srv/sftp/%%u\\n  AuthorizedKeysFile /etc/ssh/keys/%%u\\n  ForceCommand internal-sftp\\n' \\
      >/etc/ssh/sshd_config.d/sue.conf`)
}

/** Both work after a fix and a start; a password that a fix would have expired is left to its user. */
async function expectPeopleToWork(host: DebianHost, peer: Peer): Promise<void> {
  expect(await host.shell('ls /home/carl')).toBe('ran\n')
  expect(await peer.sftp('sue', 'ls /')).toContain('upload')
}

async function install(host: DebianHost, name: string): Promise<void> {
  await host.shell(`DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends ${name} >/dev/null 2>&1
    dpkg-query --show --showformat '\${db:Status-Status}' ${name} | grep -qx installed`)
}

async function fix(host: DebianHost, baselines: readonly string[]): Promise<Run> {
  return await scan(host, [...baselines, '--fix'])
}

async function scan(host: DebianHost, args: readonly string[]): Promise<Run> {
  const { code, stdout, stderr } = await host.run(['driftgate', 'scan', ...args, '--report', 'json'])
  if (stdout === '') throw new Error(`driftgate ended with ${code} and no report: ${stderr}`)
  return JSON.parse(stdout) as Run
}

/** The controls of a baseline that the table below a heading of the guide lists. */
function listed(heading: string, baseline = ''): ReadonlySet<string> {
  const [, section = ''] = GUIDE.split(`### ${heading}\n`)
  const [table = ''] = section.split(/^#/m)
  const rows = table.split('\n').filter((line) => line.startsWith(`| \`${baseline}\` `))
  const cells = rows.map((row) => row.split('|')[2] ?? '')
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, id = '']) => id)))
}
