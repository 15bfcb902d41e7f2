// How much of the command line tests run, and of what works mostly in processes of their own: the agent, and what is carried
// to other hosts. Most tests run it in their own process, where vitest counts statements (coverage-final.json in coverage and coverage/servers). The e2e
// tests run the built command, whose processes leave what V8 counted in coverage/cli where COVERAGE is set (see
// test/support/driftgate.ts); the source maps of the bundles say which lines of src that is. A line counts as run if all of its
// code that the bundle holds was run by one process or another, or what stands in it by the tests. `--lines` names the lines
// that were not. Exit code 1: less than MINIMUM_PERCENT.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import process from 'node:process'
import { eachMapping, FlattenMap } from '@jridgewell/trace-mapping'

const MINIMUM_PERCENT = 90
const COUNTS = 'coverage/cli'
const STATEMENTS = ['coverage/coverage-final.json', 'coverage/servers/coverage-final.json']
const BIN = 'dist/bin'
/** The launcher is bundled by itself, and there is little of it. */
const COUNTED = /^src\/(?:fleet\/agent|remote(?!\/inventory)|cli(?!\/(?:launcher|reference)))\//

const bundles = readdirSync(BIN)
  .filter((name) => name.endsWith('.js.map'))
  .map((map) => ({ map: join(BIN, map), file: join(BIN, basename(map, '.map')) }))
if (bundles.length === 0 || !existsSync(COUNTS)) {
  console.error(`nothing was counted: run COVERAGE=1 npm run test:e2e before, which builds ${BIN} with source maps`)
  process.exit(1)
}
const texts = new Map(bundles.map(({ file }) => [file, readFileSync(file, 'latin1')]))
const counts = readdirSync(COUNTS).filter((name) => name.endsWith('.json'))
let missed = bundles.flatMap(placesOfSources)
const lines = linesOf(missed)
const runInProcess = linesRunInProcess()
missed = missed.filter(({ line }) => !runInProcess.has(line))
let cut = 0
for (const name of counts) missed = missed.filter(notRunBy(countedIn(readFileSync(join(COUNTS, name), 'utf8'))))
report(linesOf(missed))

/** A process that was killed while it wrote its counts leaves a part of them, which proves nothing. */
function countedIn(json) {
  try {
    return JSON.parse(json)
  } catch {
    cut += 1
    return { result: [] }
  }
}

/** Lines that tests have run in their own process: what stands there in the innermost function or statement was run. */
function linesRunInProcess() {
  const files = STATEMENTS.filter(existsSync).flatMap((path) => Object.values(JSON.parse(readFileSync(path, 'utf8'))))
  const run = new Set()
  for (const { path, fnMap, f, statementMap, s } of files) {
    const functions = Object.entries(fnMap).map(([id, { loc }]) => ({ ...loc, count: f[id] }))
    const statements = Object.entries(statementMap).map(([id, place]) => ({ ...place, count: s[id] }))
    const isRun = []
    for (const { start, end, count } of [...functions, ...statements].toSorted(outerFirst)) {
      for (let line = start.line; line <= end.line; line += 1) isRun[line] = count > 0
    }
    // A line with several statements needs all of them.
    for (const { start, count } of statements) if (count === 0) isRun[start.line] = false
    isRun.forEach((was, line) => was && run.add(`${relative(process.cwd(), path)}:${line}`))
  }
  return run
}

function outerFirst(a, b) {
  return a.start.line - b.start.line || a.start.column - b.start.column || b.end.line - a.end.line
}

/** Where in a bundle code of the command line starts, with the line of the source it comes from. */
function placesOfSources({ map, file: bundle }) {
  const starts = [0, ...[...texts.get(bundle).matchAll(/\n/g)].map(({ index }) => index + 1)]
  const found = []
  eachMapping(new FlattenMap(readFileSync(map, 'utf8')), ({ source, originalLine, ...generated }) => {
    const file = source?.replace('../../', '') ?? ''
    const offset = starts[generated.generatedLine - 1] + generated.generatedColumn
    if (COUNTED.test(file)) found.push({ line: `${file}:${originalLine}`, bundle, offset })
  })
  return found
}

/** A test of places: those that no function or block of this process's counts has run. */
function notRunBy({ result }) {
  const run = new Map([...texts].map(([bundle, text]) => [bundle, offsetsRun(result, bundle, text.length)]))
  return ({ bundle, offset }) => run.get(bundle)?.[offset] !== 1
}

/** 1 at each offset of a bundle that was run; undefined if the process did not load it. */
function offsetsRun(result, bundle, length) {
  const script = result.find(({ url }) => url.endsWith(`/${bundle}`))
  if (script === undefined) return undefined
  const hasRun = new Uint8Array(length)
  // Outer before inner. What V8 took from compiled code has no counts of blocks, and proves nothing.
  for (const { ranges, isBlockCoverage } of script.functions) {
    for (const { startOffset, endOffset, count } of ranges) {
      hasRun.fill(isBlockCoverage && count > 0 ? 1 : 0, startOffset, endOffset)
    }
  }
  return hasRun
}

function linesOf(found) {
  return new Set(found.map(({ line }) => line))
}

function report(missedLines) {
  const percent = (100 * (lines.size - missedLines.size)) / lines.size
  const share = `${lines.size - missedLines.size} of ${lines.size} lines, ${percent.toFixed(1)} %`
  console.log(
    `src/cli, agent and remote: ${counts.length - cut} processes of e2e tests, and the tests themselves, ran ${share} (at least ${MINIMUM_PERCENT} % is asked)`,
  )
  if (cut > 0) console.log(`${cut} more were killed while they wrote what they ran`)
  if (process.argv.includes('--lines')) console.log([...missedLines].join('\n'))
  process.exitCode = percent >= MINIMUM_PERCENT ? 0 : 1
}
