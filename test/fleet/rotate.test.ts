import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { keepUp } from '../../src/fleet/nats/assigned.ts'
import { enter, loginOfContext, readAgent } from '../../src/fleet/nats/connect.ts'
import { followOperator } from '../../src/fleet/nats/follow.ts'
import { withoutUser, withUser } from '../../src/fleet/nats/rotate.ts'
import { readRoster } from '../../src/fleet/roster.ts'
import { readPublicKey } from '../../src/host/signing/keys.ts'
import { runInProcess } from '../support/command-line.ts'
import { needsNats } from '../support/nats-server.ts'
import { RESOURCES, sendingHost } from './sending-host.ts'
import { startTestFleet, succeed } from './support.ts'

test.skipIf(needsNats)(
  'keys are replaced step by step, and the host takes and sends all the while',
  async () => {
    const fleet = await startTestFleet()
    const host = await sendingHost(fleet)
    const run = (...args: readonly string[]) => runInProcess('fleet', ...args, '--fleet', fleet.fleet)
    const path = (name: string): string => join(fleet.fleet, name)
    const ssh = (await succeed('fleet', 'publish', '@ssh', '--fleet', fleet.fleet)).slice(0, 64)
    await run('assign', '--to', 'ring.all', '--policy', ssh, '--reason', 'first')
    const before = {
      policy: readPublicKey(path('operator/policy.pem')).id,
      login: loginOfContext(path('viewer/context.json')),
    }
    let hours = 10
    /** What the agent of the host does in an interval, which must always succeed. */
    const interval = async (): Promise<number> => {
      await followOperator(host.line, fleet.agent, () => undefined)
      const assigned = await keepUp(host.line, fleet.agent)
      if (assigned.kind !== 'assigned') throw new Error(`not assigned: ${JSON.stringify(assigned)}`)
      const { to, version } = assigned.assignment
      await host.scan(--hours, new Set(Array.from({ length: 10 - hours }, (_, at) => at % RESOURCES)))
      const assignment = { to, version, sha256: '0'.repeat(64) }
      expect(await host.send({ sender: { version: '1', assignment } })).toMatchObject({ waiting: 0, lost: 0 })
      return version
    }
    const reload = (): void => void process.kill(fleet.server.pid, 'SIGHUP')
    await interval()

    expect(await run('rotate')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('former and new keys are both valid'),
    })
    expect(await run('rotate')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the server does not accept the new keys: copy'),
    })
    await interval()
    reload()
    await expect.poll(async () => (await run('rotate')).stderr).toContain('the new keys are in use')
    expect(await run('rotate')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('web01 has not reported with the new key yet'),
    })
    expect(await interval()).toBe(2)
    expect(await run('rotate')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the former keys are revoked'),
    })
    reload()
    await interval()

    const policy = readPublicKey(path('operator/policy.pem')).id
    expect(policy).not.toBe(before.policy)
    expect(readPublicKey(join(fleet.agent, 'policy.pub'))).toEqual({ id: policy, key: expect.anything() })
    await expect(enter(before.login)).rejects.toThrow(/authorization violation|closed the connection/)
    const view = ['--context', path('viewer/context.json'), '--roster', path('operator/roster.yaml')]
    const { stdout, stderr } = await runInProcess('fleet', 'hosts', ...view, '--format', 'json')
    expect({ stderr, hosts: JSON.parse(stdout).hosts }).toMatchObject({ stderr: '', hosts: [{ name: 'web01' }] })
    // What the former key has signed stands in the record as before.
    expect(await run('audit')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/publish [^]*rotate .*revoked the former keys/),
    })
    expect(await run('assign', '--to', 'ring.all', '--policy', ssh, '--reason', 'last')).toMatchObject({ code: 0 })
    expect(await interval()).toBe(3)
  },
  180_000,
)

test.skipIf(needsNats)(
  'every host gets another key without a report that is lost or taken for forged, and evidence stays whole',
  async () => {
    const fleet = await startTestFleet()
    const host = await sendingHost(fleet)
    const invitation = await succeed('fleet', 'enrol', 'web02', '--fleet', fleet.fleet)
    const [second, roster] = [join(fleet.directory, 'web02'), join(fleet.fleet, 'operator/roster.yaml')]
    await succeed(
      'fleet',
      'accept',
      await succeed('fleet', 'join', invitation, '--agent', second),
      '--fleet',
      fleet.fleet,
    )
    const reload = (): void => void process.kill(fleet.server.pid, 'SIGHUP')
    const run = (...args: readonly string[]) => runInProcess('fleet', ...args, '--fleet', fleet.fleet)
    const context = ['--context', join(fleet.fleet, 'viewer/context.json'), '--roster', roster]
    const rotation = async () => (await run('rotate', '--hosts')).stderr.replace(/^driftgate: copy .*\n/m, '')
    const first = readAgent(fleet.agent).login
    let hours = 1
    /** What the agent of web01 does in an interval; the view must believe it. */
    const interval = async (): Promise<readonly string[]> => {
      const said: string[] = []
      const line = await enter(readAgent(fleet.agent).login)
      await followOperator(line, fleet.agent, (text) => said.push(text))
      await host.scan((hours -= 0.01), new Set([Math.round(hours * 100)]))
      const { key, nextKey } = readAgent(fleet.agent)
      expect(await host.send({ line, key, ...(nextKey && { nextKey }) })).toMatchObject({ waiting: 0, lost: 0 })
      await line.close()
      const { stdout, stderr } = await runInProcess('fleet', 'hosts', ...context, '--format', 'json')
      const { hosts, unusable } = JSON.parse(stdout)
      expect({ stderr, unusable }).toEqual({ stderr: '', unusable: 0 })
      expect(hosts).toContainEqual(expect.objectContaining({ name: 'web01', presence: 'reporting' }))
      return said
    }
    await interval()

    expect(await rotation()).toBe(`driftgate: 2 hosts, asked to create new keys: web01, web02
driftgate: run this command again after an interval\n`)
    expect(await interval()).toEqual([])
    expect(await rotation()).toBe(`driftgate: 1 host, new keys valid in addition to the former ones: web01
driftgate: 1 host, not yet reported with the new key: web02
driftgate: run this command again after an interval\n`)
    expect(await interval()).toEqual([])
    expect(await run('rotate', '--hosts')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('2 hosts, not yet reported'),
    })
    reload()
    await expect.poll(() => interval()).toEqual(['uses a new key from now on, as set by the operator'])
    expect(await rotation()).toBe(`driftgate: 1 host, former keys revoked: web01
driftgate: 1 host, not yet reported with the new key: web02
driftgate: run this command again after an interval\n`)
    reload()
    await expect(enter(first)).rejects.toThrow(/authorization violation|closed the connection/)
    expect(await interval()).toEqual([])
    expect(await run('rotate', '--hosts', '--leave-hosts')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 host, former keys remain valid: web02\ndriftgate: this was the last step'),
    })
    expect(await interval()).toEqual([])

    const { stdout: bundle, stderr } = await runInProcess('fleet', 'evidence', ...context, '--host', 'web01')
    expect(stderr).toBe('')
    const file = join(fleet.directory, 'bundle.json')
    writeFileSync(file, bundle)
    const keys = readRoster(roster, readFileSync(roster, 'utf8'))
    if (!keys.ok) throw new Error('the roster cannot be read')
    const { key = '', next, replaced = [] } = keys.value.hosts.get('web01') ?? {}
    expect({ next, replaced: replaced.length }).toEqual({ next: undefined, replaced: 1 })
    const trusted = [key, ...replaced].flatMap((each) => ['--key', each])
    expect(await runInProcess('evidence', 'verify', file, ...trusted)).toMatchObject({ code: 0 })
    expect(await runInProcess('evidence', 'verify', file, '--key', key)).toMatchObject({ code: 2 })
  },
  180_000,
)

test('a user of a server is added with the same permissions, and removed alone', () => {
  const key = (letter: string): string => `U${letter.repeat(55)}`
  const config = `users: [
  { nkey: ${key('A')} }
  { nkey: ${key('B')}, permissions: {
    publish: ["x"]
  } }
]
`
  const both = withUser(withUser(config, key('B'), key('C')), key('A'), key('D'))
  expect(both).toContain(`  { nkey: ${key('C')}, permissions: {\n    publish: ["x"]\n  } }\n`)
  expect(withUser(both, key('B'), key('C'))).toBe(both)
  expect(withoutUser(withoutUser(both, key('C')), key('D'))).toBe(config)
  expect(withoutUser(config, key('E'))).toBe(config)
})
