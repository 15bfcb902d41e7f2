// Which mutants no test notices. How far it is goes to standard error.

/** Tests that take longer are asked only for what all others let pass. */
const SLOW_TEST_MS = 300

/** Tests that were spoilt by a mutant go on in another process, but not for ever. */
const MOST_STARTS = 200

/** How many of the nearest test files a mutant is shown to first, to slow tests of how many, and to how many in a process of its own. */
const MOST_FILES = 6

/** How many test files that run the built command a mutant is shown to, the fastest ones. */
const MOST_COMMANDS = 3

/**
 * Runs the tests of a session on its mutants.
 * @returns those that survive, the tests that fail without any, and the numbers of the mutants that some test came across
 */
export async function judge(session, mutants) {
  const state = {
    session,
    alive: new Map(mutants.map((mutant) => [mutant.id, mutant])),
    reached: new Set(),
    /** Mutants that some test reaches, but switching them on while it runs does not show. */
    needsStart: new Set(),
    /** By mutant: the test files whose slow tests reach it. */
    deferred: new Map(),
    /** By test file: how many mutants of a source file it covers. */
    covers: new Map(),
    /** By test file: the tests that fail without any mutant. */
    broken: new Map(),
  }
  // Tests of a part alone are faster than those of the whole, and reach less.
  const files = session.files.toSorted(
    (left, right) => session.related(left).size - session.related(right).size || left.localeCompare(right),
  )
  const paths = [...new Set(mutants.map(({ path }) => path))]
  const reaching = new Map(paths.map((path) => [path, files.filter((file) => session.related(file).has(path))]))
  const near = new Set(paths.flatMap((path) => nearest(state, path, reaching.get(path)).slice(0, MOST_FILES)))
  const far = new Set([...reaching.values()].flat().filter((file) => !near.has(file)))
  const limits = { fastestMs: 0, slowestMs: SLOW_TEST_MS }
  await tryFiles(
    state,
    files.filter((file) => near.has(file)),
    limits,
  )
  // What the nearest tests let pass, one of the whole program notices rather than one of another part.
  await tryFiles(
    state,
    files.toReversed().filter((file) => far.has(file)),
    limits,
  )
  const slow = new Map()
  for (const [id, found] of state.deferred) {
    const mutant = state.alive.get(id)
    if (mutant !== undefined)
      for (const file of nearest(state, mutant.path, found).slice(0, MOST_FILES)) add(slow, file, id)
  }
  for (const [file, ids] of slow) {
    await tryFiles(state, [file], { fastestMs: SLOW_TEST_MS, slowestMs: Infinity, candidates: [...ids] })
  }
  await tryStarts(state, reaching)
  const broken = [...state.broken].flatMap(([file, names]) => [...names].map((name) => `${file}: ${name}`))
  return { survivors: [...state.alive.values()], broken, reached: state.reached }
}

/** Runs the tests of the built command on what others let pass, and gives what `judge` gives. */
export async function judgeCommand(command, mutants) {
  const alive = new Map(mutants.map((mutant) => [mutant.id, mutant]))
  const reaching = new Map()
  const broken = []
  for (const file of command.files) {
    const { ok, reached, ms } = await command.learn(file)
    console.error(`${file}: reaches ${reached.size}, ${Math.round(ms)} ms`)
    if (!ok) broken.push(file)
    else for (const id of reached) reaching.set(id, [...(reaching.get(id) ?? []), { file, ms }])
  }
  for (const [id, files] of reaching) {
    for (const { file } of files.toSorted((left, right) => left.ms - right.ms).slice(0, MOST_COMMANDS)) {
      if (!(await isNoticed(() => command.fails(file, id)))) continue
      alive.delete(id)
      break
    }
    console.error(`mutant ${id}: ${alive.has(id) ? 'survives' : 'noticed'} by the command, ${alive.size} left`)
  }
  return { survivors: [...alive.values()], broken, reached: new Set(reaching.keys()) }
}

/** Once may be the machine's doing: a test that is slow at the moment, or another one that runs beside it. */
async function isNoticed(fails) {
  return (await fails()) && (await fails())
}

/** Runs test files one after the other in one process, and in another one what is left of them where a mutant spoilt it. */
async function tryFiles(state, files, { candidates = [...state.alive.keys()], ...limits }) {
  let left = files
  for (let start = 0; start < MOST_STARTS; start++) {
    const alive = candidates.filter((id) => state.alive.has(id))
    if (left.length === 0 || alive.length === 0) return
    const { lines, hung } = await state.session.run(left, { ...limits, candidates: alive, active: 0 })
    const done = new Set()
    let current
    for (const line of lines) {
      current = line.file ?? current
      if (line.done) done.add(current)
      note(state, current, line)
    }
    if (hung > 0) state.alive.delete(hung)
    // Nothing of a file that hangs or ends the process without a mutant counts.
    if (hung === 0 || (hung === undefined && !lines.some(({ spoilt }) => spoilt) && done.size < left.length)) {
      add(state.broken, current, 'hangs')
      done.add(current)
    }
    left = left.filter((file) => !done.has(file))
    console.error(`${current}: ${left.length} files to go, ${state.alive.size} mutants left`)
  }
  console.error(`${left.join(' ')}: given up`)
}

function note(state, file, { imported, covered, killed, stale, once, deferred, broken }) {
  if (killed !== undefined) state.alive.delete(killed)
  if (broken !== undefined) add(state.broken, file, broken)
  for (const id of [...(imported ?? []), ...(covered ?? [])]) state.reached.add(id)
  for (const id of [...(imported ?? []), ...(stale === undefined ? [] : [stale]), ...(once ?? [])])
    state.needsStart.add(id)
  for (const id of deferred ?? []) add(state.deferred, id, file)
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
async function tryStarts(state, reaching) {
  for (const id of state.needsStart) {
    const mutant = state.alive.get(id)
    if (mutant === undefined) continue
    const sound = reaching.get(mutant.path).filter((file) => !state.broken.has(file))
    for (const file of nearest(state, mutant.path, sound).slice(0, MOST_FILES)) {
      if (!(await isNoticed(() => failsWith(state, id, file)))) continue
      state.alive.delete(id)
      break
    }
    console.error(
      `${mutant.path}:${mutant.line}: ${state.alive.has(id) ? 'survives' : 'noticed'}, ${state.alive.size} left`,
    )
  }
}

async function failsWith({ session }, id, file) {
  const { ok, hung } = await session.run([file], { candidates: [], active: id })
  return !ok || hung !== undefined
}

/**
 * First the test of the file itself, then those that come across others of its mutants, then those with the most folders in common:
 * tests of a folder test what is in it, however much they reach.
 */
function nearest({ covers, session }, path, files) {
  const mirror = path.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts')
  const near = covers.get(path) ?? new Set()
  const distance = (file) => (file === mirror ? 0 : near.has(file) ? 1 : 2)
  return [...files].toSorted(
    (left, right) =>
      distance(left) - distance(right) ||
      sharedFolders(path, right) - sharedFolders(path, left) ||
      session.related(left).size - session.related(right).size,
  )
}

/** How many folders a source and a test file have in common. */
function sharedFolders(path, file) {
  const [own, others] = [path, file].map((each) => each.split('/').slice(1))
  return own.findIndex((name, index) => name !== others[index])
}
