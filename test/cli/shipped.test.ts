import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, temporaryDirectory } from '../support/driftgate.ts'

function run(...args: readonly string[]): Promise<Outcome> {
  return driftgate(args, { cwd: temporaryDirectory() })
}

const files = readdirSync('policies').filter((name) => name.endsWith('.yaml'))

interface Listed {
  readonly name: string
  readonly title: string
  readonly controls: number
  readonly path: string
}

test('lists every policy that ships by the name that scan takes', async () => {
  const { code, stdout, stderr } = await run('policies')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([
    ...files.map((file) => `@${file.replace(/\.yaml$/, '')}`).toSorted(),
    '',
  ])
})

test('tells programs what the files say of themselves, and where they lie', async () => {
  const listed = JSON.parse((await run('policies', '--json')).stdout) as readonly Listed[]
  for (const { path, title, controls } of listed) {
    expect(existsSync(path)).toBe(true)
    const { policy } = parse(readFileSync(path, 'utf8')) as { policy: { title: string; controls: readonly unknown[] } }
    expect({ title, controls }).toEqual({ title: policy.title, controls: policy.controls.length })
  }
  expect(listed).toHaveLength(files.length)
})

test('a policy is loaded by its name from any directory', async () => {
  const { code, stdout } = await run('validate', '@dev-sec-linux', '@ssh')
  expect(code).toBe(0)
  expect(stdout).toContain('@dev-sec-linux: valid, policy dev-sec-linux')
  expect(stdout).toContain('@ssh: valid, policy ssh')
})

test('another name is refused with the nearest one', async () => {
  const { code, stderr } = await run('validate', '@linus')
  expect(code).toBe(1)
  expect(stderr).toContain('@linus: no shipped policy has this name, did you mean "@linux"?')
  expect((await run('validate', '@../package')).stderr).toContain('@../package: no shipped policy has this name')
})
