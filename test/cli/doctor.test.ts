import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Check, directoryChecks, hostChecks, typeChecks } from '../../src/cli/commands/doctor/checks.ts'
import { absent, openTarget, type Target } from '../../src/index.ts'
import { resourceTypes } from '../support/resource-types.ts'
import { driftgate } from '../support/command-line.ts'
import { put } from '../support/contract.ts'
import { temporaryDirectory } from '../support/temporary.ts'

async function checksOf(files: Readonly<Record<string, string>>, uid: number): Promise<readonly Check[]> {
  const present = (path: string): boolean => Object.keys(files).some((file) => file.startsWith(path.slice(1)))
  const local = await openTarget('local')
  const target: Target = {
    ...local,
    files: { ...local.files, lstat: (path) => (present(path) ? local.files.lstat('/etc/passwd') : absent()) },
  }
  const surroundings = { target, uid, env: {}, types: resourceTypes, stateDirectory: undefined }
  return hostChecks(surroundings)
}

test.each<[files: Readonly<Record<string, string>>, uid: number, limits: readonly string[]]>([
  [{ 'run/systemd/system/x': '' }, 0, []],
  [{ 'run/systemd/system/x': '' }, 1000, ['user']],
  [{ '.dockerenv': '' }, 0, ['service manager', 'container']],
  [{}, 0, ['service manager']],
])('a host with %j limits uid %d in %j', async (files, uid, limits) => {
  const checks = await checksOf(files, uid)
  const limited = checks.filter(({ state }) => state === 'limited')
  expect(limited.map(({ name }) => name)).toEqual(limits)
  expect(limited.every(({ advice }) => advice !== undefined)).toBe(true)
})

test('resource types without a provider are named with what they need', async () => {
  const root = temporaryDirectory()
  put(root, { 'etc/passwd': 'root:x:0:0::/root:/bin/sh\n' })
  const target = await openTarget(`root:${root}`)
  const found = typeChecks({ target, uid: 0, env: {}, types: resourceTypes, stateDirectory: undefined })
  const checks = new Map(found.map((check) => [check.name, check]))
  expect(checks.get('package')).toMatchObject({
    state: 'limited',
    found: expect.stringContaining('apt needs the package database of dpkg'),
  })
  expect(checks.get('file')).toBeUndefined()
  const lacking = [...checks.values()].filter(({ area, state }) => area === 'resource types' && state === 'limited')
  expect(checks.get('with a provider')?.found).toBe(
    `${resourceTypes.length - lacking.length} of ${resourceTypes.length}`,
  )
})

test('a state directory below a file is a limit, with the next step', async () => {
  const file = join(temporaryDirectory(), 'file')
  writeFileSync(file, '')
  const target = await openTarget('local')
  const [state] = directoryChecks({ target, uid: 0, env: {}, types: [], stateDirectory: join(file, 'state') })
  expect(state).toMatchObject({ name: 'state', state: 'limited', advice: 'fixes need it: set --state-dir' })
})

test('the command exits with 3 if there is a limit, and prints the same as JSON', async () => {
  const cwd = temporaryDirectory()
  put(cwd, { 'config/driftgate/facts.json': '{ "rack": ' })
  const env = { HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'config') }
  const { code, stdout, stderr } = await driftgate(['doctor', '--json'], { cwd, env })
  const checks = JSON.parse(stdout) as readonly Check[]
  expect([code, stderr]).toEqual([3, ''])
  expect(checks.find(({ name }) => name === join(cwd, 'config/driftgate/facts.json'))).toMatchObject({
    state: 'limited',
    advice: expect.stringContaining('correct it'),
  })
  expect(checks.find(({ name }) => name === 'a small scan')).toMatchObject({
    state: 'ok',
    found: expect.stringMatching(/^1 resource in \d+ ms$/),
  })
  const text = await driftgate(['doctor'], { cwd, env })
  const limits = checks.filter(({ state }) => state === 'limited').length
  expect(text.stdout).toContain(`${limits} limit${limits === 1 ? '' : 's'}, exit 3\n`)
})
