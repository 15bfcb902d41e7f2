import { expect } from 'vitest'
import { type Running, startDriftgate, type StartOptions } from './driftgate.ts'

/** A `driftgate fleet serve` that runs. */
export interface Serving extends Pick<Running, 'outcome'> {
  /** Where it shows the fleet, without a slash at its end. */
  readonly address: string
  /** Ends it as systemd does. */
  readonly end: () => void
}

/** Starts it on a free port of the loopback interface, and waits until everything is read. It ends with the test. */
export async function startServing(args: readonly string[], options: StartOptions): Promise<Serving> {
  const { child, outcome, said } = startDriftgate(['fleet', 'serve', ...args, '--listen', '127.0.0.1:0'], options)
  let messages = ''
  child.stderr?.on('data', (text: string) => (messages += text))
  await said('serving the fleet view at http://127.0.0.1:')
  const address = (/http:\S+/.exec(messages)?.[0] ?? '').replace(/\/$/, '')
  await expect.poll(async () => (await fetch(`${address}/healthz`)).status, { timeout: 90_000 }).toBe(200)
  return { address, outcome, end: () => void child.kill('SIGTERM') }
}
