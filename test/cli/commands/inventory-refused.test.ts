import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../../src/model/run.ts'
import { runInProcess } from '../../support/command-line.ts'
import { put } from '../../support/contract.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const HOSTS = `here ansible_connection=local
there ansible_connection=local ansible_become_method=su ansible_become=yes
odd ansible_host=-oProxyCommand
`

async function scanned(...args: readonly string[]): Promise<{ readonly code: number; readonly run: Run }> {
  const directory = temporaryDirectory()
  put(directory, { hosts: HOSTS })
  writeFileSync(join(directory, 'p.yaml'), 'ccm: {resources: [{file: [{/nowhere/at/all: {ensure: absent}}]}]}\n')
  const words = [join(directory, 'p.yaml'), '--targets', join(directory, 'hosts'), '--report', 'json', ...args]
  const { code, stdout } = await runInProcess('scan', ...words)
  return { code, run: JSON.parse(stdout) as Run }
}

test('a host that cannot be reached as its inventory says is unreachable, and the others are looked at', async () => {
  const { code, run } = await scanned()
  expect(code).toBe(3)
  const results = run.policies.flatMap(({ resources }) => resources)
  expect(results).toMatchObject([
    { id: 'file#/nowhere/at/all', verdict: 'compliant' },
    {
      id: 'target#scan',
      verdict: 'error',
      reason: 'unreachable',
      message: expect.stringContaining('hosts:2: host there: '),
    },
    { id: 'target#scan', reason: 'unreachable', message: expect.stringContaining('host odd: "ssh:-oProxy') },
  ])
})

test('one that is left out is not missed', async () => {
  expect((await scanned('--on', '!there,!odd')).code).toBe(0)
  expect((await scanned('--on', 'there')).code).toBe(3)
})
