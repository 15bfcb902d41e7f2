import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResourceResult } from '../../../src/model/run.ts'
import { goss } from '../../../src/subjects/goss/index.ts'
import { observeGoss } from '../../../src/subjects/goss/observe.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { auditResource, type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

function scene(title: string, state: ContractScene['state'], matches: unknown): ContractScene {
  return { title, state, arrange: () => ({ rules: { matching: { x: { content: ['a', 'b'], matches } } } }) }
}

const scenes: readonly ContractScene[] = [
  scene('all rules met', 'compliant', ['a']),
  scene('a rule not met', 'unfixable', ['c']),
]

for (const { name, run } of contractTests(goss, { scenes })) test(name, run)

async function audit(rules: unknown): Promise<ResourceResult> {
  return auditResource(goss, { name: 'title', rules }, { workingDirectory: temporaryDirectory() })
}

test('the difference names the desired value, the observed value and the missing elements', async () => {
  const { verdict, drift } = await audit({
    matching: { x: { content: ['a', 'b'], matches: { 'consist-of': ['a', 'c'] } } },
  })
  expect(verdict).toBe('drifted')
  expect(drift).toEqual([
    { property: 'matches', desired: '{"consist-of":["a","c"]}', observed: '["a","b"]', note: 'missing "c", extra "b"' },
  ])
})

test('of several resources each says which it is', async () => {
  const { drift, message } = await audit({
    matching: {
      x: { content: 1, matches: 2 },
      y: { content: 1, matches: 1 },
      z: { content: 'a', matches: 3, skip: true },
    },
  })
  expect(drift).toEqual([{ property: 'matches', desired: 2, observed: 1, path: 'matching:x' }])
  expect(message).toContain('matching:x')
})

test('a value that cannot be judged below "not" is no compliance', async () => {
  expect(await audit({ matching: { x: { content: 'five', matches: { not: { gt: 3 } } } } })).toMatchObject({
    verdict: 'error',
    reason: 'invalid',
    message: 'matches: cannot be evaluated below "not": it is not a number',
  })
})

test.each([
  [{ fil: {} }, 'rules: fil: Goss has no such type, did you mean "file"?'],
  [{ gossfile: { x: {} } }, 'rules: gossfile: is supported only in Goss files, which "driftgate scan" reads'],
  [{}, 'rules: check nothing: set at least one resource that is not skipped'],
  [
    { file: { x: { exists: true, skip: true } } },
    'rules: check nothing: set at least one resource that is not skipped',
  ],
])('%j is refused', async (rules, message) => {
  expect(await audit(rules)).toMatchObject({ verdict: 'error', reason: 'invalid', errors: [message] })
})

test('a resource is tried again as often as it says', async () => {
  const counter = join(temporaryDirectory(), 'count')
  const counting = (retries: number): unknown => ({
    command: {
      counting: {
        exec: `echo x >> ${counter}; wc -l < ${counter}`,
        'exit-status': 0,
        stdout: ['3'],
        retry_count: retries,
        retry_delay: '1ms',
      },
    },
  })
  expect((await audit(counting(1))).verdict).toBe('drifted')
  expect((await audit(counting(5))).verdict).toBe('compliant')
  expect(readFileSync(counter, 'utf8')).toBe('x\nx\nx\n')
})

test.each([
  ['nothing is sent', { addr: { 'tcp://127.0.0.1:1': { reachable: false } } }, 'unknown'],
  ['no command runs', { command: { true: { 'exit-status': 0 } } }, 'unknown'],
  ['files are read', { file: { '/': { exists: true } } }, 'pass'],
])('for policies of others %s', async (_, rules, kind) => {
  const found = await observeGoss(createLocalTarget(), rules, {
    signal: new AbortController().signal,
    commandsForbidden: true,
    contentsHidden: true,
  })
  expect(found).toMatchObject({ context: { examined: [{ results: [{ kind }] }] } })
})
