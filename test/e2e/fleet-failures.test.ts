import { cpSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { defined } from '../../src/model/defined.ts'
import { type AgentFleet, end, startAgentFleet, wanting } from '../support/agent-fleet.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { addHost, agentIn, hostsSeen, run, serveFleet, type ServedFleet, type Shown } from '../support/fleet-parts.ts'
import { cannotMount, mount } from '../support/mount.ts'
import { needsNats } from '../support/nats-server.ts'

const LATER = { timeout: 60_000 }

describe.skipIf(needsNats)('failures in a fleet', () => {
  test('the server is unreachable: hosts scan on, the viewer gives one alarm, and the next beat says what waited', async () => {
    const fleet = await startAgentFleet({ interval: '1s' })
    await addHost(fleet, 'db01', { interval: '1s' })
    await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
    const agents = [fleet.agent(), agentIn(fleet, 'db01')]
    const viewer = await serveFleet(fleet)
    for (const agent of agents) await agent.said('connected to the server')
    const fleetSeen = (): Promise<object> => viewer.shows('/api/fleet')
    await expect.poll(fleetSeen, LATER).toMatchObject({ counts: { presence: { never: 0 } }, troubles: [] })

    await fleet.stop()
    for (const agent of agents) await agent.said('the connection to the server was lost')
    const stored = fleet.stored()
    while (fleet.stored() < stored + 3) await setTimeout(20)
    await expect.poll(fleetSeen, LATER).toMatchObject({
      counts: { hosts: 2, undecided: 2, presence: { silent: 2 } },
      exit: { code: 3 },
      troubles: [expect.stringContaining('annot connect to')],
    })
    expect(await viewer.text('/metrics')).toMatch(/^driftgate_fleet_troubles 1$/m)
    expect((await viewer.text('/')).match(/role="alert"/g)).toHaveLength(1)

    const waited = fleet.stored()
    await fleet.start()
    const ofWeb01 = async () => (await fleet.heard()).filter(({ host }) => host === 'web01')
    while ((await ofWeb01()).length < waited) await setTimeout(20)
    expect(Math.max(...(await ofWeb01()).map(({ sender }) => sender?.spool ?? 0))).toBeGreaterThanOrEqual(2)
    await expect.poll(fleetSeen, LATER).toMatchObject({ troubles: [] })
    for (const agent of agents) expect(await end(agent)).toMatchObject({ code: 0 })
  })

  test.skipIf(cannotMount)(
    'the disk of the server is full: agents say so and keep all, and send it after a restart (needs to mount)',
    async () => {
      const fleet = await startAgentFleet({ interval: '1s' })
      await fleet.stop()
      const store = fleet.path('store')
      renameSync(store, fleet.path('before'))
      mount(['-t', 'tmpfs', '-o', 'size=24m,mode=0700', 'tmpfs'], store)
      cpSync(fleet.path('before'), store, { recursive: true })
      await fleet.start()
      await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
      const agent = fleet.agent()
      await fleet.arrived(1)
      expect(() => writeFileSync(join(store, 'filler'), Buffer.alloc(24 * 1024 * 1024))).toThrow('ENOSPC')
      await agent.said('the server did not ')
      await agent.said('results are kept until they can be sent')
      rmSync(join(store, 'filler'))
      // nats-server 2.9 answers nothing for that stream any more.
      await fleet.stop()
      await fleet.start()
      await fleet.arrived(fleet.stored())
      const { code, stderr } = await end(agent)
      expect(code).toBe(0)
      expect(stderr).toMatch(/the server did not .*: (write .*no space left on device|timeout);/)
      await fleet.stop()
    },
  )

  test('an acknowledgement is lost: the run is sent again, and counts once', async () => {
    const fleet = await startAgentFleet()
    await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
    const settings = fleet.path('agent/agent.json')
    const text = readFileSync(settings, 'utf8')
    const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(text) ?? []
    const proxy = await cuttingProxy(Number(port), async () => proxy.cuts() === 0 && (await fleet.messages()) > 0)
    writeFileSync(settings, text.replace(`:${port}`, `:${proxy.port}`))
    const agent = fleet.agent()
    await agent.said('the connection to the server was lost')
    while ((await fleet.messages()) < 2) await setTimeout(20)
    await end(agent)
    expect(fleet.stored()).toBe(1)
    expect(await fleet.messages()).toBe(2)
    expect(await fleet.heard()).toHaveLength(1)
    expect(await hostsSeen(fleet)).toMatchObject({ web01: { presence: 'reporting', answer: 'compliant' } })
    expect(await serveFleet(fleet).then(({ shows }) => shows('/api/host?name=web01'))).toMatchObject({ runs: [{}] })
  })

  test('the viewer is killed: nothing is lost, and a new one has the same figures', async () => {
    const fleet = await startAgentFleet()
    await fleet.assign(1, { site: wanting(fleet, 'site', 'present') })
    await fleet.once()
    const figures = async ({ shows }: ServedFleet): Promise<Shown> => {
      const { counts, exit, troubles, hosts, runs } = await shows('/api/host?name=web01')
      return { counts, exit, troubles, ...defined({ hosts, runs }) }
    }
    const first = await serveFleet(fleet)
    const before = await figures(first)
    expect(before).toMatchObject({ counts: { drifted: 1 }, exit: { code: 2 }, runs: [{ drifted: 1 }] })
    await killed(first)
    await fleet.once()
    const second = await serveFleet(fleet)
    const after = await figures(second)
    expect(after).toMatchObject({ counts: { drifted: 1 }, runs: [{}, ...(before.runs ?? [])] })
    await killed(second)
    expect(await figures(await serveFleet(fleet))).toEqual(after)
  })

  test('a policy cannot be evaluated: the first ring says so, and the rollout stops there', async () => {
    const fleet = await startAgentFleet()
    await addHost(fleet, 'canary01', { ring: 'canary' })
    await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
    const file = { [fleet.path('loop/file')]: { ensure: 'present', owner: 'root', group: 'root', mode: '0644' } }
    writeFileSync(
      fleet.path('bad.yaml'),
      JSON.stringify({ policy: { id: 'site' }, ccm: { resources: [{ file: [file] }] } }),
    )
    const [sha256 = ''] = (await run(fleet, 'publish', 'bad.yaml')).split(' ')
    symlinkSync('loop', fleet.path('loop'))
    const agents = [fleet.agent(), agentIn(fleet, 'canary01')] as const
    for (const agent of agents) await agent.said('connected to the server')
    await fleet.arrived(1)
    await serveFleet(fleet, '--release')
    const rings = ['--rings', 'canary,all', '--soak', '0s', '--stop', 'error>0']
    await run(fleet, 'rollout', 'start', '--policy', sha256, '--reason', 'a test', ...rings)
    await agents[1].said('1 resource: 1 error')
    await expect.poll(() => run(fleet, 'rollout'), LATER).toContain('stopped')
    expect(await run(fleet, 'assignments', 'ring.all')).not.toContain(sha256.slice(0, 12))
    const [first] = await Promise.all(agents.map(end))
    expect(first?.stderr).toContain('assigned: version 1 for ring.all')
    expect(first?.stderr).not.toContain('assigned: version 2')
    expect(await hostsSeen(fleet)).toMatchObject({ web01: { answer: 'compliant' }, canary01: { answer: 'undecided' } })
  })

  test.each([-600, 600])(
    'a clock is %i seconds off: the time of the server counts, and the host has the verdict clock',
    async (seconds) => {
      const fleet = await startAgentFleet()
      await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
      const env = { NODE_OPTIONS: `--import ${shiftedClock(fleet, seconds)}` }
      expect(await agentIn(fleet, 'agent', ['--once'], env).outcome).toMatchObject({ code: 0 })
      const before = Date.now()
      const { web01 } = await hostsSeen(fleet)
      expect(web01).toMatchObject({ presence: 'clock' })
      expect(Date.parse((web01 as { readonly heardAt: string }).heardAt)).toBeLessThanOrEqual(before)
      expect(await fleet.once()).toMatchObject({ code: 0 })
      expect(await hostsSeen(fleet)).toMatchObject({ web01: { presence: 'reporting', answer: 'compliant' } })
    },
  )
})

async function killed({ child, outcome }: ServedFleet): Promise<void> {
  child.kill('SIGKILL')
  expect(await outcome).toMatchObject({ signal: 'SIGKILL' })
}

/** A module that makes the clock of a program of Node's wrong by so much. */
function shiftedClock({ path }: AgentFleet, seconds: number): string {
  const file = path('shifted-clock.mjs')
  const text = `const { now } = Date
const shifted = () => now() + ${seconds * 1000}
globalThis.Date = class extends Date {
  constructor(...given) {
    if (given.length === 0) super(shifted())
    else super(...given)
  }
  static now() {
    return shifted()
  }
}
`
  writeFileSync(file, text)
  return file
}
