// Runs the template engines with random and mutated inputs: only their own error may come out of them, and no input may
// take long. `--runs N` inputs in all (1,000,000), `--engine NAME` one engine only, `--seed N` the same inputs again.
import process from 'node:process'
import { parseArgs } from 'node:util'
import { withModules } from './conformance/bundle.mjs'
import { goTemplateEngine } from './fuzz/gotemplate.mjs'

// Far above what any input needs, and far below what a hung engine takes.
const LONGEST_MS = 5_000

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
    engine: { type: 'string' },
  },
})
const runs = Number(values.runs)
const seed = Number(values.seed)
if (!Number.isInteger(runs) || runs < 1 || !Number.isInteger(seed)) {
  console.error('usage: npm run fuzz -- [--runs N] [--seed N] [--engine NAME]')
  process.exit(1)
}

await withModules(
  [
    { name: 'fuzz', entry: 'scripts/fuzz/engines.ts' },
    { name: 'inputs', entry: 'scripts/fuzz/inputs.ts' },
    { name: 'random', entry: 'scripts/fuzz/random.ts' },
    { name: 'govalue', entry: 'scripts/conformance/value-model.ts' },
    { name: 'gotemplate', entry: 'src/templates/gotemplate/index.ts' },
  ],
  async (modules) => {
    const all = [...modules.fuzz.engines, ...goTemplateEngine(modules)]
    const chosen = all.filter(({ name }) => values.engine === undefined || name === values.engine)
    if (chosen.length === 0)
      throw new Error(`there is no engine ${values.engine}: ${all.map(({ name }) => name).join(', ')}`)
    console.log(`seed ${seed}`)
    for (const engine of chosen) report(engine, Math.ceil(runs / chosen.length), modules)
  },
)

function report(engine, count, { fuzz, random }) {
  let slowest = { input: '', elapsedMs: 0 }
  const start = performance.now()
  try {
    fuzz.fuzz(engine, count, random.seededRandom(seed), (input, elapsedMs) => {
      if (elapsedMs > slowest.elapsedMs) slowest = { input, elapsedMs }
      if (elapsedMs > LONGEST_MS) throw new Error(`${elapsedMs.toFixed(0)} ms for ${JSON.stringify(input)}`)
    })
  } catch (error) {
    console.log(`${engine.name.padEnd(11)} FAILED\n${error.message}\n${error.cause?.stack ?? error.stack}`)
    process.exitCode = 1
    return
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  const shown = JSON.stringify(slowest.input).slice(0, 60)
  console.log(
    `${engine.name.padEnd(11)} ${String(count).padStart(9)} inputs in ${seconds.padStart(6)} s, slowest ${slowest.elapsedMs.toFixed(0)} ms: ${shown}`,
  )
}
