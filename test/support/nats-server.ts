import { randomInt } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { endWithTest } from './end-with-test.ts'
import { hasProgram } from './programs.ts'

/** Why tests of a real server are skipped, or undefined. */
export const needsNats: string | undefined = hasProgram('nats-server') ? undefined : 'needs nats-server'

export interface NatsServer {
  readonly pid: number
  /** Where clients reach it, on the loopback interface. */
  readonly port: number
  /** Ends it at once, and is done when it has gone. */
  readonly kill: () => Promise<void>
}

/** A free port of the loopback interface, below those that the kernel gives to connections, which could take it meanwhile. */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_768)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isFree) return freePort()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts the program with this configuration and gives it once it takes connections. It ends with the test. */
export async function startNats(config: string, env: NodeJS.ProcessEnv = {}): Promise<NatsServer> {
  const server = spawn('nats-server', ['--config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  })
  endWithTest(server)
  const said: string[] = []
  const lines = createInterface({ input: server.stderr })
  const gone = once(server, 'exit')
  const ready = new Promise<boolean>((resolve) => {
    lines.on('line', (line) => {
      said.push(line)
      if (line.includes('Server is ready')) resolve(true)
    })
    void gone.then(() => resolve(false))
  })
  if (!(await ready) || server.pid === undefined) throw new Error(`nats-server did not start:\n${said.join('\n')}`)
  const port = /Listening for client connections on .*:(\d+)/.exec(said.join('\n'))?.[1]
  return {
    pid: server.pid,
    port: Number(port),
    async kill() {
      server.kill('SIGKILL')
      await gone
    },
  }
}
