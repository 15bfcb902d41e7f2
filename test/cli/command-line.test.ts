import { expect, test } from 'vitest'
import { runInProcess } from '../support/command-line.ts'

test.each([
  [['scna'], 'did you mean "scan"?'],
  [['--fix', 'p.yaml'], 'it belongs after "scan"'],
  [['--hlep'], 'did you mean "--help"?'],
  [['types', '--jsno'], 'did you mean "--json"?'],
])('%j is wrong usage, and what was meant is named', async (args, hint) => {
  const { code, stdout, stderr } = await runInProcess(...args)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(hint)
})
