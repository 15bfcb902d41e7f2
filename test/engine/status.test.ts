import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Reading } from '../../src/core/observation.ts'
import { type DescribableType, statusOf } from '../../src/engine/status.ts'
import { resourceTypes } from '../../src/resources/index.ts'
import { createLocalTarget } from '../../src/target/local/local-target.ts'
import type { Target } from '../../src/target/target.ts'
import { EMPTY_MACHINE } from '../support/target.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const local = createLocalTarget()

function statusIn(
  type: string,
  name: string,
  target: Target = local,
): Promise<Reading<Readonly<Record<string, unknown>>>> {
  const found = resourceTypes.find((each) => each.type === type)
  if (found?.status === undefined) throw new Error(`nothing describes a ${type}`)
  return statusOf(found as DescribableType, name, { target, signal: new AbortController().signal })
}

test('what is there is told as the resource that is compliant with it', async () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'a')
  writeFileSync(path, '')
  chmodSync(path, 0o640)
  const owner = { owner: userInfo().username, group: execFileSync('id', ['-gn']).toString().trim() }
  expect(await statusIn('file', path)).toEqual({ kind: 'known', value: { ensure: 'present', ...owner, mode: '0640' } })
  expect(await statusIn('file', join(directory, 'b'))).toEqual({ kind: 'known', value: { ensure: 'absent' } })
})

test('what no resource can say is unknown, with the reason', async () => {
  const path = join(temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [path])
  const detail = `${path} is a fifo, which no file resource describes`
  expect(await statusIn('file', path)).toEqual({ kind: 'unknown', reason: 'not-observable', detail })
  expect(await statusIn('file', 'relative')).toMatchObject({ kind: 'unknown', reason: 'invalid' })
})

test('what nobody can look at is unknown, not absent', async () => {
  const denied = { kind: 'unknown', reason: 'permission-denied', detail: 'no' } as const
  expect(await statusIn('file', '/etc/shadow', { ...local, lstat: () => denied })).toMatchObject(denied)
  expect(await statusIn('package', 'nginx', EMPTY_MACHINE)).toMatchObject({ kind: 'unknown', reason: 'no-provider' })
})
