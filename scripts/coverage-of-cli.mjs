// How much of the command line the tests run, and of what works in processes of its own: the agent, and what is carried to
// other hosts. What runs in the process of a test is in the results of vitest, in coverage/coverage-final.json. Tests of the
// built command run it in processes of its own, which leave what V8 counted in coverage/cli where COVERAGE is set (see
// test/support/driftgate.ts); the source map of the bundle says which lines of src that is. There a line counts as run if all
// of its code that the bundle holds was run by one process or another. `--lines` names the lines that neither has run. Exit
// code 1: less than MINIMUM_PERCENT.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import process from 'node:process'
import { eachMapping, FlattenMap } from '@jridgewell/trace-mapping'

const MINIMUM_PERCENT = 90
const COUNTS = 'coverage/cli'
const OF_VITEST = 'coverage/coverage-final.json'
const BIN = 'dist/bin'
/** The launcher is bundled by itself, and there is little of it. */
const COUNTED = /^src\/(?:agent|remote|cli(?!\/launcher))\//

const mapFile = readdirSync(BIN).find((name) => name.endsWith('.js.map'))
if (mapFile === undefined || !existsSync(COUNTS)) {
  console.error(`nothing was counted: run COVERAGE=1 npm test before, which builds ${BIN} with a source map`)
  process.exit(1)
}
const bundle = join(BIN, basename(mapFile, '.map'))
const text = readFileSync(bundle, 'latin1')
const counts = readdirSync(COUNTS).filter((name) => name.endsWith('.json'))
let missed = placesOfSources()
const lines = linesOf(missed)
let cut = 0
for (const name of counts) missed = missed.filter(notRunBy(countedIn(readFileSync(join(COUNTS, name), 'utf8'))))
const ranHere = existsSync(OF_VITEST) ? linesRunByVitest(JSON.parse(readFileSync(OF_VITEST, 'utf8'))) : new Set()
report(new Set([...linesOf(missed)].filter((line) => !ranHere.has(line))))

/** A process that was killed while it wrote its counts leaves a part of them, which proves nothing. */
function countedIn(json) {
  try {
    return JSON.parse(json)
  } catch {
    cut += 1
    return { result: [] }
  }
}

/** Where in the bundle code of the command line starts, with the line of the source it comes from. */
function placesOfSources() {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const found = []
  eachMapping(new FlattenMap(readFileSync(join(BIN, mapFile), 'utf8')), ({ source, originalLine, ...generated }) => {
    const file = source?.replace('../../', '') ?? ''
    const offset = starts[generated.generatedLine - 1] + generated.generatedColumn
    if (COUNTED.test(file)) found.push({ line: `${file}:${originalLine}`, offset })
  })
  return found
}

/** The lines of which the innermost statement was run in the process of a test. */
function linesRunByVitest(files) {
  const found = new Set()
  for (const [path, { statementMap, s: counted }] of Object.entries(files)) {
    const file = relative(process.cwd(), path)
    if (!COUNTED.test(file)) continue
    const statements = Object.entries(statementMap).map(([id, { start, end }]) => ({
      first: start.line,
      last: end.line,
      isRun: counted[id] > 0,
    }))
    // What is within another one comes after it.
    for (const { first, last, isRun } of statements.toSorted(
      (one, other) => other.last - other.first - (one.last - one.first),
    )) {
      for (let line = first; line <= last; line += 1) found[isRun ? 'add' : 'delete'](`${file}:${line}`)
    }
  }
  return found
}

/** A test of places: those that no function or block of this process's counts has run. */
function notRunBy({ result }) {
  const script = result.find(({ url }) => url.endsWith(`/${bundle}`))
  if (script === undefined) return () => true
  const hasRun = new Uint8Array(text.length)
  // Outer before inner. What V8 took from compiled code has no counts of blocks, and proves nothing.
  for (const { ranges, isBlockCoverage } of script.functions) {
    for (const { startOffset, endOffset, count } of ranges) {
      hasRun.fill(isBlockCoverage && count > 0 ? 1 : 0, startOffset, endOffset)
    }
  }
  return ({ offset }) => hasRun[offset] === 0
}

function linesOf(found) {
  return new Set(found.map(({ line }) => line))
}

function report(missedLines) {
  const percent = (100 * (lines.size - missedLines.size)) / lines.size
  const share = `${lines.size - missedLines.size} of ${lines.size} lines, ${percent.toFixed(1)} %`
  console.log(
    `src/cli, agent and remote: tests and ${counts.length - cut} processes of theirs ran ${share} (at least ${MINIMUM_PERCENT} % is asked)`,
  )
  if (cut > 0) console.log(`${cut} more were killed while they wrote what they ran`)
  if (process.argv.includes('--lines')) console.log([...missedLines].join('\n'))
  process.exitCode = percent >= MINIMUM_PERCENT ? 0 : 1
}
