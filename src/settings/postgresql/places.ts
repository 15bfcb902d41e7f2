import { pathsIn } from '../../host/paths-in.ts'
import { known, type Reading, mapReading } from '../../model/observation.ts'
import type { Assignment } from '../assignment.ts'
import type { ConfigFiles } from '../surface.ts'
import { clustersOf, dataDirectory, lastOf, readConfiguration, resolveIn } from './clusters.ts'
import { parameterNamed } from './parameters.ts'

/** The data directory of each cluster, its write-ahead log and its tablespaces, which may be links to other directories. */
export function dataDirectories(files: ConfigFiles): Reading<readonly string[]> {
  return inClusters(files, (data) => {
    const tablespaces = pathsIn(files, [`${data}/pg_tblspc`])
    return mapReading(tablespaces, (paths) => [data, `${data}/pg_wal`, ...paths])
  })
}

/** The private key of each cluster, whether TLS is enabled or not. */
export function keyFiles(files: ConfigFiles): Reading<readonly string[]> {
  return inClusters(files, (data, assignments) =>
    known([resolveIn(data, lastOf(assignments, 'ssl_key_file')?.value ?? 'server.key')]),
  )
}

/** The log files of each cluster that collects its logs itself. */
export function logFiles(files: ConfigFiles): Reading<readonly string[]> {
  return inClusters(files, (data, assignments) => {
    const valueOf = (key: string): string => lastOf(assignments, key)?.value ?? parameterNamed(key).default ?? ''
    if (!parameterNamed('logging_collector').order.equals(valueOf('logging_collector'), 'on')) return known([])
    const directory = resolveIn(data, valueOf('log_directory')).replace(/\/+$/, '')
    const own = ownNames(valueOf('log_filename'))
    // Other programs write to /var/log, and their logs are not those of the server.
    const isLog = (name: string): boolean =>
      own.test(name) || (directory !== '/var/log' && /\.(?:log|csv|json)(?:\.|$)/.test(name))
    return pathsIn(files, [directory], isLog)
  })
}

/** Matches the names of a strftime(3) pattern; csvlog and jsonlog replace the end. */
function ownNames(pattern: string): RegExp {
  const source = pattern
    .replace(/\.log$/, '')
    .replace(/%([YmdHMSyj])|%%|%./gs, (word, number: string | undefined) => {
      if (number !== undefined) return '\0'
      return word === '%%' ? '%' : '\u0001'
    })
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll('\0', '\\d+')
    .replaceAll('\u0001', '[^.]+')
  return new RegExp(`^${source}(?:\\.(?:log|csv|json))?$`)
}

function inClusters(
  files: ConfigFiles,
  read: (data: string, assignments: readonly Assignment[]) => Reading<readonly string[]>,
): Reading<readonly string[]> {
  const clusters = clustersOf(files)
  if (clusters.kind === 'unknown') return clusters
  const all: string[] = []
  for (const cluster of clusters.value) {
    const assignments = readConfiguration(files, cluster)
    if (assignments.kind === 'unknown') return assignments
    const found = read(dataDirectory(cluster.main, assignments.value), assignments.value)
    if (found.kind === 'unknown') return found
    all.push(...found.value)
  }
  return known(all)
}
