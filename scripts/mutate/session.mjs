// Vitest on instrumented sources, one test file at a time, each in a process of its own that is ended where it hangs.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { createVitest } from 'vitest/node'
import { instrument } from './instrument.mjs'
import { relatedFiles } from './related.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * What never runs the sources in its own process, what takes minutes and works on the whole machine, and what waits for servers
 * that end with a test, which a test that is run again and again does not.
 */
const LEFT_OUT = [
  'test/{artefacts,browser,docs,e2e,hosts,package}/**',
  'test/compatibility/services.test.ts',
  'test/fleet/{servers,web/api,web/server}.test.ts',
  'test/subjects/packages/{apt,dnf}.test.ts',
]

/** A test that shows no sign of life for so long hangs. */
const SILENCE_MS = 120_000
const TEST_TIMEOUT_MS = 30_000

/**
 * Opens a session in which `mutants`, by source file, can be switched on.
 * @returns the test files, `related`, which gives the files that one of them reaches, and `run`, which gives the lines that one logged
 */
export async function openSession(mutants) {
  const scratch = mkdtempSync(join(tmpdir(), 'driftgate-mutants-'))
  const files = { task: join(scratch, 'task.json'), log: join(scratch, 'log') }
  process.env.DRIFTGATE_MUTATION = files.task
  const vitest = await createVitest('test', settings(), { plugins: [instrumenting(mutants)] })
  const specifications = await vitest.globTestSpecifications()
  const count = Math.max(...[...mutants.values()].flat().map(({ id }) => id))
  const reached = relatedFiles(root)
  const related = new Map()
  return {
    files: specifications.map(({ moduleId }) => relative(root, moduleId)),
    related(file) {
      if (!related.has(file)) related.set(file, reached(file))
      return related.get(file)
    },
    async run(file, task) {
      writeFileSync(files.log, '')
      writeFileSync(files.task, JSON.stringify({ ...task, count, log: files.log }))
      const guard = watch(files.log)
      const specification = specifications.find(({ moduleId }) => relative(root, moduleId) === file)
      const { testModules } = await vitest.runTestSpecifications([specification])
      clearInterval(guard.timer)
      const lines = readLog(files.log)
      // Vitest gives the files of earlier runs, too.
      const own = testModules.find(({ moduleId }) => moduleId === specification.moduleId)
      return { lines, hung: guard.hung(), ok: own?.ok() === true }
    },
    async close() {
      await vitest.close()
      rmSync(scratch, { recursive: true })
    },
  }
}

function settings() {
  return {
    root,
    config: false,
    watch: false,
    include: ['test/**/*.test.ts'],
    exclude: LEFT_OUT,
    setupFiles: ['test/support/seed.ts', 'test/support/skips.ts'],
    runner: fileURLToPath(new URL('runner.mjs', import.meta.url)),
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    reporters: [{}],
    silent: true,
    // Node counts the listeners that tests which run again and again add, and warns.
    execArgv: ['--no-warnings'],
    update: false,
  }
}

function instrumenting(mutants) {
  return {
    name: 'driftgate-mutants',
    enforce: 'pre',
    transform(code, id) {
      const path = relative(root, id)
      const own = mutants.get(path)
      return own === undefined ? undefined : { code: instrument(path, code, own), map: null }
    },
  }
}

/** Ends the process that writes a log when nothing was added for long. */
function watch(log) {
  let hung
  const timer = setInterval(() => {
    if (!existsSync(log) || Date.now() - statSync(log).mtimeMs < SILENCE_MS) return
    const lines = readLog(log)
    hung = lines.findLast(({ on }) => on !== undefined)?.on ?? 0
    const pid = lines.find((line) => line.pid !== undefined)?.pid
    if (pid === undefined) return
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
  }, 5_000)
  return { timer, hung: () => hung }
}

function readLog(log) {
  return readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line)] : []))
}
