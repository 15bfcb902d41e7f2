// The end of what CI prints, from the folder in which .ci/run keeps `steps.tsv` (name, exit code and seconds of each step), what
// each step printed as `NUMBER.log`, and vitest's results as `tests.json`, `servers.json` and `system.json`: what failed and why, how long each
// step and the slowest files took, and as the last line `N passed, M failed`. Exit code 1 if anything failed or no test ran.
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import process from 'node:process'

/** How much of a failure is shown: its message, and the end of what a step printed. */
const MESSAGE_LINES = 12
const LOG_LINES = 25
const SLOWEST_FILES = 10
/** The results of each step that runs tests. */
const RESULTS = { tests: 'tests.json', 'server tests': 'servers.json', 'system tests': 'system.json' }

const [folder = '.'] = process.argv.slice(2)
const steps = read('steps.tsv').trim().split('\n').map(readStep)
const files = Object.entries(RESULTS).flatMap(([step, name]) => readResults(step, name))
const tests = files.flatMap((file) => file.assertionResults.map((result) => ({ ...result, path: file.path })))
const failedTests = tests.filter(({ status }) => status === 'failed').map(describeTest)
// A file that cannot be loaded fails without a test that does.
const failedFiles = files
  .filter((file) => file.status === 'failed' && file.assertionResults.every(isFine))
  .map(describeFile)
const failures = [...failedTests, ...failedFiles]
// The step of a test that failed has then been told in full.
const toldSteps = new Set(files.filter(({ status }) => status === 'failed').map(({ step }) => step))
const failedSteps = steps.filter(({ code, name }) => code !== 0 && !toldSteps.has(name)).map(describeStep)

const passed = tests.filter(({ status }) => status === 'passed').length
const failed = failures.length + failedSteps.length
if (failed > 0) console.log(`\n== failed\n\n${[...failures, ...failedSteps].join('\n\n')}`)
console.log(`\n== times\n${steps.map(({ name, seconds }) => `${seconds.padStart(6)} s  ${name}`).join('\n')}\n`)
if (files.length > 0) console.log(`== slowest files\n${slowest().join('\n')}\n`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

function read(name) {
  return readFileSync(join(folder, name), 'utf8')
}

function readResults(step, name) {
  if (!existsSync(join(folder, name))) return []
  const { testResults } = JSON.parse(read(name))
  return testResults.map((file) => ({ ...file, step, path: relative(process.cwd(), file.name) }))
}

function slowest() {
  const timed = files.map(({ path, startTime, endTime }) => ({ path, seconds: (endTime - startTime) / 1000 }))
  const sorted = timed.toSorted((one, other) => other.seconds - one.seconds).slice(0, SLOWEST_FILES)
  return sorted.map(({ path, seconds }) => `${seconds.toFixed(0).padStart(6)} s  ${path}`)
}

function readStep(line, index) {
  const [name, code, seconds] = line.split('\t')
  return { name, code: Number(code), seconds, log: `${index + 1}.log` }
}

function isFine({ status }) {
  return status !== 'failed'
}

function describeTest({ path, fullName, failureMessages }) {
  return `${path} > ${fullName}\n${excerpt(failureMessages.join('\n').split('\n').slice(0, MESSAGE_LINES))}`
}

function describeFile({ path, message }) {
  return `${path}\n${excerpt(message.split('\n').slice(0, MESSAGE_LINES))}`
}

function describeStep({ name, code, log }) {
  return `step "${name}" ended with ${code}, its output with\n${excerpt(read(log).trimEnd().split('\n').slice(-LOG_LINES))}`
}

function excerpt(lines) {
  return lines.map((line) => `  ${line}`).join('\n')
}
