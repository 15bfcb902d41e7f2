import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'
import { needsRoot } from '../support/temporary.ts'

test.skipIf(needsRoot)('a first policy is sound, complied with and the same each time', async () => {
  const cwd = temporaryDirectory()
  const { code, stdout, stderr } = await driftgate(['init'], { cwd })
  // Where no systemd runs it says of services that it cannot see them.
  expect(code === 0 || (code === 3 && stderr.includes('omitted: ')), stderr).toBe(true)
  expect(stdout).toBe('')
  expect(stderr).toMatch(/wrote policy\.yaml with \d+ resources.*\nNext:\n {2}driftgate scan policy\.yaml/)
  const text = readFileSync(join(cwd, 'policy.yaml'), 'utf8')
  expect(text.split('\n').length).toBeLessThan(250)
  expect(statSync(join(cwd, 'policy.yaml')).mode & 0o777).toBe(0o600)
  const again = await driftgate(['init', '--print'], { cwd })
  expect(parse(again.stdout)).toEqual(parse(text))
  const scan = await driftgate(['scan', 'policy.yaml'], { cwd })
  expect(scan, scan.stdout).toMatchObject({ code: 0 })
})

test('a policy that is there is replaced with --force alone', async () => {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'policy.yaml'), 'mine\n')
  const refused = await driftgate(['init'], { cwd })
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/policy\.yaml already exists: pass --force/),
  })
  expect(readFileSync(join(cwd, 'policy.yaml'), 'utf8')).toBe('mine\n')
  await driftgate(['init', '--force'], { cwd })
  expect(readFileSync(join(cwd, 'policy.yaml'), 'utf8')).toContain('Security-relevant state of')
})
