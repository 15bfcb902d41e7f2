import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { keepUp } from '../../src/fleet/nats/assigned.ts'
import { enter, loginOfContext } from '../../src/fleet/nats/connect.ts'
import { followNotice } from '../../src/fleet/nats/notice.ts'
import { withoutUser, withUser } from '../../src/fleet/nats/server-users.ts'
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
      await followNotice(host.line, fleet.agent, () => undefined)
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
      stderr: expect.stringContaining('the former and the new keys count'),
    })
    expect(await run('rotate')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the server does not let the new keys in: copy'),
    })
    await interval()
    reload()
    await expect.poll(async () => (await run('rotate')).stderr).toContain('the new keys are used')
    expect(await run('rotate')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('web01 has not reported with the new key yet'),
    })
    expect(await interval()).toBe(2)
    expect(await run('rotate')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the former keys count no more'),
    })
    reload()
    await interval()

    const policy = readPublicKey(path('operator/policy.pem')).id
    expect(policy).not.toBe(before.policy)
    expect(readPublicKey(join(fleet.agent, 'policy.pub'))).toEqual({ id: policy, key: expect.anything() })
    await expect(enter(before.login)).rejects.toThrow(/authorization violation|ended the connection/)
    const view = ['--context', path('viewer/context.json'), '--roster', path('operator/roster.yaml')]
    const { stdout, stderr } = await runInProcess('fleet', 'hosts', ...view, '--format', 'json')
    expect({ stderr, hosts: JSON.parse(stdout).hosts }).toMatchObject({ stderr: '', hosts: [{ name: 'web01' }] })
    // What the former key has signed stands in the record as before.
    expect(await run('audit')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/publish [^]*rotate .*ended the former keys/),
    })
    expect(await run('assign', '--to', 'ring.all', '--policy', ssh, '--reason', 'last')).toMatchObject({ code: 0 })
    expect(await interval()).toBe(3)
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
