import { dropInsIn } from '../../host/paths-in.ts'
import { dirname, normalize } from 'node:path'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { defined } from '../../model/defined.ts'
import { ANY_KEY, type Assignment } from '../assignment.ts'
import { expandGlob } from '../glob.ts'
import type { ConfigFiles, Effective, KeyRules } from '../surface.ts'
import { isInProgram, isThere } from '../reading.ts'
import { isKnownParameter, presentName, takesValue } from './parameters.ts'
import { postgresqlFormat } from './format.ts'
import { DIRECTORY, readClusterOptions, readServiceOptions } from './options.ts'

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
  /** The parameters on the command line of a service of its own. */
  readonly options?: readonly Assignment[]
}

/** All clusters of the machine: those in the usual places, and those that a service names. */
export function clustersOf(files: ConfigFiles): Reading<readonly Cluster[]> {
  const services = readServiceOptions(files)
  if (services.kind === 'unknown') return services
  const optionsOf = new Map<string, readonly Assignment[]>()
  for (const options of services.value) {
    const main = mainOf(options)
    if (main !== undefined) optionsOf.set(main, options)
  }
  const mains: string[] = []
  for (const pattern of [...MAINS, ...optionsOf.keys()]) {
    const paths = expandGlob(files, pattern)
    if (paths.kind === 'unknown') return paths
    for (const path of paths.value) {
      const seen = files.exists(path)
      if (seen.kind === 'unknown') return seen
      if (seen.value && !mains.includes(path)) mains.push(path)
    }
  }
  return known(
    mains.map((main) => {
      const name = dirname(main).replace(/^\/etc\/postgresql\//, '')
      const scope = mains.length > 1 ? `cluster ${name}` : undefined
      return { name, main, ...defined({ scope, options: optionsOf.get(main) }) }
    }),
  )
}

function mainOf(options: readonly Assignment[]): string | undefined {
  const directory = lastOf(options, DIRECTORY)?.value
  const main = lastOf(options, 'config_file')?.value ?? (directory && `${directory}/postgresql.conf`)
  return main === undefined ? undefined : normalize(main)
}

/** The major version of a cluster: 9 for 9.6, and 0 if unknown. */
export function versionOf(files: ConfigFiles, { name, main }: Cluster): number {
  const inName = /^(\d+)\//.exec(name)?.[1]
  if (inName !== undefined) return Number(inName)
  const text = files.text(`${dirname(main)}/PG_VERSION`)
  return text.kind === 'known' ? Number.parseInt(text.value ?? '0', 10) : 0
}

/** The server program of a cluster, if it is installed: of Debian, of PostgreSQL's own packages, or of others. */
export function programOf(files: ConfigFiles, cluster: Cluster): string | undefined {
  const version = versionOf(files, cluster)
  const isDebian = cluster.main.startsWith('/etc/postgresql/')
  const programs = isDebian
    ? [`/usr/lib/postgresql/${version}/bin/postgres`]
    : [`/usr/pgsql-${version}/bin/postgres`, '/usr/bin/postgres']
  return programs.find((program) => isThere(files, program))
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

/** The parameters on the command line of the cluster's server. */
export function readOptions(files: ConfigFiles, { main, options }: Cluster): Reading<readonly Assignment[]> {
  return options === undefined ? readClusterOptions(files, main) : known(options)
}

/** The assignments of the main file with its includes, followed by those of `ALTER SYSTEM` and of the command line. */
export function readConfiguration(files: ConfigFiles, cluster: Cluster): Reading<readonly Assignment[]> {
  const { main } = cluster
  const own = readOptions(files, cluster)
  if (own.kind === 'unknown') return own
  const all: Assignment[] = []
  const inMain = readFile(files, { path: main, depth: 0, mayBeAbsent: false }, all)
  if (inMain !== undefined) return inMain
  const auto = `${dataDirectory(main, [...all, ...own.value])}/postgresql.auto.conf`
  const inAuto = readFile(files, { path: auto, depth: 0, mayBeAbsent: true }, all)
  if (inAuto !== undefined) return inAuto
  // The server does not look at a value that a later line with the same spelling of the name overrides.
  const last = new Map(all.map((each) => [each.key, each]))
  const invalid = [...last.values()].find((each) => !takesValue(each))
  if (invalid === undefined) return known([...all, ...own.value])
  const { file, line, key, value } = invalid
  return unknown('invalid', `${file}:${line}: "${value}" is not a valid ${key}, so the server does not start`)
}

export function dataDirectory(main: string, assignments: readonly Assignment[]): string {
  const data = lastOf(assignments, 'data_directory') ?? lastOf(assignments, DIRECTORY)
  return resolveIn(dirname(main), data?.value ?? dirname(main))
}

/** The last assignment of a key, ignoring case. */
export function lastOf(assignments: readonly Assignment[], key: string): Assignment | undefined {
  return assignments.findLast((each) => each.key.toLowerCase() === key.toLowerCase())
}

export function resolveIn(directory: string, path: string): string {
  return path.startsWith('/') ? path : `${directory}/${path}`
}

interface Inclusion {
  readonly path: string
  readonly depth: number
  readonly mayBeAbsent: boolean
  /** Receives the directories of `include_dir`. */
  readonly directories?: Set<string>
}

type Problem = ReturnType<typeof unknown>

function readFile(
  files: ConfigFiles,
  { path, depth, mayBeAbsent, directories = new Set() }: Inclusion,
  all: Assignment[],
): Problem | undefined {
  if (depth > DEEPEST)
    return unknown('invalid', `${path}: includes are nested too deeply, so PostgreSQL does not start`)
  const text = files.text(path)
  if (text.kind === 'unknown') return text
  if (text.value === null)
    return mayBeAbsent ? undefined : unknown('invalid', `${path} does not exist, so PostgreSQL does not start`)
  const kind = files.kind(path)
  if (kind.kind === 'known' && kind.value === 'directory')
    return unknown('invalid', `${path} is a directory, so PostgreSQL does not start`)
  const parsed = postgresqlFormat.parse(text.value, path)
  if (parsed.kind === 'unknown') return parsed
  for (const assignment of parsed.value) {
    // One invalid line makes the server reject the whole configuration.
    if (assignment.unclear !== undefined) return unknown('invalid', `${path}:${assignment.line}: ${assignment.unclear}`)
    if (!isParameter(files, assignment.key))
      return unknown(
        'invalid',
        `${path}:${assignment.line}: ${assignment.key} is not a configurable parameter, so the server does not start`,
      )
    const included = includedBy(files, assignment)
    if (included.kind === 'unknown') return included
    if (included.value === undefined) all.push({ ...assignment, key: presentName(assignment.key) })
    const word = assignment.key.toLowerCase()
    if (word === 'include_dir') directories.add(resolveIn(dirname(path), assignment.value))
    const isOptional = word === 'include_if_exists'
    for (const each of included.value ?? []) {
      const problem = readFile(files, { path: each, depth: depth + 1, mayBeAbsent: isOptional, directories }, all)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

/** Parameters that only show what the server is. */
const INTERNAL =
  /^(?:block_size|data_checksums|data_directory_mode|debug_assertions|in_hot_standby|integer_datetimes|is_superuser|lc_collate|lc_ctype|max_(?:function_args|identifier_length|index_keys)|segment_size|server_(?:encoding|version|version_num)|shared_memory_size(?:_in_huge_pages)?|ssl_library|wal_(?:block|segment)_size)$/

/** Whether every installed server knows the parameter. A name with a dot belongs to an extension. */
function isParameter(files: ConfigFiles, written: string): boolean {
  const key = written.toLowerCase()
  if (INTERNAL.test(key)) return false
  if (key.includes('.') || /^include(?:_dir|_if_exists)?$/.test(key) || isKnownParameter(key)) return true
  const programs = expandGlob(files, '/usr/lib/postgresql/*/bin/postgres')
  return programs.kind === 'unknown' || programs.value.every((program) => isInProgram(files, program, key))
}

/** The files included by a line; undefined if it includes none. */
function includedBy(files: ConfigFiles, { key, value, file }: Assignment): Reading<readonly string[] | undefined> {
  const word = key.toLowerCase()
  if (!/^include(?:_dir|_if_exists)?$/.test(word)) return known(undefined)
  const path = resolveIn(dirname(file), value)
  return word === 'include_dir' ? filesIn(files, path) : known([path])
}

export function includedDirectories(files: ConfigFiles): Reading<readonly string[]> {
  const clusters = clustersOf(files)
  if (clusters.kind === 'unknown') return clusters
  const found = new Set<string>()
  for (const cluster of clusters.value) {
    const problem = readFile(files, { path: cluster.main, depth: 0, mayBeAbsent: false, directories: found }, [])
    if (problem !== undefined) return problem
  }
  return known([...found])
}

/** The `.conf` files of a directory, sorted by character code. */
export function filesIn(files: ConfigFiles, directory: string): Reading<readonly string[]> {
  const names = files.names(directory)
  if (names.kind === 'unknown') return names
  if (names.value === null) return unknown('invalid', `${directory} does not exist, so PostgreSQL does not start`)
  return dropInsIn(files, [directory.replace(/\/$/, '')], (name) => name.endsWith('.conf') && !name.startsWith('.'))
}
