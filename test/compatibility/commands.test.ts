import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResourceResult, ScanOptions } from '../../src/index.ts'
import { hintsOf } from '../../src/engine/inspect/soundness.ts'
import { loadDocuments } from '../../src/policy/load.ts'
import { resourceTypes } from '../support/resource-types.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { oneResource, resultOf, scanWith } from './support.ts'

interface Place {
  readonly directory: string
  readonly path: (name: string) => string
  readonly scan: (properties: Readonly<Record<string, unknown>>, options?: ScanOptions) => Promise<ResourceResult>
}

function createPlace(): Place {
  const directory = temporaryDirectory()
  return {
    directory,
    path: (name) => join(directory, name),
    scan: async (properties, options) =>
      resultOf(await scanWith(directory, oneResource('exec', 'a command', properties), options)),
  }
}

test('the search path of a command works', async () => {
  const { directory, path, scan } = createPlace()
  writeFileSync(path('tool'), `#!/bin/sh\necho "$PATH" > ${path('seen')}\n`, { mode: 0o755 })
  const properties = { command: 'tool', unless: `test -e ${path('seen')}`, path: `${directory}:/usr/bin:/bin` }
  expect((await scan(properties, { fix: true })).verdict).toBe('fixed')
  expect(readFileSync(path('seen'), 'utf8')).toBe(`${directory}:/usr/bin:/bin\n`)
})

test('a command is killed after its timeout', async () => {
  const { scan } = createPlace()
  const message = 'the command was killed: timed out after 0.2 seconds'
  const timeout = '200ms'
  expect(await scan({ command: 'sleep 600', timeout }, { fix: true })).toMatchObject({ verdict: 'fix-failed', message })
  expect(await scan({ unless: "sh -c 'sleep 600; true'", timeout })).toMatchObject({ reason: 'timeout' })
})

test('a wrong exit code counts even if creates exists', async () => {
  const { path, scan } = createPlace()
  const command = `sh -c 'touch ${path('made')}; exit 4'`
  expect(await scan({ command, creates: path('made') }, { fix: true })).toMatchObject({
    verdict: 'fix-failed',
    message: 'exit code 4 not in allowed returns [0]',
  })
  expect(existsSync(path('made'))).toBe(true)
})

test('a command must reach its desired state', async () => {
  const { path, scan } = createPlace()
  expect((await scan({ command: 'true', creates: path('made') }, { fix: true })).verdict).toBe('fix-failed')
  expect((await scan({ command: 'true', unless: 'false' }, { fix: true })).verdict).toBe('fix-failed')
})

test('validate warns about a command without a guard', async () => {
  const { path, scan } = createPlace()
  expect((await scan({ command: 'true' })).verdict).toBe('drifted')
  const loaded = await loadDocuments([path('policy.yaml')], {})
  const [document] = loaded.ok ? loaded.value : []
  const hints = document === undefined ? [] : hintsOf(document, resourceTypes)
  expect(hints).toMatchObject([{ severity: 'warning', position: { line: 4 } }])
})

test('relative paths of a command start at its policy', async () => {
  const { path, scan } = createPlace()
  mkdirSync(path('sub'))
  const properties = { command: 'touch made', cwd: 'sub', creates: 'made' }
  expect((await scan(properties, { fix: true })).verdict).toBe('fixed')
  expect(existsSync(path('sub/made'))).toBe(true)
  expect((await scan(properties)).verdict).toBe('compliant')
})

test('a guard that could not run has no result', async () => {
  const { path, scan } = createPlace()
  const command = `touch ${path('ran')}`
  for (const guard of ['exit 126', 'no-such-program', 'kill -9 $$', 'if true; then']) {
    for (const name of ['onlyif', 'unless']) {
      const properties = { command, [name]: guard, provider: 'shell' }
      expect(await scan(properties, { fix: true })).toMatchObject({ verdict: 'error', reason: 'command' })
    }
  }
  expect(existsSync(path('ran'))).toBe(false)
})
