import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hostname } from 'node:os'
import { auditResource, testTarget } from '../../src/testing/index.ts'
import { noteType } from './note.ts'

const command = (...argv: [string, ...string[]]) => ({
  argv,
  workingDirectory: '/',
  signal: new AbortController().signal,
})

test('a machine of files and answers', async () => {
  const { target, root, remove } = await testTarget({
    files: {
      '/etc/note': 'hello',
      '/etc/hostname': 'db01\n',
      '/etc/other': { linkTo: 'note' },
      '/usr/bin/tool': { text: '#!/bin/sh\n', mode: 0o755 },
    },
    commands: { 'tool --version': { stdout: 'tool 2.1\n' }, 'tool check': { exitCode: 3, stderr: 'no\n' } },
  })
  expect(target.system.hostname).toBe('db01')
  expect(target.system.hostname).not.toBe(hostname())
  expect(target.probe.readText('/etc/other')).toEqual({ kind: 'known', value: 'hello' })
  expect(target.files.stat('/usr/bin/tool')).toMatchObject({ state: { mode: 0o755 } })
  expect(target.files.stat('/etc/passwd').kind).toBe('absent')
  expect(await target.run(command('tool', '--version'))).toMatchObject({
    kind: 'exited',
    exitCode: 0,
    stdout: 'tool 2.1\n',
  })
  expect(await target.run(command('tool', 'check'))).toMatchObject({ exitCode: 3, output: 'no\n' })
  expect(await target.run(command('rm', '-rf', '/'))).toEqual({
    kind: 'not-started',
    message: 'the test does not define the command rm -rf /',
  })
  const looked = await auditResource(
    noteType(),
    { name: '/etc/note', text: 'hello' },
    { target, workingDirectory: root },
  )
  expect(looked.verdict).toBe('compliant')
  await remove()
  expect(existsSync(root)).toBe(false)
})

test('a machine without files is one', async () => {
  const { target, remove } = await testTarget({})
  expect(target.files.stat('/etc/passwd').kind).toBe('absent')
  await remove()
})
