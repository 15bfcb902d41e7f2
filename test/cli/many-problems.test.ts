import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInProcess } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/temporary.ts'

test('of very many problems the first are shown, and how many more there are', async () => {
  const path = join(temporaryDirectory(), 'policy.yaml')
  const resources = Array.from(
    { length: 1000 },
    (_, n) => `    - file: [{ /tmp/${n}: { ensure: absent, frce: true } }]\n`,
  )
  writeFileSync(path, `ccm:\n  resources:\n${resources.join('')}`)
  const { code, stdout, stderr } = await runInProcess('validate', path)
  expect(code).toBe(1)
  expect(stderr.match(/unknown property "frce"/g)).toHaveLength(200)
  expect(stderr).toContain('policy.yaml:3:')
  expect(stderr).toContain('and 800 more problems\n')
  expect(stdout + stderr).toContain('1000 errors')
})
