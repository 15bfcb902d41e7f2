import { dirname } from 'node:path'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { defined } from '../../model/defined.ts'
import { ANY_KEY, type Assignment } from '../assignment.ts'
import { expandGlob } from '../glob.ts'
import type { ConfigFiles, Effective, KeyRules } from '../surface.ts'
import { isInProgram } from '../reading.ts'
import { isKnownParameter } from './parameters.ts'
import { postgresqlFormat } from './format.ts'

/** Main files of clusters on Debian and Red Hat, in PostgreSQL's own packages, and on Arch. */
const MAINS = [
  '/etc/postgresql/*/*/postgresql.conf',
  '/var/lib/pgsql/data/postgresql.conf',
  '/var/lib/pgsql/*/data/postgresql.conf',
  '/var/lib/postgres/data/postgresql.conf',
]

/** Maximum depth of includes, as in PostgreSQL. */
const DEEPEST = 10

/** A database server with a configuration of its own. */
export interface Cluster {
  /** `15/main`, or the directory of its main file. */
  readonly name: string
  readonly main: string
  /** The scope of its assignments, if there are several clusters. */
  readonly scope?: string
}

/** All clusters of the machine; those with a main file elsewhere are not found. */
export function clustersOf(files: ConfigFiles): Reading<readonly Cluster[]> {
  const mains: string[] = []
  for (const pattern of MAINS) {
    const paths = expandGlob(files, pattern)
    if (paths.kind === 'unknown') return paths
    for (const path of paths.value) {
      const seen = files.exists(path)
      if (seen.kind === 'unknown') return seen
      if (seen.value) mains.push(path)
    }
  }
  return known(
    mains.map((main) => {
      const name = dirname(main).replace(/^\/etc\/postgresql\//, '')
      return { name, main, ...defined({ scope: mains.length > 1 ? `cluster ${name}` : undefined }) }
    }),
  )
}

/** The assignments of every cluster that `read` finds, each followed by a marker that the cluster exists. */
export function inEachCluster(
  files: ConfigFiles,
  read: (cluster: Cluster) => Reading<readonly Assignment[]>,
): Reading<readonly Assignment[]> {
  const clusters = clustersOf(files)
  if (clusters.kind === 'unknown') return clusters
  const all: Assignment[] = []
  for (const cluster of clusters.value) {
    const found = read(cluster)
    if (found.kind === 'unknown') return found
    const scope = defined({ scope: cluster.scope })
    all.push(...found.value.map((each) => ({ ...each, ...scope })))
    all.push({ section: '', key: ANY_KEY, value: '', file: cluster.main, line: 0, ...scope })
  }
  return known(all)
}

/** The effective value in each cluster. */
export function resolveClusters(
  assignments: readonly Assignment[],
  { wins }: KeyRules,
): readonly [Effective, ...Effective[]] {
  const scopes = new Set(assignments.map(({ scope }) => scope))
  const [first, ...others] = [...scopes].map((scope): Effective => {
    const own = assignments.filter((each) => each.scope === scope && each.key !== ANY_KEY)
    const winners = wins === 'all' ? own : own.slice(-1)
    const losers = own.filter((each) => !winners.includes(each))
    return { ...defined({ scope }), ...(scope === undefined ? {} : { standsAlone: true }), winners, losers }
  })
  return [first ?? { winners: [], losers: [] }, ...others]
}

/** The assignments of the main file with its includes, followed by those of `ALTER SYSTEM`. */
export function readConfiguration(files: ConfigFiles, { main }: Cluster): Reading<readonly Assignment[]> {
  const all: Assignment[] = []
  const problem = readFile(files, { path: main, depth: 0, mayBeAbsent: false }, all)
  if (problem !== undefined) return problem
  const data = lastOf(all, 'data_directory')
  const auto = `${resolved(dirname(main), data?.value ?? dirname(main))}/postgresql.auto.conf`
  return readFile(files, { path: auto, depth: 0, mayBeAbsent: true }, all) ?? known(all)
}

/** The last assignment of a key, ignoring case. */
export function lastOf(assignments: readonly Assignment[], key: string): Assignment | undefined {
  return assignments.findLast((each) => each.key.toLowerCase() === key)
}

/** Resolves a path in a file of that directory. */
export function resolved(directory: string, path: string): string {
  return path.startsWith('/') ? path : `${directory}/${path}`
}

interface Inclusion {
  readonly path: string
  readonly depth: number
  readonly mayBeAbsent: boolean
}

type Problem = ReturnType<typeof unknown>

function readFile(files: ConfigFiles, { path, depth, mayBeAbsent }: Inclusion, all: Assignment[]): Problem | undefined {
  if (depth > DEEPEST) return unknown('invalid', `${path} is included too deep: PostgreSQL refuses that`)
  const text = files.text(path)
  if (text.kind === 'unknown') return text
  if (text.value === null)
    return mayBeAbsent ? undefined : unknown('invalid', `${path} is not there: PostgreSQL refuses that`)
  const parsed = postgresqlFormat.parse(text.value, path)
  if (parsed.kind === 'unknown') return parsed
  for (const assignment of parsed.value) {
    // One invalid line makes the server reject the whole configuration.
    if (assignment.unclear !== undefined) return unknown('invalid', `${path}:${assignment.line}: ${assignment.unclear}`)
    if (!isParameter(files, assignment.key))
      return unknown(
        'invalid',
        `${path}:${assignment.line}: ${assignment.key} is no parameter, so the server does not start`,
      )
    const included = includedBy(files, assignment)
    if (included.kind === 'unknown') return included
    if (included.value === undefined) all.push(assignment)
    const isOptional = assignment.key.toLowerCase() === 'include_if_exists'
    for (const each of included.value ?? []) {
      const problem = readFile(files, { path: each, depth: depth + 1, mayBeAbsent: isOptional }, all)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

/** Whether every installed server knows the parameter. A name with a dot belongs to an extension. */
function isParameter(files: ConfigFiles, written: string): boolean {
  const key = written.toLowerCase()
  if (key.includes('.') || /^include(?:_dir|_if_exists)?$/.test(key) || isKnownParameter(key)) return true
  const programs = expandGlob(files, '/usr/lib/postgresql/*/bin/postgres')
  return programs.kind === 'unknown' || programs.value.every((program) => isInProgram(files, program, key))
}

/** The files included by a line; undefined if it includes none. */
function includedBy(files: ConfigFiles, { key, value, file }: Assignment): Reading<readonly string[] | undefined> {
  const word = key.toLowerCase()
  if (!/^include(?:_dir|_if_exists)?$/.test(word)) return known(undefined)
  const path = resolved(dirname(file), value)
  return word === 'include_dir' ? filesIn(files, path) : known([path])
}

/** The `.conf` files of a directory, sorted by character code. */
export function filesIn(files: ConfigFiles, directory: string): Reading<readonly string[]> {
  const names = files.names(directory)
  if (names.kind === 'unknown') return names
  if (names.value === null) return unknown('invalid', `${directory} is not there: PostgreSQL refuses that`)
  const taken = names.value.filter((name) => name.endsWith('.conf') && !name.startsWith('.'))
  return known(
    taken
      .toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
      .map((name) => `${directory.replace(/\/$/, '')}/${name}`),
  )
}
