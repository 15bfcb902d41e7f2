import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { publicNkey } from '../../src/fleet/nats/nkey.ts'
import { makeKey } from '../../src/host/signing/keys.ts'
import { asOperator, end, startAgentFleet, wanting } from '../support/agent-fleet.ts'
import { hasEnded } from '../support/alive.ts'
import { driftgate, temporaryDirectory } from '../support/driftgate.ts'
import { needsNats } from '../support/nats-server.ts'

/** Resolves once a file is there that holds something. */
async function holdsSomething(path: string): Promise<string> {
  while (!existsSync(path) || readFileSync(path, 'utf8') === '') await setTimeout(20)
  return readFileSync(path, 'utf8')
}

/** A policy that says where it is evaluated and goes on once another file is there. */
function waiting(directory: string, id: string): string {
  const look = `echo $$ >>${directory}/${id}.looks; while ! test -e ${directory}/${id}.go; do sleep 0.05; done; exit 0`
  const exec = { look: { command: '/bin/true', unless: look, provider: 'shell', cwd: directory } }
  return JSON.stringify({ policy: { id }, ccm: { resources: [{ exec: [exec] }] } })
}

describe.skipIf(needsNats)('an agent', () => {
  test('waits for an assignment, scans it and sends what it found, and the next one as soon as there is one', async () => {
    const fleet = await startAgentFleet()
    const agent = fleet.agent()
    await agent.said('no policy is assigned: the server has no assignment for host.web01 or ring.all')
    await fleet.assign(1, { first: wanting(fleet, 'first', 'absent') })
    await agent.said('1 resource: 1 compliant')
    await fleet.arrived(1)
    await fleet.assign(2, { second: wanting(fleet, 'second', 'present') })
    await agent.said('1 resource: 1 drifted')
    await fleet.arrived(2)
    const { code, stdout, stderr } = await end(agent)
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toMatch(/assigned: version 1 for ring.all, first, by tester: a test$/m)
    expect(stderr).toMatch(/assigned: version 2 for ring.all, second, by tester: a test$/m)
    expect(stderr.match(/connected to the server/g)).toHaveLength(1)
    expect((await fleet.heard()).map(({ policies }) => policies.map(({ id }) => id))).toEqual([['first'], ['second']])
    expect(existsSync(fleet.path('agent/history/evidence'))).toBe(true)
  })

  test('goes on without its server with what was verified last, and sends all of it when that is back', async () => {
    const fleet = await startAgentFleet()
    await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
    const first = await fleet.once()
    expect(first).toMatchObject({ code: 0 })
    // What the server says comes before what there is to say of it.
    expect(first.stderr).not.toContain('no policy is assigned')
    await fleet.stop()
    const away = await fleet.once()
    expect(away).toMatchObject({ code: 0, stdout: '' })
    expect(away.stderr).toMatch(/cannot connect to .*; the last verified assignment stays in force/)
    expect(away.stderr).toMatch(/1 resource: 1 compliant/)

    const agent = fleet.agent()
    await agent.said('scanned with version 1 for ring.all, which the server confirmed 0 minutes ago')
    await fleet.start()
    await fleet.arrived(3)
    const { stderr } = await end(agent)
    expect(stderr.match(/cannot connect/g)).toHaveLength(1)
  })

  test('with --once is exit 1 where nothing was ever assigned, and says so', async () => {
    const fleet = await startAgentFleet()
    await fleet.stop()
    const { code, stderr } = await fleet.once()
    expect(code).toBe(1)
    expect(stderr).toContain('no policy is assigned yet, so nothing is scanned')
    expect(stderr).toMatch(
      /cannot connect to tls:\/\/127\.0\.0\.1:\d+: connection refused; the last verified assignment/,
    )
    expect(stderr).not.toContain('compliant')
    await fleet.start()
    const asked = await fleet.once()
    expect(asked.code).toBe(1)
    expect(asked.stderr.match(/no policy is assigned.*/g)).toEqual([
      expect.stringContaining('the server has no assignment for host.web01 or ring.all'),
    ])
  })

  test('scans while the server is killed and started again', async () => {
    const fleet = await startAgentFleet()
    await fleet.assign(1, { slow: waiting(fleet.cwd, 'slow') })
    const agent = fleet.agent()
    await agent.said('connected to the server')
    await holdsSomething(fleet.path('slow.looks'))
    await fleet.stop()
    await agent.said('the connection to the server was lost')
    writeFileSync(fleet.path('slow.go'), '')
    await agent.said('1 resource: 1 compliant')
    await fleet.start()
    await fleet.arrived(1)
    await end(agent)
  })

  test('with a revoked key logs it once, and continues', async () => {
    const fleet = await startAgentFleet({ interval: '1s' })
    await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
    const agent = fleet.agent()
    await fleet.arrived(1)
    const hosts = readFileSync(fleet.path('fleet/server/hosts.conf'), 'utf8')
    writeFileSync(fleet.path('fleet/server/hosts.conf'), hosts.replaceAll(/\bU[A-Z2-7]{55}\b/g, publicNkey(makeKey())))
    fleet.reload()
    await agent.said('the key of this host was revoked')
    const stored = fleet.stored()
    while (fleet.stored() < stored + 3) await setTimeout(20)
    writeFileSync(fleet.path('fleet/server/hosts.conf'), hosts)
    fleet.reload()
    await fleet.arrived(stored + 3)
    const { code, stderr } = await end(agent)
    expect(code).toBe(0)
    expect(stderr.match(/was revoked/g)).toHaveLength(1)
  })

  test('and other clients can connect while a server reloads its configuration', async () => {
    const fleet = await startAgentFleet()
    const hosts = readFileSync(fleet.path('fleet/server/hosts.conf'), 'utf8')
    const other = hosts.replaceAll(/\bU[A-Z2-7]{55}\b/g, publicNkey(makeKey()))
    for (let reload = 0; reload < 20; reload += 1) {
      writeFileSync(fleet.path('fleet/server/hosts.conf'), reload % 2 === 0 ? other : hosts)
      fleet.reload()
      await asOperator(fleet.cwd, async () => {})
    }
  })

  test('sends nothing to a server that cannot prove who it is', async () => {
    const fleet = await startAgentFleet()
    await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
    const other = temporaryDirectory()
    await driftgate(['fleet', 'init', 'fleet', '--server', '127.0.0.1'], { cwd: other })
    writeFileSync(fleet.path('agent/ca.pem'), readFileSync(`${other}/fleet/server/ca.pem`))
    const { code, stderr } = await fleet.once()
    expect(code).toBe(1)
    expect(stderr).toMatch(/cannot connect to .*; the server is not verified/)
    expect(await fleet.heard()).toEqual([])
  })

  test('keeps what a full server does not take, and says so once', async () => {
    const fleet = await startAgentFleet({ interval: '1s', size: '4MiB' })
    await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
    await fleet.fill()
    const agent = fleet.agent()
    await agent.said('the server did not store run')
    while (fleet.stored() < 3) await setTimeout(20)
    const { code, stderr } = await end(agent)
    expect(code).toBe(0)
    expect(stderr.match(/did not store run/g)).toHaveLength(1)
    expect(stderr.match(/1 resource: 1 compliant/g)?.length).toBeGreaterThan(1)
  })

  test('is the only one of its directory', async () => {
    const fleet = await startAgentFleet()
    const agent = fleet.agent()
    await agent.said('no policy is assigned')
    const { code, stderr } = await fleet.once()
    expect(code).toBe(1)
    expect(stderr).toContain('another agent is running for')
    const { stdout: invitation } = await driftgate(['fleet', 'enrol', 'web02', '--fleet', 'fleet'], { cwd: fleet.cwd })
    const join = () => driftgate(['fleet', 'join', invitation.trim(), '--agent', 'agent'], { cwd: fleet.cwd })
    expect(await join()).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'driftgate: an agent is running for agent and would keep its present key: stop it first ("systemctl stop driftgate-agent")\n',
    })
    agent.child.kill('SIGKILL')
    await agent.outcome
    expect((await fleet.once()).stderr).not.toContain('another agent')
    expect(await join()).toMatchObject({ code: 0 })
  })

  test('ends with the scan that it has started', async () => {
    const fleet = await startAgentFleet()
    await fleet.assign(1, { slow: waiting(fleet.cwd, 'slow') })
    const agent = fleet.agent()
    const pid = await holdsSomething(fleet.path('slow.looks'))
    const { code, stderr } = await end(agent)
    expect(code).toBe(0)
    expect(stderr).toContain('the scan was stopped')
    expect(await hasEnded(pid.trim())).toBe(true)
  })
})

test('an agent of a directory that holds none is refused', async () => {
  const { code, stderr } = await driftgate(['agent', '--agent', 'nothing'], { cwd: temporaryDirectory() })
  expect(code).toBe(1)
  expect(stderr).toMatch(/cannot lock .*nothing\/agent.lock.*driftgate fleet join/)
})

test('the unit of an agent writes to what it needs alone', async () => {
  const cwd = temporaryDirectory()
  const words = ['--agent', 'here', '--metrics', 'metrics/driftgate.prom', '--data', 'site.yaml', '--no-commands']
  const { code, stdout } = await driftgate(['agent', '--unit', ...words], { cwd })
  expect(code).toBe(0)
  expect(stdout).toMatch(
    new RegExp(
      `^ExecStart=/.* agent --agent=${cwd}/here --metrics=${cwd}/metrics/driftgate.prom --data=${cwd}/site.yaml --no-commands$`,
      'm',
    ),
  )
  expect(stdout).toContain(`ConditionPathExists=${cwd}/here/agent.json\n`)
  expect(stdout.match(/^ReadWritePaths=.*$/gm)).toEqual([`ReadWritePaths=${cwd}/here`, `ReadWritePaths=${cwd}/metrics`])
})
