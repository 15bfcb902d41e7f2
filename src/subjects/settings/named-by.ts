import { dirname, basename, isAbsolute, normalize } from 'node:path'
import { known, type Reading, type Unknown, unknown } from '../../model/observation.ts'
import { auditd } from '../auditd/settings.ts'
import type { KeyName } from '../../settings/assignment.ts'
import { assignmentsIn, effectiveOf, valueOf } from '../../settings/effective.ts'
import { anyExists } from '../../settings/reading.ts'
import { nginx } from '../../settings/nginx/index.ts'
import { type Placed, readPlaced } from '../../settings/nginx/read.ts'
import { pgHba } from '../../settings/postgresql/hba.ts'
import { postgresql } from '../../settings/postgresql/index.ts'
import { readSshdFiles, sshd } from '../sshd/index.ts'
import { rsyslog } from '../../settings/rsyslog.ts'
import type { NamingProgram } from './naming-programs.ts'
import { rsyslogFiles } from '../../settings/rsyslog-files.ts'
import { shellSettings } from '../shell-startup/index.ts'
import type { ConfigFiles, Surface } from '../../settings/surface.ts'

/** The paths in a configuration. */
export interface NamedPaths {
  /** Absolute paths without duplicates. The files may not exist. */
  readonly paths: readonly string[]
  /** Values that should be absolute paths but are not. */
  readonly strays: readonly string[]
  /** Why the list may be incomplete. */
  readonly unclear: readonly Unknown[]
}

const NAMERS: Readonly<
  Record<NamingProgram, readonly [Pick<Surface, 'installed'>, (files: ConfigFiles) => Reading<NamedPaths>]>
> = {
  auditd: [auditd, namedByAuditd],
  rsyslog: [rsyslog, namedByRsyslog],
  root_path: [shellSettings, namedByPath],
  docker_key: [{ installed: (files) => anyExists(files, [DAEMON_JSON]) }, namedByDocker],
  sshd_config: [sshd, (files) => namedByReading(readSshdFiles(files))],
  sshd_host_keys: [sshd, namedByHostKeys],
  sshd_banner: [sshd, namedByBanner],
  nginx_config: [nginx, (files) => namedByReading(readBy(files, nginx))],
  nginx_keys: [nginx, namedByNginxKeys],
  postgresql_config: [postgresql, (files) => namedByReading(readBy(files, pgHba))],
  postgresql_hba: [postgresql, namedByHba],
}

/** The paths in the configuration of the program; null if the program is known to be absent. */
export function namedBy(program: NamingProgram, files: ConfigFiles): Reading<NamedPaths | null> {
  const [surface, read] = NAMERS[program]
  const installed = surface.installed(files)
  if (installed.kind === 'unknown') return installed
  return installed.value ? read(files) : known(null)
}

/** The effective values of a key in the files. */
function readEffective(surface: Surface, files: ConfigFiles, key: KeyName): ReturnType<typeof effectiveOf> {
  const assignments = assignmentsIn(files, surface)
  return assignments.kind === 'unknown' ? assignments : effectiveOf(surface, assignments.value, key)
}

/** The log directory, the log file and its rotated files. */
function namedByAuditd(files: ConfigFiles): Reading<NamedPaths> {
  const key = { section: '', key: 'log_file' }
  const effective = readEffective(auditd, files, key)
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

/** The private key of the daemon, at any path. @see dockerd(8), --tlskey */
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

/** The elements of PATH in every login shell of root. */
function namedByPath(files: ConfigFiles): Reading<NamedPaths> {
  const key = { section: '', key: 'PATH' }
  const effective = readEffective(shellSettings, files, key)
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

/** The files of a surface. */
function readBy(files: ConfigFiles, { read }: Pick<Surface, 'read'>): Reading<readonly string[]> {
  const paths: string[] = []
  const found = read({
    ...files,
    text(path) {
      const text = files.text(path)
      if (text.kind === 'known' && text.value !== null) paths.push(path)
      return text
    },
  })
  return found.kind === 'unknown' ? found : known(paths)
}

function namedByReading(paths: Reading<readonly string[]>): Reading<NamedPaths> {
  return paths.kind === 'unknown' ? paths : known({ paths: unique(paths.value), strays: [], unclear: [] })
}

/** The host keys, or the default ones if the configuration sets none. @see sshd_config(5), HostKey */
function namedByHostKeys(files: ConfigFiles): Reading<NamedPaths> {
  const assignments = assignmentsIn(files, sshd)
  if (assignments.kind === 'unknown') return assignments
  const named = assignments.value.filter(({ key }) => key === 'HostKey').map(({ value }) => value)
  return namedByReading(known(named.length > 0 ? named : USUAL_KEYS))
}

const USUAL_KEYS = ['rsa', 'ecdsa', 'ed25519'].map((kind) => `/etc/ssh/ssh_host_${kind}_key`)

/** The banner before authentication. A file without text shows no banner. @see sshd_config(5), Banner */
function namedByBanner(files: ConfigFiles): Reading<NamedPaths> {
  const key = { section: '', key: 'Banner' }
  const effective = readEffective(sshd, files, key)
  if (effective.kind === 'unknown') return effective
  const values = unique(effective.value.map((each) => valueOf(each, sshd.rulesOf(key)) ?? 'none'))
  const named = values.filter((value) => value !== 'none')
  const paths = named.filter(isAbsolute)
  return known({
    paths,
    strays: named.filter((value) => !isAbsolute(value)),
    unclear: paths.flatMap((path) => blank(files, path)),
  })
}

function blank(files: ConfigFiles, path: string): readonly Unknown[] {
  const text = files.text(path)
  const isBlank = text.kind === 'known' && text.value !== null && text.value.trim() === ''
  return isBlank ? [unknown('invalid', `${path} holds no text, so nothing is shown`)] : []
}

/** @see https://nginx.org/en/docs/http/ngx_http_ssl_module.html#ssl_certificate_key */
function namedByNginxKeys(files: ConfigFiles): Reading<NamedPaths> {
  const placed = readPlaced(files)
  if (placed.kind === 'unknown') return placed
  const keys = keysIn(placed.value)
  const unclear = keys
    .filter(({ path }) => path.includes('$'))
    .map(({ path, file, line }) => unknown('not-observable', `${file}:${line}: which key ${path} is, is not known`))
  const paths = keys.filter(({ path }) => !/[$]|^(?:data|engine|store):/.test(path)).map(({ path }) => path)
  return known({
    paths: unique(paths.map((path) => (isAbsolute(path) ? path : `/etc/nginx/${path}`))),
    strays: [],
    unclear,
  })
}

function keysIn(
  placed: readonly Placed[],
): readonly { readonly path: string; readonly file: string; readonly line: number }[] {
  return placed.flatMap(({ name, args: [path], file, line, block }) => [
    ...(name.endsWith('ssl_certificate_key') && path !== undefined ? [{ path, file, line }] : []),
    ...keysIn(block ?? []),
  ])
}

/** The HBA and ident map files of each cluster. */
function namedByHba(files: ConfigFiles): Reading<NamedPaths> {
  const all = readBy(files, pgHba)
  if (all.kind === 'unknown') return all
  const own = readBy(files, postgresql)
  if (own.kind === 'unknown') return own
  const settings = assignmentsIn(files, postgresql)
  if (settings.kind === 'unknown') return settings
  const names = settings.value.filter(({ key, value }) => key === 'ident_file' && isAbsolute(value))
  return namedByReading(
    known([...all.value.filter((path) => !own.value.includes(path)), ...names.map(({ value }) => value)]),
  )
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map((path) => normalize(path)))]
}
