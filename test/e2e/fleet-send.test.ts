import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { end, startAgentFleet } from '../support/agent-fleet.ts'
import { driftgate } from '../support/driftgate.ts'
import { needsNats } from '../support/nats-server.ts'

test.skipIf(needsNats)('"fleet send" is refused while the agent runs', async () => {
  const fleet = await startAgentFleet()
  await driftgate(['scan', '@ssh', '--quiet', '--history', 'history'], { cwd: fleet.cwd })
  const send = () => driftgate(['fleet', 'send', '--agent', 'agent', '--history', 'history'], { cwd: fleet.cwd })
  const agent = fleet.agent()
  await agent.said('connected to the server')
  expect(await send()).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'driftgate: an agent or another "fleet send" is running for agent and sends the runs: wait for it, or stop it first ("systemctl stop driftgate-agent")\n',
  })
  expect(await fleet.heard()).toEqual([])
  await end(agent)
  expect(await send()).toMatchObject({ code: 0, stderr: 'driftgate: sent 1 run of web01\n' })
})

describe.skipIf(needsNats)('a host without an agent', () => {
  test('says that a run is larger than its server takes, once, and that it is lost', async () => {
    const { cwd, path, start, stop, heard } = await startAgentFleet()
    await stop()
    const config = path('fleet/server/nats-server.conf')
    const text = readFileSync(config, 'utf8')
    writeFileSync(config, text.replace('max_payload: 1MB', 'max_payload: 700'))
    await start()
    const policy = {
      policy: { id: 'site' },
      ccm: { resources: [{ file: [{ [join(cwd, 'a')]: { ensure: 'absent' } }] }] },
    }
    writeFileSync(path('site.json'), JSON.stringify(policy))
    const words = ['fleet', 'send', '--agent', 'agent', '--history', 'history']
    await driftgate(['scan', 'site.json', '--quiet', '--history', 'history'], { cwd })
    expect(await driftgate(words, { cwd })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^driftgate: run \S+ is lost for the server: .* the server accepts 700: .*\ndriftgate: sent 0 runs of web01; 1 run before that never reached the server\n$/,
      ),
    })
    expect(await driftgate(words, { cwd })).toMatchObject({ code: 0 })
    await stop()
    writeFileSync(config, text)
    await start()
    for (let run = 0; run < 2; run++) await driftgate(['scan', 'site.json', '--quiet', '--history', 'history'], { cwd })
    expect(await driftgate(words, { cwd })).toMatchObject({ code: 0 })
    expect(await heard()).toHaveLength(2)
  })
})
