import { expect, test } from 'vitest'
import { runInProcess } from '../../../support/command-line.ts'

test('prints each word on a line of its own', async () => {
  expect(await runInProcess('__command__', 'one', 'two')).toEqual({ code: 0, stdout: 'one\ntwo\n', stderr: '' })
})

test('prints JSON for programs', async () => {
  const { stdout } = await runInProcess('__command__', 'one', 'two', '--json')
  expect(JSON.parse(stdout)).toEqual(['one', 'two'])
})

test('without a word it says what is missing', async () => {
  const { code, stdout, stderr } = await runInProcess('__command__')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('missing word')
})
