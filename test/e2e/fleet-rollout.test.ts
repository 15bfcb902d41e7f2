import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { enter, loginOfContext } from '../../src/fleet/nats/connect.ts'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'
import { freePort, needsNats, startNats } from '../support/nats-server.ts'
import { startServing } from '../support/serving.ts'

test.skipIf(needsNats)(
  'a rollout is begun, shown, paused, finished and taken back, and all of it is on record',
  async () => {
    const cwd = temporaryDirectory()
    const run = (...args: readonly string[]) => driftgate(['fleet', ...args], { cwd })
    const succeed = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(...args)
      expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' })
      return stdout.trim()
    }
    const address = `127.0.0.1:${await freePort()}`
    await succeed(
      'init',
      'fleet',
      '--server',
      address,
      '--listen',
      address,
      '--store',
      join(cwd, 'store'),
      '--size',
      '64MiB',
    )
    const invitation = await succeed('enrol', 'web01', '--ring', 'canary')
    await succeed('accept', await succeed('join', invitation, '--agent', 'agent'))
    await startNats(join(cwd, 'fleet/server/nats-server.conf'))
    await succeed('prepare')
    const files = { '/etc/hostname': { ensure: 'present', owner: 'root', group: 'root', mode: '0644' } }
    writeFileSync(
      join(cwd, 'site.yaml'),
      JSON.stringify({ policy: { id: 'site' }, ccm: { resources: [{ file: [files] }] } }),
    )
    const [sha256 = ''] = (await succeed('publish', 'site.yaml')).split(' ')

    expect(await succeed('rollout')).toContain('No rollout yet')
    expect(JSON.parse(await succeed('rollout', '--format', 'json'))).not.toHaveProperty('rollout')
    const begin = ['rollout', 'start', '--policy', sha256, '--author', 'anna']
    const wrong = async (...args: readonly string[]): Promise<string> => {
      const { code, stderr } = await run(...args)
      expect([args, code]).toEqual([args, 1])
      return stderr
    }
    expect(await wrong('rollout', 'start')).toContain('--policy SHA256')
    expect(await wrong(...begin)).toContain('missing --rings, such as canary:1%,rest')
    expect(await wrong(...begin, '--rings', 'canary')).toContain('--reason TEXT')
    const rings = [...begin, '--reason', 'CHG-1', '--rings']
    expect(await wrong(...rings, 'canary:x,rest')).toContain('--rings:1:8 a ring must be followed by its share')
    expect(await wrong(...rings, 'canary', '--stop', 'mistakes>1%')).toContain('--stop:1:1 "mistakes" is not a measure')
    expect(await wrong(...rings, 'canry,canary')).toContain('the roster has no host in ring canry')
    expect(await wrong('rollout', 'pause')).toContain('no rollout: start one')

    expect(await succeed(...rings, 'canary', '--soak', '0s')).toBe('canary 1 host')
    expect(await wrong(...rings, 'canary')).toContain('has not ended')
    expect(await succeed('rollout')).toMatch(
      /^running CHG-1, by anna\nlast: started: CHG-1, by anna, .*\nnext: ring canary is due/,
    )
    const line = await enter(loginOfContext(join(cwd, 'fleet/operator/context.json')))
    for (const body of ['made up', 'made up, too'])
      expect(JSON.parse(await line.ask('dg.v1.full.web01', { body, timeoutMs: 5000 }))).toHaveProperty('seq')
    await line.close()
    const serve = (who: string, ...more: readonly string[]) =>
      startServing(['--context', `fleet/${who}/context.json`, '--roster', 'fleet/operator/roster.yaml', ...more], {
        cwd,
      })
    const served = await serve('viewer', '--release')
    await expect
      .poll(() => succeed('rollout'), { timeout: 90_000 })
      .toContain('last: released ring canary, by controller')
    const forged =
      /forgery +viewer +web01: not trusted and ignored: DG_FULL 1: dg\.v1\.full\.web01: it is not signed by the key of web01/g
    await expect.poll(() => succeed('audit'), { timeout: 90_000 }).toMatch(forged)
    for (const { address } of [served, await serve('operator')]) {
      const acts = async (): Promise<readonly string[]> => {
        const shown: {
          readonly acts?: readonly { readonly entry?: { readonly act: string; readonly author: string } }[]
        } = JSON.parse(await (await fetch(`${address}/api/audit`)).text())
        return shown.acts?.map(({ entry }) => `${entry?.act} by ${entry?.author}`) ?? []
      }
      await expect.poll(acts, { timeout: 90_000 }).toContain('forgery by viewer')
      expect(await acts()).not.toContain('undefined by undefined')
    }
    served.end()
    expect(await served.outcome).toMatchObject({ code: 0 })

    expect(await run('rollout', 'pause', '--reason', 'freeze')).toMatchObject({
      stderr: expect.stringContaining('is paused'),
    })
    expect(await succeed('rollout', '--format', 'json')).toContain('"phase": "paused"')
    await succeed('rollout', 'resume')
    await succeed('rollout', 'finish')
    expect(await wrong('rollout', 'back')).toContain('ring.canary had no policies before')
    expect(await succeed('assignments')).toContain('ring.canary')
    const record = await succeed('audit')
    // One entry a day stands for all that was forged in the name of a host.
    expect(record.match(/ forgery /g)).toHaveLength(1)
    for (const text of [
      `started version 1: site ${sha256} for canary (1 host); CHG-1`,
      'released ring canary',
      'paused: freeze',
    ])
      expect(record).toContain(text)

    expect(await wrong('serve', '--from', '.', '--release')).toContain('--release needs --context')
  },
)
