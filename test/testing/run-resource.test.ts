import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { auditResource, fixResource } from '../../src/testing/index.ts'
import { resourceTypes } from '../support/resource-types.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { noteType } from './note.ts'

test('an audit changes nothing, a fix repairs, and both say so as a scan does', async () => {
  const name = join(temporaryDirectory(), 'note')
  const drifted = await auditResource(noteType(), { name, text: 'hello' })
  expect(drifted).toMatchObject({
    id: `demo.note#${name}`,
    verdict: 'drifted',
    change: 'will',
    drift: [{ property: 'text', desired: 'hello', observed: '(no note)' }],
    actions: ['Would have written the note'],
  })
  expect(existsSync(name)).toBe(false)
  expect(await fixResource(noteType(), { name, text: 'hello' })).toMatchObject({
    verdict: 'fixed',
    actions: ['Written the note'],
  })
  expect(readFileSync(name, 'utf8')).toBe('hello')
  expect(await auditResource(noteType(), { name, text: 'hello' })).toMatchObject({ verdict: 'compliant' })
})

test('wrong properties are a result with everything that is wrong', async () => {
  expect(await auditResource(noteType(), { name: 'note', txt: 'hello' })).toMatchObject({
    verdict: 'error',
    reason: 'invalid',
    errors: [
      'txt: unknown property "txt" of type demo.note, did you mean "text"?',
      'name: name must be an absolute path',
      'text: text is required',
    ],
  })
})

test('properties may have any of their spellings, and a resource without a name gets one', async () => {
  const name = join(temporaryDirectory(), 'note')
  writeFileSync(name, 'hello')
  expect(await auditResource(noteType(), { name, says: 'hello' })).toMatchObject({ verdict: 'compliant' })
  expect(await auditResource(noteType(), { text: 'hello' })).toMatchObject({
    errors: ['name: name must be an absolute path'],
  })
})

test('the machine, the directory, the provider and secrecy are up to the test', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'source'), 'wanted')
  writeFileSync(join(directory, 'a'), 'found')
  const file = resourceTypes.find(({ type }) => type === 'file')
  if (file === undefined) throw new Error('there is no file type')
  const wanted = {
    name: join(directory, 'a'),
    ensure: 'present',
    source: 'source',
    owner: '0',
    group: '0',
    mode: '0644',
  }
  const shown = await auditResource(file, wanted, { workingDirectory: directory, provider: 'posix' })
  expect(JSON.stringify(shown)).toContain('+wanted')
  const hidden = await auditResource(file, wanted, { workingDirectory: directory, sensitive: true })
  expect(JSON.stringify(hidden)).not.toContain('wanted')
  expect(await auditResource(file, wanted, { provider: 'nfs' })).toMatchObject({ reason: 'no-provider' })
  const elsewhere = { ...createLocalTarget(), system: { ...createLocalTarget().system, platform: 'win32' } }
  expect(
    await auditResource(
      { ...noteType(), providers: [{ name: 'default', platforms: ['linux'] }] },
      { name: '/a', text: 'b' },
      { target: elsewhere },
    ),
  ).toMatchObject({
    reason: 'no-provider',
    message: expect.stringContaining('win32') as string,
  })
})

test('an interrupted run has no result', async () => {
  await expect(
    auditResource(noteType(), { name: '/a', text: 'b' }, { signal: AbortSignal.abort('SIGINT') }),
  ).rejects.toThrow('nothing was evaluated')
})
