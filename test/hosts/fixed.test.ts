import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Run } from '../../src/core/run.ts'
import { bootHost, type DebianHost, installDriftgate, prepareRootFilesystem } from './debian-host.ts'
import { type Peer, startPeer } from './peer.ts'

// Two starts of a host, two fixes and two audits of everything, on machines that are busy with other things.
const TIMEOUT_MS = 600_000

const rootFilesystem = await prepareRootFilesystem()
const unavailable = rootFilesystem.kind === 'unavailable' ? rootFilesystem.reason : undefined

const GUIDE = readFileSync('docs/guide/shipped-policies.md', 'utf8')
const PASSWORD = 'Right-Horse-42-x'

describe.skipIf(unavailable !== undefined)(
  `a Debian host that a baseline repaired (${unavailable ?? 'booted for the test'})`,
  () => {
    test.each([{ baselines: ['@linux', '@ssh'] }, { baselines: ['@cis-debian-12'] }])(
      'is as usable as before after a start, and lacks what the guide lists: $baselines',
      async ({ baselines }) => {
        const { host, peer } = await hostWithAdministrator()
        await fix(host, baselines)
        const again = await fix(host, baselines)
        expect(again.policies.flatMap(({ resources }) => resources.flatMap(({ actions }) => actions))).toEqual([])

        await host.reboot()
        await peer.connect(host)
        const { policies } = await scan(host, baselines)
        for (const [index, { controls }] of policies.entries()) {
          const wrong = controls.filter(({ verdict }) => verdict === 'drifted' || verdict === 'error')
          const inContainer = listed('Containers', baselines[index])
          const left = wrong.map(({ id }) => id).filter((id) => !inContainer.has(id))
          expect(new Set(left), baselines[index]).toEqual(listed('Left to a person', baselines[index]))
        }

        expect(await peer.ssh('gina', `echo ${PASSWORD} | sudo -S id -un 2>/dev/null`)).toBe('root\n')
        expect(await host.shell('getent hosts debian-host')).toContain('127.0.1.1')
        await host.shell('DEBIAN_FRONTEND=noninteractive apt-get install -qq -y nginx >/dev/null 2>&1; nginx -v')
        // Only the kernel of the machine is audited, not that of a container.
        expect((await host.shell('systemctl --failed --plain --no-legend')).split(' ', 1)).toEqual([
          baselines.includes('@cis-debian-12') ? 'auditd.service' : '',
        ])
      },
      TIMEOUT_MS,
    )

    test(
      'a baseline of another system changes nothing, and says that it is one of another system',
      async () => {
        const { host } = await hostWithAdministrator()
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
  },
)

/** A host with somebody who logs in with a key and works as root with sudo, as a server has it that people look after. */
async function hostWithAdministrator(): Promise<{ readonly host: DebianHost; readonly peer: Peer }> {
  if (rootFilesystem.kind === 'unavailable') throw new Error(rootFilesystem.reason)
  const host = await bootHost(rootFilesystem.path)
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
