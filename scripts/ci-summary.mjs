// The end of what CI prints, from the folder in which .ci/run keeps `steps.tsv` (name, exit code and seconds of each step), what
// each step printed as `NUMBER.log`, and vitest's results as `tests.json`: what failed and why, how long each step took, and
// as the last line `N passed, M failed`. Exit code 1 if anything failed or no test ran.
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import process from 'node:process'

/** How much of a failure is shown: its message, and the end of what a step printed. */
const MESSAGE_LINES = 12
const LOG_LINES = 25

const [folder = '.'] = process.argv.slice(2)
const results = existsSync(join(folder, 'tests.json')) ? JSON.parse(read('tests.json')) : { testResults: [] }
const steps = read('steps.tsv').trim().split('\n').map(readStep)
const files = results.testResults.map((file) => ({ ...file, path: relative(process.cwd(), file.name) }))
const tests = files.flatMap((file) => file.assertionResults.map((result) => ({ ...result, path: file.path })))
const failedTests = tests.filter(({ status }) => status === 'failed').map(describeTest)
// A file that cannot be loaded fails without a test that does.
const failedFiles = files
  .filter((file) => file.status === 'failed' && file.assertionResults.every(isFine))
  .map(describeFile)
const failures = [...failedTests, ...failedFiles]
// The step of the tests has then been told in full.
const failedSteps = steps
  .filter(({ code, name }) => code !== 0 && !(name === 'tests' && failures.length > 0))
  .map(describeStep)

const passed = tests.filter(({ status }) => status === 'passed').length
const failed = failures.length + failedSteps.length
if (failed > 0) console.log(`\n== failed\n\n${[...failures, ...failedSteps].join('\n\n')}`)
console.log(`\n== times\n${steps.map(({ name, seconds }) => `${seconds.padStart(6)} s  ${name}`).join('\n')}\n`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

function read(name) {
  return readFileSync(join(folder, name), 'utf8')
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
