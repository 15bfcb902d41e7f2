import { withBlanksOfC } from '../blanks.ts'
import { dirname } from 'node:path'
import { defined } from '../../model/defined.ts'
import { type Reading, mapReading } from '../../model/observation.ts'
import type { KeyName } from '../assignment.ts'
import { anyExists } from '../reading.ts'
import { type Activation, type ConfigFiles, type KeyRules, OWN_HEAD, type Surface, type Writing } from '../surface.ts'
import {
  type Cluster,
  clustersOf,
  inEachCluster,
  programOf,
  readConfiguration,
  resolveClusters,
  versionOf,
} from './clusters.ts'
import { postgresqlFormat } from './format.ts'
import { KNOWN_FROM, loggedConnections, parameterNamed } from './parameters.ts'
import { askServers } from './witness.ts'

/** The PostgreSQL servers of the machine. */
export const postgresql: Surface = {
  name: 'postgresql',
  summary:
    'For each cluster: `postgresql.conf` with its includes in order, then `postgresql.auto.conf` in the data directory, then the options of the service and of `pg_ctl.conf`; the last value of a parameter wins. A fix writes `conf.d/zz-driftgate.conf` if the main file includes that directory, as on Debian, otherwise it edits the main file, and reloads. Parameters that require a restart take effect at the next one.',
  installed: (files) => isInstalled(files),
  keyOf: (text) =>
    /^[a-z_]\w*(?:\.[a-z_]\w*)?$/i.test(text)
      ? { section: '', key: text.toLowerCase() }
      : { problem: 'must be a parameter such as log_connections' },
  sameKey: (left, right) => left.key.toLowerCase() === right.key.toLowerCase(),
  rulesOf,
  read: (files) => inEachCluster(files, (cluster) => readConfiguration(files, cluster)),
  resolve: resolveClusters,
  writes,
  witness: (files, key) => askServers(files, key.key.toLowerCase(), rulesOf(key, files).default),
  activation: (_files, key) => activationOf(key),
}

/** Whether there is a cluster: a client alone has no server settings. */
export function isInstalled(files: ConfigFiles): Reading<boolean> {
  return mapReading(clustersOf(files), (clusters) => clusters.length > 0)
}

function rulesOf({ key }: KeyName, files?: ConfigFiles): KeyRules {
  const { order, default: builtIn } = parameterNamed(key)
  if (files === undefined) return { order, wins: 'last', ...defined({ default: builtIn }) }
  const versions = versionsOf(files)
  const isKnown = versions.every((version) => version >= KNOWN_FROM)
  const own = key.toLowerCase() === 'log_connections' ? loggedConnections(versions) : order
  return { order: own, wins: 'last', ...defined({ default: isKnown ? builtIn : undefined }) }
}

function versionsOf(files: ConfigFiles): readonly number[] {
  const clusters = clustersOf(files)
  return clusters.kind === 'unknown' ? [0] : clusters.value.map((each) => versionOf(files, each))
}

function writes(files: ConfigFiles): Writing {
  const clusters = clustersOf(files)
  const [cluster] = clusters.kind === 'known' ? clusters.value : []
  const main = cluster?.main ?? '/etc/postgresql/postgresql.conf'
  const dropIns = `${dirname(main)}/conf.d`
  const own = anyExists(files, [dropIns])
  const check = checkOf(files, cluster)
  const isIncluded = own.kind === 'known' && own.value && includesDropIns(files, main)
  if (!isIncluded) return { file: main, format: postgresqlFormat, ...check }
  return { file: `${dropIns}/zz-driftgate.conf`, format: postgresqlFormat, head: OWN_HEAD, ...check }
}

function includesDropIns(files: ConfigFiles, main: string): boolean {
  const text = files.text(main)
  return (
    text.kind === 'known' &&
    withBlanksOfC(/^\s*include_dir\s*=?\s*'?(?:\/\S+\/)?conf\.d'?\s*(?:#.*)?$/m).test(text.value ?? '')
  )
}

/** The server program checks all values without starting. */
function checkOf(files: ConfigFiles, cluster: Cluster | undefined): Pick<Writing, 'check'> {
  const program = cluster && programOf(files, cluster)
  if (program === undefined) return {}
  return { check: (candidate) => [program, '-C', 'port', '-c', `config_file=${candidate}`, '-D', dirname(candidate)] }
}

/** Whether a reload suffices, or a restart is necessary, which ends sessions. */
function activationOf(key: KeyName): Activation {
  return parameterNamed(key.key).atStart === true
    ? { kind: 'reboot', why: `PostgreSQL reads ${key.key} only at start: restart it when its sessions may end` }
    : { kind: 'reload', unit: 'postgresql.service' }
}
