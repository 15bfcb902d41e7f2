// Runs recorded cases of the languages policies are written in through this project's public evaluation functions.
// Usage: npm run conformance -- DIR [--json PATH]
// Exit codes: 0 every required case passed, 1 one failed (or an exception is stale), 2 wrong usage.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { withEngines } from './conformance/bundle.mjs'
import { engines } from './conformance/engines.mjs'
import { exceptions } from './conformance/exceptions.mjs'
import { loadCases } from './conformance/load.mjs'
import { formatSummary } from './conformance/summary.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, failures: { type: 'string', default: '5' } },
})
const [folder] = positionals
if (folder === undefined || positionals.length > 1) {
  console.error('usage: npm run conformance -- DIR [--json PATH] [--failures COUNT]')
  process.exit(2)
}

const cases = loadCases(folder)
const outcomes = await withEngines(engines, (loaded) => cases.map((recorded) => runCase(recorded, loaded)))
console.log(formatSummary(outcomes, Number(values.failures)))
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(outcomes, undefined, 2)}\n`)
process.exit(outcomes.some((outcome) => outcome.required && isBad(outcome.status)) ? 1 : 0)

function runCase(recorded, loaded) {
  const { file, index, content } = recorded
  const engine = loaded.get(content.engine)
  const base = { file, index, engine: content.engine, kind: content.kind ?? 'get', template: content.template }
  if (engine === undefined)
    return { ...base, status: 'not-run', detail: 'this build has no such engine', required: false }
  const outcome = judge(engine, content)
  const required = !file.startsWith('oracle/') && (engine.isRequired?.(content) ?? true)
  const exception = exceptions.find((entry) => matches(entry, base, content))
  if (exception === undefined) return { ...base, ...outcome, required }
  if (outcome.status === 'failed') return { ...base, status: 'excepted', detail: exception.reason, required }
  return { ...base, status: 'stale', detail: `passes, so the exception is stale: ${exception.reason}`, required: true }
}

function judge(engine, content) {
  const reason = engine.skip?.(content)
  if (reason !== undefined) return { status: 'not-run', detail: reason }
  try {
    const difference = engine.run(engine.module, content)
    return difference === undefined ? { status: 'passed' } : { status: 'failed', detail: difference }
  } catch (error) {
    return { status: 'failed', detail: `threw ${error.stack}` }
  }
}

function matches(entry, base, content) {
  return (
    entry.file === base.file &&
    entry.template === JSON.stringify(content.template) &&
    (entry.test === undefined || entry.test === content.test)
  )
}

function isBad(status) {
  return status === 'failed' || status === 'stale'
}
