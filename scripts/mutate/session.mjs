// Vitest on instrumented sources, one test file at a time, each in a process of its own that is ended where it hangs.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { createVitest } from 'vitest/node'
import { loadSources } from '../build/load-sources.mjs'
import { instrument } from './instrument.mjs'
import { relatedFiles } from './related.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What waits for servers that end with a test, which a test that is run again and again does not. */
const LEFT_OUT = ['test/fleet/web/{api,server}.test.ts']

/** A test that shows no sign of life for so long hangs. */
const SILENCE_MS = 120_000
const TEST_TIMEOUT_MS = 30_000

/**
 * Opens a session in which `mutants`, by source file, can be switched on.
 * @returns the test files, `related`, which gives the files that one of them reaches, and `run`, which gives the lines that some logged
 */
export async function openSession(mutants) {
  const scratch = mkdtempSync(join(tmpdir(), 'driftgate-mutants-'))
  const files = { task: join(scratch, 'task.json'), log: join(scratch, 'log') }
  process.env.DRIFTGATE_MUTATION = files.task
  const vitest = await createVitest('test', await settings(), { plugins: [instrumenting(mutants)] })
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
    async run(names, task) {
      writeFileSync(files.log, '')
      writeFileSync(files.task, JSON.stringify({ ...task, count, log: files.log }))
      const guard = watch(files.log)
      const own = names.map((name) => specifications.find(({ moduleId }) => relative(root, moduleId) === name))
      const { testModules } = await vitest.runTestSpecifications(own)
      clearInterval(guard.timer)
      // Vitest gives the files of earlier runs, too.
      const ok = own.every(({ moduleId }) => testModules.find((each) => each.moduleId === moduleId)?.ok() === true)
      return { lines: readLog(files.log), hung: guard.hung(), ok }
    },
    async close() {
      await vitest.close()
      rmSync(scratch, { recursive: true })
    },
  }
}

/** The tests of the project `unit`, of which all run in one process as they do there, and those of `servers` beside them. */
async function settings() {
  const { default: config } = await loadSources(root, "export { default } from './vitest.config.ts'")
  const named = (name) => config.test.projects.find(({ test }) => test.name === name).test
  const [unit, servers] = [named('unit'), named('servers')]
  return {
    root,
    config: false,
    watch: false,
    include: unit.include,
    exclude: [...unit.exclude.filter((pattern) => !servers.include.includes(pattern)), ...LEFT_OUT],
    setupFiles: config.test.setupFiles,
    isolate: false,
    sequence: { sequencer: InOrder },
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

/** In the order in which files are asked for. */
class InOrder {
  sort(specifications) {
    return specifications
  }
  shard(specifications) {
    return specifications
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
