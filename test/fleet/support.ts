import type { NatsConnection } from '@nats-io/transport-node'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { enter, loginOfContext, readAgent } from '../../src/fleet/nats/connect.ts'
import type { Line } from '../../src/host/nats/line.ts'
import { runInProcess } from '../support/command-line.ts'
import { freePort, type NatsServer, startNats } from '../support/nats-server.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** A fleet with a running server, and the host web01 in its ring all. */
export interface TestFleet {
  readonly directory: string
  /** What `fleet init` made. */
  readonly fleet: string
  /** What `fleet join` made. */
  readonly agent: string
  readonly server: NatsServer
  /** Connections as they, which end with the test. */
  readonly operator: () => Promise<Line>
  readonly web01: () => Promise<Line>
}

/** Starts a server that stores so much and takes messages so large, and enrols the host. */
export async function startTestFleet(size = '128MiB', largestMessage = '1MB'): Promise<TestFleet> {
  const directory = temporaryDirectory()
  const fleet = join(directory, 'fleet')
  const agent = join(directory, 'web01')
  const address = `127.0.0.1:${await freePort()}`
  const place = ['--listen', address, '--store', join(directory, 'store'), '--size', size]
  await succeed('fleet', 'init', fleet, '--server', address, ...place)
  const invitation = await succeed('fleet', 'enrol', 'web01', '--fleet', fleet)
  await succeed('fleet', 'accept', await succeed('fleet', 'join', invitation, '--agent', agent), '--fleet', fleet)
  const config = join(fleet, 'server/nats-server.conf')
  writeFileSync(config, readFileSync(config, 'utf8').replace('max_payload: 1MB', `max_payload: ${largestMessage}`))
  const server = await startNats(config)
  await succeed('fleet', 'prepare', '--fleet', fleet)
  const closing = async (opened: Promise<Line>): Promise<Line> => {
    const line = await opened
    onTestFinished(async () => line.close())
    return line
  }
  return {
    directory,
    fleet,
    agent,
    server,
    operator: () => closing(enter(loginOfContext(join(fleet, 'operator/context.json')))),
    web01: () => closing(enter(readAgent(agent).login)),
  }
}

/** Standard output of a command that must succeed. */
export async function succeed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runInProcess(...args)
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.trim()
}

/** The port of a proxy that forwards all data to a server, from another address of the loopback interface. */
export async function portFromElsewhere(port: number): Promise<number> {
  const sockets: Socket[] = []
  const server = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.2' })
    for (const socket of [near, far]) sockets.push(socket.on('error', () => undefined))
    near.pipe(far).pipe(near)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** The answer; undefined if the server denies it. */
export async function ask(
  connection: NatsConnection,
  subject: string,
  body: unknown = '',
): Promise<string | undefined> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  try {
    return (await connection.request(subject, text, { timeout: 5000 })).string()
  } catch (error) {
    if (error instanceof Error && /Permissions Violation|no responders/i.test(error.message)) return undefined
    throw error
  }
}
