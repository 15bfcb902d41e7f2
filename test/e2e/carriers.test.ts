// Containers, pods and machines are scanned by the driftgate that their own clients start there. Here stand-ins are called as
// these, and lead to a mount namespace.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test, vi } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { driftgate, temporaryDirectory } from '../support/driftgate.ts'
import { needsMachineId } from '../support/identified.ts'
import { needsPrograms } from '../support/programs.ts'
import { type Client, type StandIn, standInFor } from '../support/stand-in.ts'
import { needsRoot } from '../support/temporary.ts'

const DOCKER: Client = {
  target: 'container:web',
  program: 'docker',
  words: ['exec', '--interactive', '--user=0', 'web'],
}
const POD: Client = {
  target: 'pod:shop/web-0/nginx',
  program: 'kubectl',
  words: 'exec --stdin --quiet --pod-running-timeout=5s --namespace=shop --container=nginx web-0 --'.split(' '),
}
const MACHINE: Client = {
  target: 'machine:web',
  program: 'systemd-run',
  words: ['--machine=web', '--pipe', '--wait', '--collect', '--quiet', '--uid=0', '--'],
  // systemd.service(5): "$$" is one dollar sign, and everything else behind one is a variable.
  expansion: 's/\\$\\$/\\n/g; s/\\$[{A-Za-z_][A-Za-z0-9_}]*//g; s/\\n/$/g',
}
const CLIENTS: readonly (readonly [string, Client])[] = [
  ['docker', DOCKER],
  ['podman', { ...DOCKER, program: 'podman' }],
  ['kubectl', POD],
  ['systemd-run', MACHINE],
]

function policy(text: string): string {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'p.yaml'), text)
  return cwd
}

/** Why a target could not be reached. */
function unreached(text: string): string | undefined {
  const { policies } = JSON.parse(text) as Run
  const [result, ...others] = policies.flatMap(({ resources }) => resources)
  expect([result?.id, result?.verdict, result?.reason, others]).toEqual(['target#scan', 'error', 'unreachable', []])
  return result?.message
}

const MOTD =
  'ccm: { resources: [ { file: [ { /srv/motd: { ensure: present, owner: root, group: root, mode: "0644", content: "new\\n" } } ] } ] }\n'

/** A run without what differs from run to run. */
function lasting(text: string): unknown {
  const { policies, summary, exit } = JSON.parse(text.replaceAll(/"durationMs":\s*[\d.]+/g, '"durationMs": 0')) as Run
  return { policies: policies.map(({ inputs: _said, ...found }) => found), summary, exit }
}

describe.skipIf(needsRoot)('a container, a pod, a machine', () => {
  test.each(CLIENTS)('by %s: what a scan there says, and a fix', async (_name, client) => {
    const place = standInFor(client)
    const cwd = policy(MOTD)
    writeFileSync(join(place.srv, 'motd'), 'old\n', { mode: 0o600 })
    const args = ['p.yaml', '--no-config', '--report', 'json']
    const { code, stdout, stderr } = await place.scan(cwd, ...args).outcome
    expect([code, stderr]).toEqual([2, ''])
    expect(place.calledWith().slice(0, client.words.length)).toEqual(client.words)
    expect((JSON.parse(stdout) as Run).target.kind).toBe(client.target.split(':')[0])
    expect(lasting(stdout)).toEqual(lasting((await place.scanThere(cwd, ...args).outcome).stdout))
    expect(await place.scan(cwd, 'p.yaml', '--fix').outcome).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(join(place.srv, 'motd'), 'utf8')).toBe('new\n')
  })

  test('two of them in one scan: one answers, the other cannot be reached', async () => {
    const cwd = policy(MOTD)
    const place = standInFor(DOCKER)
    const args = ['--target', 'container:other', '--target', 'pod:shop/web-0', '--report', 'json']
    const { code, stdout } = await place.scan(cwd, 'p.yaml', ...args).outcome
    expect(code).toBe(2)
    const { targets = [] } = JSON.parse(stdout) as Run
    expect(targets.map(({ spec, reason, exit }) => [spec, reason, exit.code])).toEqual([
      ['container:web', undefined, 2],
      ['container:other', undefined, 2],
      ['pod:shop/web-0', 'unreachable', 3],
    ])
  })

  test.skipIf(needsMachineId)(
    'a plan that is made there is kept here, and a policy that is wrong is said',
    async () => {
      const cwd = policy(MOTD)
      const place = standInFor(DOCKER)
      const planned = await place.scan(cwd, 'p.yaml', '--save-plan', 'plan.json').outcome
      expect(planned).toMatchObject({ code: 2, stderr: expect.stringContaining('driftgate: wrote plan.json') })
      expect(JSON.parse(readFileSync(`${cwd}/plan.json`, 'utf8')).changes).toHaveLength(1)
      writeFileSync(`${cwd}/p.yaml`, 'ccm: { resources: [ { file: { nam: /srv/motd } } ] }\n')
      const wrong = await place.scan(cwd, 'p.yaml').outcome
      expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('p.yaml:1:') })
    },
  )

  /** Scans until the first of two resources runs. */
  const begun = async (place: StandIn) => {
    const command = `sh -c 'touch /srv/began; while test -e /srv/began && ! test -e /srv/over; do sleep 0.05; done'`
    const first = `{ command: [ { first: { command: ${JSON.stringify(command)}, exit_code: 0, timeout: 60s } } ] }`
    const cwd = policy(`ccm: { resources: [ ${first}, { file: [ { /nowhere: { ensure: absent } } ] } ] }\n`)
    const running = place.scan(cwd, 'p.yaml', '--report', 'json')
    await vi.waitFor(() => statSync(join(place.srv, 'began')), { timeout: 60_000, interval: 20 })
    return running
  }

  test('an interruption ends the scan there, and its report arrives', async () => {
    const { child, outcome } = await begun(standInFor(DOCKER))
    child.kill('SIGINT')
    const { code, stdout } = await outcome
    expect(code).toBe(130)
    const { run, policies } = JSON.parse(stdout) as Run
    expect(run.interrupted).toBe(true)
    expect(policies.flatMap(({ resources }) => resources.map(({ id }) => id))).toEqual(['command#first'])
  })

  test('a client that is killed is no verdict', async () => {
    const { child, outcome } = await begun(standInFor(POD))
    const [client = ''] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')
    process.kill(Number(client), 'SIGKILL')
    const { code, stdout, stderr } = await outcome
    expect([code, stderr]).toEqual([3, ''])
    expect(unreached(stdout)).toContain('pod:shop/web-0/nginx: the connection was lost before the result was complete')
  })
})

describe('failures to reach a container, a pod or a machine', () => {
  const NO_SHELL = 'exec failed: unable to start container process: exec: "sh": executable file not found in $PATH'
  test.each([
    [DOCKER, 'Error response from daemon: No such container: web', 1, 'no such container'],
    [DOCKER, 'Error response from daemon: container 3f2a is not running', 1, 'it is not running'],
    [
      DOCKER,
      'Error response from daemon: container 3f2a is paused, unpause the container before exec',
      1,
      'it is paused',
    ],
    [DOCKER, `OCI runtime exec failed: ${NO_SHELL}: unknown`, 127, 'it has no shell'],
    [
      { ...DOCKER, program: 'podman' },
      'Error: can only create exec sessions on running containers: container state improper',
      255,
      'it is not running',
    ],
    [POD, 'Error from server (NotFound): pods "web-0" not found', 1, 'no such pod in the namespace'],
    [POD, 'Error from server (NotFound): namespaces "shop" not found', 1, 'no such namespace'],
    [POD, 'Error from server (BadRequest): container nginx is not valid for pod web-0', 1, 'no such container'],
    [POD, 'error: cannot exec into a container in a completed pod; current phase is Succeeded', 1, 'it is not running'],
    [POD, `error: Internal error occurred: error executing command in container: ${NO_SHELL}`, 1, 'it has no shell'],
    [MACHINE, 'Failed to connect to bus: Host is down', 1, 'no such running machine'],
    [MACHINE, "/usr/bin/env: 'sh': No such file or directory", 127, 'it has no shell'],
  ])('%o, which says: %s', async (client, said, exitCode, sentence) => {
    const place = standInFor(client, [said, exitCode])
    const { code, stdout, stderr } = await place.scan(policy(MOTD), 'p.yaml', '--report', 'json').outcome
    expect([code, stderr]).toEqual([3, ''])
    expect(unreached(stdout)).toContain(`${client.target}: `)
    expect(unreached(stdout)).toContain(sentence)
  })

  test.each([
    ['container:web', 'neither docker nor podman is installed here'],
    ['pod:shop/web-0', 'kubectl is not installed here'],
    ['machine:web', 'systemd-run is not installed here'],
  ])('%s: its client is not installed', async (target, sentence) => {
    const cwd = policy(MOTD)
    const { code, stdout, stderr } = await driftgate(['scan', 'p.yaml', '--target', target], {
      cwd,
      env: { PATH: cwd },
    })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(sentence)
  })
})

/** What is said by a client itself, whose daemon or cluster is away: it has understood its options. */
describe('a real client understands what it is called with', () => {
  const said = async (target: string, env: Readonly<Record<string, string>>): Promise<string> =>
    (await driftgate(['scan', 'p.yaml', '--target', target], { cwd: policy(MOTD), env })).stdout

  test.skipIf(needsPrograms('docker'))('docker', async () => {
    const env = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' }
    expect(await said('container:web', env)).toContain('the daemon of its container engine does not answer')
  })

  test.skipIf(needsPrograms('kubectl'))('kubectl', async () => {
    const cwd = temporaryDirectory()
    const cluster = '{ name: c, cluster: { server: "http://127.0.0.1:1" } }'
    const context = '{ name: x, context: { cluster: c, user: u } }'
    const config = `{ apiVersion: v1, kind: Config, clusters: [ ${cluster} ], contexts: [ ${context} ], current-context: x }\n`
    writeFileSync(join(cwd, 'config'), config)
    expect(await said('pod:shop/web-0/nginx', { KUBECONFIG: join(cwd, 'config') })).toContain(
      'the cluster does not answer',
    )
  })

  test.skipIf(needsPrograms('systemd-run'))('systemd-run', async () => {
    expect(await said('machine:no-such-machine', {})).toContain('no such running machine')
  })
})
