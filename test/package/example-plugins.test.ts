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

beforeAll(() => {
  if (missing !== undefined) return
  installPacked(project)
  for (const name of PLUGINS) copyPlugin(name, join(project, name))
}, 120_000)
afterAll(() => rmSync(project, { recursive: true, force: true }))

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
