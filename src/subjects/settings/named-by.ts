import { dirname, basename, isAbsolute, normalize } from 'node:path'
import { known, type Reading, type Unknown, unknown } from '../../model/observation.ts'
import { auditd } from '../auditd/settings.ts'
import { effectiveOf, valueOf } from '../../settings/effective.ts'
import { anyExists } from '../../settings/reading.ts'
import { rsyslog } from '../../settings/rsyslog.ts'
import { rsyslogFiles } from '../../settings/rsyslog-files.ts'
import { shellSettings } from '../shell-startup/index.ts'
import type { ConfigFiles, Surface } from '../../settings/surface.ts'

/** What names files or directories. */
export type NamingProgram = 'auditd' | 'rsyslog' | 'root_path' | 'docker_key'

/** What a configuration names. */
export interface NamedPaths {
  /** Absolute ones, each once. Nothing may be there. */
  readonly paths: readonly string[]
  /** What stands where an absolute path has to. */
  readonly strays: readonly string[]
  /** Why there may be more. */
  readonly unclear: readonly Unknown[]
}

const NAMERS: Readonly<
  Record<NamingProgram, readonly [Pick<Surface, 'installed'>, (files: ConfigFiles) => Reading<NamedPaths>]>
> = {
  auditd: [auditd, namedByAuditd],
  rsyslog: [rsyslog, namedByRsyslog],
  root_path: [shellSettings, namedByPath],
  docker_key: [{ installed: (files) => anyExists(files, [DAEMON_JSON]) }, namedByDocker],
}

/** What the configuration of the program names; null where it is proved that the program is not there. */
export function namedBy(program: NamingProgram, files: ConfigFiles): Reading<NamedPaths | null> {
  const [surface, read] = NAMERS[program]
  const installed = surface.installed(files)
  if (installed.kind === 'unknown') return installed
  return installed.value ? read(files) : known(null)
}

/** The directory of the log, and in it the log and those that it was before. */
function namedByAuditd(files: ConfigFiles): Reading<NamedPaths> {
  const key = { section: '', key: 'log_file' }
  const assignments = auditd.read(files)
  if (assignments.kind === 'unknown') return assignments
  const effective = effectiveOf(auditd, assignments.value, key)
  if (effective.kind === 'unknown') return effective
  const log = valueOf(effective.value[0], auditd.rulesOf(key)) ?? ''
  if (!isAbsolute(log)) return unknown('invalid', `/etc/audit/auditd.conf: log_file is "${log}", no absolute path`)
  const directory = dirname(normalize(log))
  const names = files.names(directory)
  if (names.kind === 'unknown') return names
  const logs = (names.value ?? []).filter((name) => name.startsWith(basename(log)))
  return known({ paths: [directory, ...logs.map((name) => `${directory}/${name}`)], strays: [], unclear: [] })
}

const RSYSLOG_CONF = '/etc/rsyslog.conf'

function namedByRsyslog(files: ConfigFiles): Reading<NamedPaths> {
  const text = files.text(RSYSLOG_CONF)
  if (text.kind === 'unknown') return text
  if (text.value === null)
    return unknown('not-observable', `${RSYSLOG_CONF} is not there, so what is written is not known`)
  const written = rsyslogFiles(files, RSYSLOG_CONF)
  if (written.kind === 'unknown') return written
  const { paths, unclear } = written.value
  return known({ paths: unique(paths), strays: [], unclear })
}

const DAEMON_JSON = '/etc/docker/daemon.json'

/** The private key of the daemon, which may lie anywhere. @see dockerd(8), --tlskey */
function namedByDocker(files: ConfigFiles): Reading<NamedPaths> {
  const text = files.text(DAEMON_JSON)
  if (text.kind === 'unknown') return text
  const key = readTlsKey(text.value ?? '{}')
  if (key === undefined) return unknown('invalid', `${DAEMON_JSON} is not JSON: dockerd refuses it`)
  return known({ paths: key.filter(isAbsolute), strays: key.filter((path) => !isAbsolute(path)), unclear: [] })
}

function readTlsKey(text: string): readonly string[] | undefined {
  try {
    const read = JSON.parse(text) as { readonly tlskey?: unknown } | null
    return typeof read?.tlskey === 'string' ? [read.tlskey] : []
  } catch {
    return undefined
  }
}

/** The elements of the PATH of every login shell of root. */
function namedByPath(files: ConfigFiles): Reading<NamedPaths> {
  const key = { section: '', key: 'PATH' }
  const assignments = shellSettings.read(files)
  if (assignments.kind === 'unknown') return assignments
  const effective = effectiveOf(shellSettings, assignments.value, key)
  if (effective.kind === 'unknown') return effective
  const rules = shellSettings.rulesOf(key, files)
  const elements = new Set<string>()
  const unclear: Unknown[] = []
  for (const each of effective.value) {
    const { scope = 'a shell of root', doubt } = each
    if (doubt !== undefined) unclear.push(unknown('not-observable', `the PATH of ${scope}: ${doubt}`))
    const isUnclear = each.winners.some((winner) => winner.unclear !== undefined)
    if (!isUnclear) for (const element of (valueOf(each, rules) ?? '').split(':')) elements.add(element)
  }
  const written = [...elements]
  return known({
    paths: unique(written.filter((each) => isAbsolute(each))),
    strays: written.filter((each) => !isAbsolute(each)),
    unclear,
  })
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map((path) => normalize(path)))]
}
