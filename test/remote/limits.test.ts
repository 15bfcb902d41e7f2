import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { runJob } from '../../src/remote/run-job.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** Asks a host whose ssh client is a script, and which may take almost no time. */
async function ask(script: string, limits: { readonly connectMs: number; readonly totalMs: number }): Promise<unknown> {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'ssh'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(directory, 'ssh'), 0o755)
  vi.stubEnv('PATH', `${directory}:${process.env['PATH']}`)
  const order = { command: 'validate', operands: [], words: [], options: {}, directory: '/', files: [], texts: [] }
  const job = { payload: { order, contents: [] }, program: undefined, become: [], limits }
  const ear = { signal: new AbortController().signal, hear: async () => undefined }
  return runJob({ kind: 'ssh', host: 'web01', user: undefined, port: undefined }, job, ear)
}

const HELLO = `nonce=$(printf '%s' "$*" | grep -oE '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' | head -1)`

const unreachable = (message: string): unknown => ({ kind: 'unreachable', message: `ssh:web01: ${message}` })

test.each([
  ['says nothing', 'exec sleep 1000'],
  ['drips lines', 'while :; do echo noise; sleep 0.01; done'],
  ['drips bytes without a line', 'while :; do printf x; sleep 0.01; done'],
  ['has started something that holds its streams', 'sleep 60 & echo "Last login: today"; wait'],
])('a host that %s is given up after the time to connect', async (_how, script) => {
  const found = await ask(script, { connectMs: 200, totalMs: 60_000 })
  expect(found).toEqual(unreachable('driftgate did not start there within 0s (--connect-timeout)'))
})

test('a host that is connected to and comes to no result is given up after the time for the whole', async () => {
  const found = await ask(`${HELLO}; echo "driftgate:$nonce hello"; while :; do echo '{}'; sleep 0.01; done`, {
    connectMs: 60_000,
    totalMs: 500,
  })
  expect(found).toEqual(unreachable('it returned no result within 0s (--timeout)'))
})
