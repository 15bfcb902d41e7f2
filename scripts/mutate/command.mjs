// The built command with mutants in it, and the tests that run it in processes of its own.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { createVitest } from 'vitest/node'
import { buildCommand } from '../build/command.mjs'
import { instrument, SWITCH } from './instrument.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A place in the project, whose package the command finds as its own, that other users can enter. */
const SCRATCH = join(root, '.cache/mutants')
const FILES = { active: join(SCRATCH, 'active'), log: join(SCRATCH, 'log') }

/** The projects of vitest.config.ts that run the command and need no booted host. */
const PROJECTS = ['e2e', 'docs', 'guides', 'servers']

const TEST_TIMEOUT_MS = 60_000

/** Which mutant is on stands in a file, for tests start the command with environments of their own. What hangs asks without end. */
const PRELUDE = `globalThis.${SWITCH} ??= (() => {
  const { appendFileSync, readFileSync } = require('node:fs');
  const attempt = (act) => { try { return act() } catch { return undefined } };
  const active = Number(attempt(() => readFileSync(${JSON.stringify(FILES.active)}, 'latin1')) ?? 0);
  const known = new Set();
  let questions = 0;
  return (id) => {
    if (active === 0 && !known.has(id)) attempt(() => appendFileSync(${JSON.stringify(FILES.log)}, known.add(id) && id + '\\n'));
    if (id === active && ++questions > 10_000_000) throw new Error('the mutant hangs');
    return id === active;
  };
})();`

/**
 * Builds the command with `mutants`, by source file.
 * @returns the test files, `learn`, which gives the mutants that the command comes across in one of them, and `fails`, which tells
 * whether a test file fails with a mutant
 */
export async function openCommand(mutants) {
  rmSync(SCRATCH, { recursive: true, force: true })
  mkdirSync(SCRATCH, { recursive: true })
  chmodSync(SCRATCH, 0o755)
  const folder = join(SCRATCH, 'bin')
  const change = (path, text) => (mutants.has(path) ? instrument(path, text, mutants.get(path)) : text)
  await buildCommand({ root, folder, change, prelude: PRELUDE })
  process.env.DRIFTGATE_COMMAND = join(folder, 'driftgate.js')
  const vitest = await createVitest('test', {
    root,
    project: PROJECTS,
    watch: false,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    reporters: [{}],
    silent: true,
  })
  const specifications = await vitest.globTestSpecifications()
  const run = async (file, active) => {
    writeFileSync(FILES.active, String(active))
    writeFileSync(FILES.log, '')
    chmodSync(FILES.log, 0o666) // Some tests run the command as another user.
    const specification = specifications.find(({ moduleId }) => relative(root, moduleId) === file)
    const { testModules } = await vitest.runTestSpecifications([specification])
    return testModules.find(({ moduleId }) => moduleId === specification.moduleId)?.ok() === true
  }
  return {
    files: specifications.map(({ moduleId }) => relative(root, moduleId)),
    async learn(file) {
      const start = performance.now()
      const ok = await run(file, 0)
      const reached = new Set(readFileSync(FILES.log, 'utf8').split('\n').filter(Boolean).map(Number))
      return { ok, reached, ms: performance.now() - start }
    },
    fails: async (file, id) => !(await run(file, id)),
    async close() {
      await vitest.close()
      rmSync(SCRATCH, { recursive: true })
    },
  }
}
