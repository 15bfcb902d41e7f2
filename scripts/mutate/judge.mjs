// Which mutants no test notices. How far it is goes to standard error.

/** Tests that take longer are asked only for what all others let pass. */
const SLOW_TEST_MS = 300

/** A test file that was spoilt by a mutant goes on in another process, but not for ever. */
const MOST_STARTS = 40

/** How many test files a mutant is shown to, the nearest ones. What only farther ones would notice counts as a survivor. */
const MOST_RELATED = 40

/** How many test files a mutant of what is evaluated by importing is shown to, for each start takes seconds. */
const MOST_FILES = 6

/**
 * Runs the tests of a session on its mutants.
 * @returns those that survive, the tests that fail without any, and the numbers of the mutants that some test came across
 */
export async function judge(session, mutants) {
  const state = {
    session,
    alive: new Map(mutants.map((mutant) => [mutant.id, mutant])),
    reached: new Set(),
    /** By mutant: the test files that reach it where switching it on while the test runs does not show. */
    needsStart: new Map(),
    deferred: new Map(),
    /** By test file: how many mutants of a source file it covers. */
    covers: new Map(),
    broken: [],
  }
  // Tests of a part alone are faster than those of the whole, and reach less.
  const files = session.files.toSorted(
    (left, right) => session.related(left).size - session.related(right).size || left.localeCompare(right),
  )
  const nearestOf = new Map(
    [...new Set(mutants.map(({ path }) => path))].map((path) => [
      path,
      files
        .filter((file) => session.related(file).has(path))
        .toSorted((left, right) => sharedFolders(path, right) - sharedFolders(path, left))
        .slice(0, MOST_RELATED),
    ]),
  )
  for (const file of files) {
    const candidates = mutants.filter(({ path }) => nearestOf.get(path).includes(file)).map(({ id }) => id)
    await tryFile(state, file, { slowestMs: SLOW_TEST_MS, candidates })
  }
  for (const [file, ids] of state.deferred) {
    await tryFile(state, file, { slowestMs: Infinity, candidates: [...ids] })
  }
  await tryStarts(state)
  return { survivors: [...state.alive.values()], broken: state.broken, reached: state.reached }
}

/** How many folders a source and a test file have in common. Tests of a folder test what is in it, however much they reach. */
function sharedFolders(path, file) {
  const [own, others] = [path, file].map((each) => each.split('/').slice(1))
  return own.findIndex((name, index) => name !== others[index])
}

async function tryFile(state, file, { slowestMs, candidates }) {
  for (let start = 0; start < MOST_STARTS; start++) {
    const left = candidates.filter((id) => state.alive.has(id))
    if (left.length === 0) return
    const { lines, hung } = await state.session.run(file, { candidates: left, active: 0, slowestMs })
    for (const line of lines) note(state, file, line)
    if (hung > 0) state.alive.delete(hung)
    const before = left.length - [...state.alive.keys()].filter((id) => left.includes(id)).length
    console.error(`${file}: ${before} more, ${state.alive.size} left`)
    if (hung === 0) state.broken.push(`${file} hangs`)
    const isComplete = hung === undefined && !lines.some(({ spoilt }) => spoilt)
    if (isComplete || hung === 0) return
  }
  console.error(`${file}: given up`)
}

function note(state, file, { imported, covered, killed, stale, once, deferred, broken }) {
  if (killed !== undefined) state.alive.delete(killed)
  if (broken !== undefined) state.broken.push(`${file}: ${broken}`)
  for (const id of [...(imported ?? []), ...(covered ?? [])]) state.reached.add(id)
  const unseen = [...(imported ?? []), ...(stale === undefined ? [] : [stale]), ...(once ?? [])]
  for (const id of unseen) add(state.needsStart, id, file)
  for (const id of deferred ?? []) add(state.deferred, file, id)
  for (const id of covered ?? []) {
    const path = state.alive.get(id)?.path
    if (path !== undefined) add(state.covers, path, file)
  }
}

function add(map, key, value) {
  if (!map.has(key)) map.set(key, new Set())
  map.get(key).add(value)
}

/** What is evaluated once, when a module is imported or a value first asked for, needs a process for each mutant. */
async function tryStarts(state) {
  for (const [id, files] of state.needsStart) {
    const mutant = state.alive.get(id)
    if (mutant === undefined) continue
    for (const file of nearest(state, mutant, files).slice(0, MOST_FILES)) {
      // Once may be the machine's doing: a test that is slow at the moment, or another one that runs beside it.
      if (!(await failsWith(state, id, file)) || !(await failsWith(state, id, file))) continue
      state.alive.delete(id)
      break
    }
    console.error(
      `${mutant.path}:${mutant.line}: ${state.alive.has(id) ? 'survives' : 'noticed'}, ${state.alive.size} left`,
    )
  }
}

async function failsWith({ session }, id, file) {
  const { ok, hung } = await session.run(file, { candidates: [], active: id, slowestMs: Infinity })
  return !ok || hung !== undefined
}

/** First the test of the file itself, then those that come across others of its mutants. */
function nearest({ covers, session }, { path }, files) {
  const mirror = path.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts')
  const near = covers.get(path) ?? new Set()
  const distance = (file) => (file === mirror ? 0 : near.has(file) ? 1 : 2)
  return [...files].toSorted(
    (left, right) => distance(left) - distance(right) || session.related(left).size - session.related(right).size,
  )
}
