import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatProblem, loadPolicy } from '../../src/index.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const DATA = ['data:', '  # @sensitive', '  token: hunter2-token']

test.each([
  [
    'the same name twice',
    ['- "/x/{{ Data.token }}": { ensure: absent }', '- "/x/{{ Data.token }}": { ensure: absent }'],
  ],
  [
    'a suggestion',
    ['- "/x/{{ Data.token }}": { ensure: absent }', '- /y: { ensure: absent, require: [file#/x/hunter2-tokne] }'],
  ],
  ['a source line', ['- /x/hunter2-token: { ensure: absent, froce: true }']],
])('a problem of a policy never shows data that is sensitive: %s', async (_problem, resources) => {
  const file = `${temporaryDirectory()}/policy.yaml`
  const lines = [...DATA, 'ccm:', '  resources:', '    - file:', ...resources.map((text) => `        ${text}`)]
  writeFileSync(file, lines.join('\n'))
  const loaded = await loadPolicy(file)
  expect(loaded.ok).toBe(false)
  const problems = loaded.ok ? [] : loaded.problems
  expect(problems).toHaveLength(1)
  expect(problems.map((problem) => formatProblem(problem)).join('\n')).not.toContain('hunter2-token')
})
