// Makes small changes in the sources, one at a time, and looks whether a test notices: what none notices may break unseen.
// `npm run mutate -- [--sample N] [--seed N] [--only TEXT] [--in-process]`: so many mutants, chosen by the seed, of the files
// whose path holds the text; without options all of them, and with the tests that run the built command as well. Prints
// those that survive, with their places, and the score.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openCommand } from './mutate/command.mjs'
import { typeChecker } from './mutate/compiles.mjs'
import { mutantsOf } from './mutate/instrument.mjs'
import { judge, judgeCommand } from './mutate/judge.mjs'
import { openSession } from './mutate/session.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What is written by hand. */
const SOURCES = /^src\/(?!.*(\/generated\/|\.d\.ts$))/

/** Mutants that no test can notice, each with the reason. */
const EQUIVALENT = JSON.parse(readFileSync(join(root, 'scripts/mutate/equivalent.json'), 'utf8'))

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    'in-process': { type: 'boolean', default: false },
  },
})
const [size, seed] = [Number(values.sample), Number(values.seed)]
if (!(size > 0) || !Number.isInteger(seed)) {
  console.error('usage: npm run mutate -- [--sample N] [--seed N] [--only TEXT] [--in-process]')
  process.exit(1)
}

const all = everyMutant()
const chosen = shuffled(all)
  .slice(0, Math.min(size, all.length))
  .map((mutant, index) => ({ ...mutant, id: index + 1 }))
const noticeable = chosen.filter((mutant) => !isEquivalent(mutant))
const mutants = noticeable.filter(typeChecker(root))
console.log(
  `${mutants.length} of ${all.length} mutants, seed ${seed}; ${noticeable.length - mutants.length} more do not compile`,
)
const here = await used(openSession, mutants, judge)
const inProcess = mutants.length - here.survivors.length
console.error(`${inProcess} of ${mutants.length} noticed by the tests that run in one process`)
const there =
  values['in-process'] || here.survivors.length === 0 ? here : await used(openCommand, here.survivors, judgeCommand)
report({
  survivors: there.survivors,
  broken: [...here.broken, ...there.broken],
  reached: new Set([...here.reached, ...there.reached]),
})

/** Opens what runs tests on mutants, and closes it when they are judged. */
async function used(open, list, judged) {
  const opened = await open(byPath(list))
  try {
    return await judged(opened, list)
  } finally {
    await opened.close()
  }
}

function everyMutant() {
  const paths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name}`)
    .filter((path) => path.endsWith('.ts') && SOURCES.test(path) && path.includes(values.only))
  return paths.toSorted().flatMap((path) => mutantsOf(path, readFileSync(join(root, path), 'utf8')))
}

function byPath(list) {
  const groups = new Map()
  for (const mutant of list) groups.set(mutant.path, [...(groups.get(mutant.path) ?? []), mutant])
  return groups
}

/** In an order that the seed alone decides. @see https://en.wikipedia.org/wiki/Fisher-Yates_shuffle */
function shuffled(list) {
  const result = [...list]
  let state = seed
  for (let last = result.length - 1; last > 0; last--) {
    // The generator of C's standard library, as POSIX shows it.
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    const other = Math.floor((state / 2 ** 32) * (last + 1))
    ;[result[last], result[other]] = [result[other], result[last]]
  }
  return result
}

function isEquivalent({ code, original, replacement }) {
  return EQUIVALENT.some((each) => each.code === code && each.original === original && each.replacement === replacement)
}

function report({ survivors, broken, reached }) {
  const inOrder = survivors.toSorted(
    (left, right) => left.path.localeCompare(right.path) || left.line - right.line || left.column - right.column,
  )
  for (const { path, line, column, code, form, original, replacement, id } of inOrder) {
    const what = form === 'expression' ? `${original} -> ${replacement}` : `without the ${form}`
    console.log(`${path}:${line}:${column}${reached.has(id) ? '' : ' (no test comes here)'}\n  ${code}\n  ${what}`)
  }
  for (const name of new Set(broken)) console.log(`fails without any mutant, so it was left out: ${name}`)
  const killed = mutants.length - survivors.length
  const score = ((100 * killed) / mutants.length).toFixed(1)
  console.log(
    `${killed} of ${mutants.length} noticed: ${score} %, ${chosen.length - noticeable.length} cannot be noticed`,
  )
}
