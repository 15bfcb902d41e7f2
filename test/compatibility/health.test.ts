import { expect, test } from 'vitest'
import type { ResourceResult, ScanOptions } from '../../src/index.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { oneResource, problemsOf, resultOf, scanWith } from './support.ts'

type Check = Readonly<Record<string, unknown>>

async function checked(check: Check, options: ScanOptions = {}): Promise<ResourceResult> {
  const directory = temporaryDirectory()
  const text = oneResource('file', `${directory}/gone`, { ensure: 'absent', health_checks: [check] })
  return resultOf(await scanWith(directory, text, options))
}

test('a health warning fails only on request', async () => {
  const warning = { command: "/bin/sh -c 'exit 1'" }
  expect((await checked(warning)).verdict).toBe('compliant')
  expect((await checked(warning, { strictHealth: true })).verdict).toBe('drifted')
})

test('a check without a result is an error of its resource', async () => {
  expect(await checked({ command: '/nowhere/check' })).toMatchObject({ verdict: 'error', reason: 'command' })
  const endless = { command: '/bin/sleep 600', timeout: '100ms' }
  expect(await checked(endless)).toMatchObject({ verdict: 'error', reason: 'timeout' })
})

test('a check needs a valid timeout', async () => {
  const directory = temporaryDirectory()
  for (const timeout of ['', '-1s']) {
    const body = { ensure: 'absent', health_checks: [{ command: 'true', timeout }] }
    const problems = await problemsOf(directory, oneResource('file', `${directory}/gone`, body))
    expect(problems).toEqual([expect.stringMatching(/timeout/)])
  }
})

test('tries are separated by a pause', async () => {
  const start = performance.now()
  const result = await checked({ command: "/bin/sh -c 'exit 2'", tries: 2, try_sleep: '50ms' })
  expect(result.health?.[0]?.attempts).toHaveLength(2)
  // A lower bound only: the pause was made.
  expect(performance.now() - start).toBeGreaterThanOrEqual(50)
})

test('monitoring without a check is no success', async () => {
  const directory = temporaryDirectory()
  const text = oneResource('file', `${directory}/gone`, { ensure: 'absent' })
  expect(resultOf(await scanWith(directory, text, { monitorOnly: true })).verdict).toBe('not-applicable')
})
