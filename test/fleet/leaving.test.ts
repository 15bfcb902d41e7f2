import { createServer } from 'node:net'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { enter, readAgent } from '../../src/fleet/nats/connect.ts'
import { readOutbox } from '../../src/fleet/nats/outbox.ts'
import { readRoster } from '../../src/fleet/roster.ts'
import { runInProcess } from '../support/command-line.ts'
import { publicNkey, seedOf } from '../../src/fleet/nats/nkey.ts'
import { makeKey } from '../../src/host/signing/keys.ts'
import { freePort, needsNats, startNats } from '../support/nats-server.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { ownCertificates } from '../support/web-server.ts'
import { sendingHost } from './sending-host.ts'
import { startTestFleet, succeed } from './support.ts'

const today = (): string => new Date().toISOString().slice(0, 10)

test.skipIf(needsNats)('a host that is revoked is let go at once, and what it sent stays', async () => {
  const fleet = await startTestFleet()
  const host = await sendingHost(fleet)
  await host.scan(0, new Set())
  await host.send()
  const run = (...args: readonly string[]) => runInProcess('fleet', ...args, '--fleet', fleet.fleet, '--author', 'anna')
  expect(await run('revoke', 'web01')).toMatchObject({ code: 1, stderr: expect.stringContaining('--reason TEXT') })
  expect(await run('revoke', 'web02', '--reason', 'x')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no host web02'),
  })
  expect(await run('revoke', 'web01', '--reason', 'stolen')).toMatchObject({
    code: 0,
    stderr: 'driftgate: web01 is revoked; the server on this host has revoked its key\n',
  })
  await host.line.closed
  await expect(enter(readAgent(fleet.agent).login)).rejects.toThrow(/authorization violation/)
  const roster = join(fleet.fleet, 'operator/roster.yaml')
  expect(readRoster(roster, readFileSync(roster, 'utf8'))).toMatchObject({
    ok: true,
    value: { hosts: new Map([['web01', expect.objectContaining({ revoked: today(), reason: 'stolen' })]]) },
  })
  const view = ['--context', join(fleet.fleet, 'viewer/context.json'), '--roster', roster]
  const { stdout } = await runInProcess('fleet', 'hosts', ...view, '--format', 'json')
  expect(JSON.parse(stdout).hosts).toMatchObject([{ name: 'web01', answer: 'compliant' }])
  expect((await run('revoke', 'web01', '--reason', 'x')).stderr).toContain(`web01 is revoked since ${today()}`)
  const { stdout: acts } = await runInProcess('fleet', 'audit', '--fleet', fleet.fleet, '--act', 'revoke')
  expect(acts).toMatch(/revoke +anna +web01: ended its key; stolen/)
  // Another key makes it one of the fleet again.
  const again = join(fleet.directory, 'again')
  const answer = await succeed(
    'fleet',
    'join',
    await succeed('fleet', 'enrol', 'web01', '--fleet', fleet.fleet),
    '--agent',
    again,
  )
  await succeed('fleet', 'accept', answer, '--fleet', fleet.fleet)
  process.kill(fleet.server.pid, 'SIGHUP')
  await expect.poll(() => enter(readAgent(again).login).then((line) => line.close())).toBe(undefined)
  expect(readFileSync(roster, 'utf8')).not.toContain('revoked')
  // A message signed by its former key is not used, and does not count as forged.
  const former = readAgent(fleet.agent)
  expect(readFileSync(roster, 'utf8')).toContain(`former:\n      - ${publicNkey(former.key)}\n`)
  const seen = await runInProcess('fleet', 'hosts', ...view, '--format', 'json')
  expect(seen.stderr).toContain('it is signed by a former key of web01, which is no longer valid')
  expect(JSON.parse(seen.stdout).hosts).toMatchObject([{ name: 'web01', presence: 'never', answer: 'undecided' }])
  const { key, login } = readAgent(again)
  const line = await enter(login)
  onTestFinished(async () => line.close())
  await host.scan(0, new Set())
  await host.send({ line, key, state: again, outbox: readOutbox(again) })
  const { stdout: renewed } = await runInProcess('fleet', 'hosts', ...view, '--format', 'json')
  expect(JSON.parse(renewed).hosts).toMatchObject([{ name: 'web01', presence: 'reporting', answer: 'compliant' }])
})

test.skipIf(needsNats)('a host that is retired is expected no more, with date and reason', async () => {
  const fleet = await startTestFleet()
  await fleet.server.kill()
  expect(await runInProcess('fleet', 'retire', 'web01', '--fleet', fleet.fleet, '--reason', 'sold')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(`copy ${fleet.fleet}/server/hosts.conf to the server and reload it`),
  })
  expect(readFileSync(join(fleet.fleet, 'operator/roster.yaml'), 'utf8')).toContain(
    `retired: ${today()}\n    reason: sold`,
  )
  expect(readFileSync(join(fleet.fleet, 'server/hosts.conf'), 'utf8')).not.toContain('web01')
})

/** Takes a port; done as well where another process has it. */
async function listen(port: number): Promise<void> {
  const server = createServer()
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('error', resolve).listen(port, '127.0.0.1', () => resolve(undefined)))
}

test('the port of a fleet is another one where that of NATS is taken, which is said', async () => {
  await listen(4222)
  const fleet = join(temporaryDirectory(), 'fleet')
  const { code, stderr } = await runInProcess(
    'fleet',
    'init',
    fleet,
    '--server',
    '127.0.0.1',
    ...ownCertificates('localhost'),
  )
  const [, port] = /^driftgate: port 4222 is in use by .*: the fleet server uses port (\d+)\n/.exec(stderr) ?? []
  expect({ code, port: Number(port) > 4222 }).toEqual({ code: 0, port: true })
  expect(readFileSync(join(fleet, 'server/nats-server.conf'), 'utf8')).toContain(`listen: "0.0.0.0:${port}"`)
  expect(readFileSync(join(fleet, 'operator/context.json'), 'utf8')).toContain(`tls://127.0.0.1:${port}`)
})

test('a port of this machine that another process has is no port of a fleet, which is said', async () => {
  const port = await freePort()
  await listen(port)
  const directory = temporaryDirectory()
  const server = ['--server', `127.0.0.1:${port}`, ...ownCertificates('localhost')]
  const init = (name: string, ...more: readonly string[]) =>
    runInProcess('fleet', 'init', join(directory, name), ...server, ...more)
  const { code, stderr } = await init('a')
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      new RegExp(
        `^driftgate: port ${port} of this host is in use by .*\\(process ${process.pid}.*\\), on 127.0.0.1:${port}, so nats-server cannot listen there`,
      ),
    ),
  })
  expect(await init('b', '--place', '/etc/driftgate/nats')).toMatchObject({ code: 0 })
})

test.skipIf(needsNats)('commands of the operator say which other server has the port of the fleet', async () => {
  const directory = temporaryDirectory()
  const port = await freePort()
  const fleet = join(directory, 'fleet')
  await succeed('fleet', 'init', fleet, '--server', `127.0.0.1:${port}`, '--listen', `127.0.0.1:${port}`)
  const other = join(directory, 'other.conf')
  writeFileSync(other, `listen: "127.0.0.1:${port}"\n`)
  const server = await startNats(other)
  const config = join(fleet, 'server/nats-server.conf')
  for (const command of ['prepare', 'assignments']) {
    const { code, stderr } = await runInProcess('fleet', command, '--fleet', fleet)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`driftgate: cannot connect to tls://127.0.0.1:${port}: `),
    ])
    expect(stderr).toContain(
      `port ${port} of this machine belongs to nats-server --config ${other} (process ${server.pid}`,
    )
    expect(stderr).toContain(`where nats-server was expected with ${config}: stop that process`)
  }
})

test.skipIf(needsNats)('the server of the fleet is no other one, wherever its configuration lies', async () => {
  const fleet = await startTestFleet()
  const { port } = fleet.server
  await fleet.server.kill()
  const run = () => runInProcess('fleet', 'prepare', '--fleet', fleet.fleet)
  expect((await run()).stderr).not.toContain('belongs to')
  const config = join(fleet.fleet, 'server/nats-server.conf')
  const copy = join(fleet.fleet, 'server/copy.conf')
  copyFileSync(config, copy)
  await startNats(copy)
  // Its key is let in no more.
  writeFileSync(join(fleet.fleet, 'operator/nats.nk'), `${seedOf(makeKey())}\n`, { mode: 0o600 })
  const { code, stderr } = await run()
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^driftgate: cannot connect to tls://127.0.0.1:${port}: [^:]*\\n$`)),
  })
})
