// Runs recorded cases of the languages policies are written in through this project's public evaluation functions.
// Usage: npm run conformance -- [DIR] [--json PATH]
// Exit codes: 0 every required case passed, 1 one failed (or an exception is stale), 2 wrong usage. Without any cases: 1 in CI
// or where DIR is named, else 0.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { withModules } from './conformance/bundle.mjs'
import { engines, valueModel } from './conformance/engines.mjs'
import { exceptions } from './conformance/exceptions.mjs'
import { loadCases } from './conformance/load.mjs'
import { formatSummary } from './conformance/summary.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, failures: { type: 'string', default: '5' } },
})
if (positionals.length > 1) {
  console.error('usage: npm run conformance -- [DIR] [--json PATH] [--failures COUNT]')
  process.exit(2)
}
/** Where the cases lie by default: outside of the project, which they are older than. */
const [folder = '../shared/vectors'] = positionals
const cases = loadCases(folder)
if (cases.length === 0) {
  console.error(`NOTHING WAS COMPARED: there are no recorded cases in ${resolve(folder)}.
They are kept outside of this repository. Put them there, or name their folder: npm run conformance -- DIR`)
  process.exit(positionals.length > 0 || process.env.CI !== undefined ? 1 : 0)
}
const outcomes = await withModules([valueModel, ...engines], async (modules) => {
  const results = []
  for (const recorded of cases) results.push(await runCase(recorded, modules))
  return results
})
const stale = staleClusters(outcomes)
for (const { cluster } of stale) console.log(`no case of ${JSON.stringify(cluster)} fails, so its exception is stale\n`)
console.log(formatSummary(outcomes, Number(values.failures)))
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(outcomes, undefined, 2)}\n`)
process.exit(stale.length > 0 || outcomes.some((outcome) => outcome.required && isBad(outcome.status)) ? 1 : 0)

async function runCase(recorded, modules) {
  const { file, index, content } = recorded
  const engine = engines.find(({ name }) => name === content.engine && modules[name] !== undefined)
  const base = {
    file,
    index,
    engine: content.engine,
    kind: content.cluster ?? content.kind ?? 'get',
    template: content.template,
  }
  if (engine === undefined)
    return { ...base, status: 'not-run', detail: 'this build has no such engine', required: false }
  const outcome = await judge(engine, content, modules)
  const required = !file.startsWith('oracle/') && (engine.isRequired?.(content) ?? true)
  const exception = exceptions.find((entry) => matches(entry, base))
  if (exception === undefined || outcome.status === 'not-run') return { ...base, ...outcome, required }
  if (outcome.status === 'failed') return { ...base, status: 'excepted', detail: exception.reason, required }
  if (exception.cluster !== undefined) return { ...base, ...outcome, required }
  return { ...base, status: 'stale', detail: `passes, so the exception is stale: ${exception.reason}`, required: true }
}

async function judge(engine, content, modules) {
  const reason = engine.skip?.(content, modules)
  if (reason !== undefined) return { status: 'not-run', detail: reason }
  try {
    const difference = await engine.run(modules, content)
    return difference === undefined ? { status: 'passed' } : { status: 'failed', detail: difference }
  } catch (error) {
    return { status: 'failed', detail: describeThrown(error) }
  }
}

// Where an error meant for users comes from does not matter, its words do. Any other error is a bug.
function describeThrown(error) {
  return error.name === 'TemplateError' ? `threw ${error.message}` : `threw ${error.stack}`
}

/** The exceptions of a cluster whose cases were run and pass, all of them. */
function staleClusters(outcomes) {
  return exceptions.filter((entry) => {
    const members = outcomes.filter((outcome) => entry.cluster !== undefined && matches(entry, outcome))
    return members.length > 0 && members.every(({ status }) => status === 'passed')
  })
}

function matches(entry, { file, index, template, kind }) {
  if (entry.file !== file) return false
  if (entry.cluster !== undefined) return entry.cluster === kind
  return entry.template === template && (entry.index ?? index) === index
}

function isBad(status) {
  return status === 'failed' || status === 'stale'
}
