import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { start } from '../support/driftgate.ts'
import { compile, copyPlugin, installPacked } from '../support/packed.ts'
import { needsPrograms } from '../support/programs.ts'

// Each with nothing but the package that npm would publish.
const PLUGINS = ['git-checkout', 'hosts-entry', 'http-header', 'redis-setting']
const missing = needsPrograms('npm', 'tar', 'git')
const project = mkdtempSync(join(realpathSync(tmpdir()), 'driftgate-plugins-'))

const DRIFTGATE_OF_PROJECT = join(project, 'node_modules/driftgate/dist/bin/driftgate.js')

beforeAll(() => {
  if (missing !== undefined) return
  installPacked(project)
  for (const name of PLUGINS) copyPlugin(name, join(project, name))
  execFileSync(process.execPath, [DRIFTGATE_OF_PROJECT, 'new', 'plugin', 'made'], {
    cwd: project,
    stdio: 'pipe',
  })
}, 120_000)
afterAll(() => rmSync(project, { recursive: true, force: true }))

describe.skipIf(missing)('the package that driftgate new writes', () => {
  test('compiles, passes its tests and is used by its policy', async () => {
    const cwd = join(project, 'made')
    expect(compile(cwd, ['--skipLibCheck', 'false'])).toBe('')
    const { code, stdout } = await start(process.execPath, ['--test', 'dist/test/index.test.js'], { cwd }).outcome
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^# fail 0$/m)])
    const scan = ['scan', 'policy.yaml', '--plugin', './dist/src/index.js', '--quiet']
    const scanned = await start(process.execPath, [DRIFTGATE_OF_PROJECT, ...scan], { cwd }).outcome
    expect(scanned).toMatchObject({ code: expect.toBeOneOf([0, 2]), stderr: '' })
    const again = await start(process.execPath, [DRIFTGATE_OF_PROJECT, 'new', 'plugin', '.'], { cwd }).outcome
    expect(again).toMatchObject({ code: 1, stderr: 'driftgate: . is not empty\n' })
  })
})

describe.skipIf(missing).each(PLUGINS)('the plugin %s', (name) => {
  test('compiles, and its own tests pass', async () => {
    const cwd = join(project, name)
    expect(compile(cwd, ['--skipLibCheck', 'false'])).toBe('')
    const args = ['--test', '--test-reporter=tap', `dist/test/${name}.test.js`]
    const { code, stdout, stderr } = await start(process.execPath, args, { cwd }).outcome
    expect(code, stdout + stderr).toBe(0)
    expect(stdout).toContain('# fail 0')
    expect(stdout).not.toContain('# pass 0\n')
  })
})
