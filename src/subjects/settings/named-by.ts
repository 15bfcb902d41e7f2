import { pathsIn } from '../../host/paths-in.ts'
import { trimBlanksOfC } from '../../settings/blanks.ts'
import { dirname, isAbsolute, normalize } from 'node:path'
import { known, type Reading, type Unknown, unknown, mapReading } from '../../model/observation.ts'
import { aide, aideDatabase } from '../../settings/aide.ts'
import { auditd, readAuditdFile } from '../auditd/settings.ts'
import { assignmentsIn, valueOf } from '../../settings/effective.ts'
import { docker } from '../../settings/docker.ts'
import { journalUpload } from '../../settings/journal-upload.ts'
import { nginx } from '../../settings/nginx/index.ts'
import { pgHba } from '../../settings/postgresql/hba.ts'
import { includedDirectories } from '../../settings/postgresql/clusters.ts'
import { postgresql } from '../../settings/postgresql/index.ts'
import { dataDirectories, keyFiles, logFiles } from '../../settings/postgresql/places.ts'
import { readClientFiles, sshClient } from '../sshd/client/index.ts'
import { readSshdFiles, sshd } from '../sshd/index.ts'
import { rsyslog } from '../../settings/rsyslog.ts'
import type { NamingProgram } from './naming-programs.ts'
import { rsyslogFiles } from '../../settings/rsyslog-files.ts'
import { readRsyslogMain } from '../../settings/rsyslog-read.ts'
import { readSudoers, sudoers } from '../sudo/index.ts'
import { shellSettings } from '../shell-startup/index.ts'
import type { ConfigFiles, Surface } from '../../settings/surface.ts'
import {
  namedByDockerConfig,
  namedByDockerData,
  namedByDockerEnvironment,
  namedByDockerTls,
  namedByDockerUnits,
} from './named/docker.ts'
import { namedByNginxFiles, namedByNginxKeys, namedByNginxLogs, namedByNginxPid } from './named/nginx.ts'
import { namedByLogLinks } from './named/log-links.ts'
import {
  namedByReading,
  namedByValues,
  type NamedPaths,
  readBy,
  readEffective,
  rotatedOf,
  unique,
} from './named/paths.ts'
import { namedByPath } from './named/root-path.ts'

const NAMERS: Readonly<
  Record<NamingProgram, readonly [Pick<Surface, 'installed'>, (files: ConfigFiles) => Reading<NamedPaths>]>
> = {
  aide_database: [aide, namedByAide],
  auditd: [auditd, namedByAuditd],
  auditd_config: [auditd, namedByAuditdConfig],
  journal_upload_key: [journalUpload, (files) => namedByUpload(files, ['ServerKeyFile'])],
  journal_upload_certificates: [
    journalUpload,
    (files) => namedByUpload(files, ['ServerCertificateFile', 'TrustedCertificateFile']),
  ],
  rsyslog: [rsyslog, namedByRsyslog],
  log_links: [{ installed: () => known(true) }, namedByLogLinks],
  root_path: [shellSettings, namedByPath],
  docker_config: [docker, namedByDockerConfig],
  docker_units: [docker, namedByDockerUnits],
  docker_environment: [docker, namedByDockerEnvironment],
  docker_key: [docker, (files) => namedByDockerTls(files, { tlskey: 'key' })],
  docker_certificates: [docker, (files) => namedByDockerTls(files, { tlscacert: 'ca', tlscert: 'cert' })],
  docker_data: [docker, namedByDockerData],
  sudoers: [sudoers, namedBySudoers],
  sshd_config: [sshd, (files) => namedByReading(readSshdFiles(files))],
  sshd_host_keys: [sshd, namedByHostKeys],
  sshd_banner: [sshd, namedByBanner],
  ssh_config: [sshClient, (files) => namedByReading(readClientFiles(files))],
  nginx_config: [nginx, namedByNginxFiles],
  nginx_keys: [nginx, namedByNginxKeys],
  nginx_logs: [nginx, namedByNginxLogs],
  nginx_pid: [nginx, namedByNginxPid],
  postgresql_config: [postgresql, namedByPostgresql],
  postgresql_hba: [postgresql, namedByHba],
  postgresql_data: [postgresql, (files) => namedByReading(dataDirectories(files))],
  postgresql_key: [postgresql, (files) => namedByReading(keyFiles(files))],
  postgresql_logs: [postgresql, (files) => namedByReading(logFiles(files))],
}

/** The paths in the configuration of the program; null if the program is known to be absent. */
export function namedBy(program: NamingProgram, files: ConfigFiles): Reading<NamedPaths | null> {
  const [surface, read] = NAMERS[program]
  const installed = surface.installed(files)
  if (installed.kind === 'unknown') return installed
  return installed.value ? read(files) : known(null)
}

/** The database of AIDE, which is useless if it is empty. */
function namedByAide(files: ConfigFiles): Reading<NamedPaths> {
  const database = aideDatabase(files)
  if (database.kind === 'unknown') return database
  const named = database.value === undefined ? [] : [database.value]
  const blanks = named
    .filter((path) => isAbsolute(path))
    .flatMap((path) => blankFileProblems(files, path, 'initialize it'))
  return known(namedByValues(named, blanks))
}

/** The log directory, the log file and its rotated files. */
function namedByAuditd(files: ConfigFiles): Reading<NamedPaths> {
  const key = { section: '', key: 'log_file' }
  const effective = readEffective(auditd, files, key)
  if (effective.kind === 'unknown') return effective
  const log = valueOf(effective.value[0], auditd.rulesOf(key)) ?? ''
  if (!isAbsolute(log)) return unknown('invalid', `/etc/audit/auditd.conf: log_file "${log}" is not an absolute path`)
  const logs = rotatedOf(files, normalize(log))
  if (logs.kind === 'unknown') return logs
  return known({ paths: [dirname(normalize(log)), ...logs.value], strays: [], unclear: [] })
}

/** The configuration of auditd and the sources of augenrules. */
function namedByAuditdConfig(files: ConfigFiles): Reading<NamedPaths> {
  const main = readAuditdFile(files)
  if (main.kind === 'unknown') return main
  const rules = pathsIn(files, [RULES], (name) => name.endsWith('.rules'))
  return namedByReading(mapReading(rules, (paths) => [main.value, '/etc/audit/audit.rules', ...paths]))
}

const RULES = '/etc/audit/rules.d'

/** The files of TLS; `-` stands for no file. @see journal-upload.conf(5) */
function namedByUpload(files: ConfigFiles, keys: readonly string[]): Reading<NamedPaths> {
  const values: string[] = []
  for (const key of keys) {
    const name = { section: 'Upload', key }
    const effective = readEffective(journalUpload, files, name)
    if (effective.kind === 'unknown') return effective
    values.push(valueOf(effective.value[0], journalUpload.rulesOf(name)) ?? '-')
  }
  return known(namedByValues(values.filter((value) => value !== '-' && value !== '')))
}

function namedByRsyslog(files: ConfigFiles): Reading<NamedPaths> {
  const main = readRsyslogMain(files)
  if (main.kind === 'unknown') return main
  const text = files.text(main.value)
  if (text.kind === 'unknown') return text
  if (text.value === null)
    return unknown('not-observable', `${main.value} does not exist, so the log files are unknown`)
  const written = rsyslogFiles(files, main.value)
  if (written.kind === 'unknown') return written
  const { paths, unclear } = written.value
  return known({ paths: unique(paths), strays: [], unclear })
}

/** The main file with its includes and their directories, those that sudo rejects included. */
function namedBySudoers(files: ConfigFiles): Reading<NamedPaths> {
  const { assignments, paths } = readSudoers(files)
  const unclear = assignments.kind === 'unknown' && paths.length > 0 ? [assignments] : []
  return known({ paths, strays: [], unclear })
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
  return known(
    namedByValues(
      named,
      named.filter((path) => isAbsolute(path)).flatMap((path) => blankFileProblems(files, path, 'no banner is shown')),
    ),
  )
}

function blankFileProblems(files: ConfigFiles, path: string, so: string): readonly Unknown[] {
  const text = files.text(path)
  const isBlank = text.kind === 'known' && text.value !== null && trimBlanksOfC(text.value) === ''
  return isBlank ? [unknown('invalid', `${path} is empty, so ${so}`)] : []
}

/** The configuration files of each cluster, and the directories that they include. */
function namedByPostgresql(files: ConfigFiles): Reading<NamedPaths> {
  const paths = readBy(files, pgHba)
  const directories = includedDirectories(files)
  if (paths.kind === 'unknown' || directories.kind === 'unknown')
    return paths.kind === 'unknown' ? paths : namedByReading(directories)
  return namedByReading(known([...paths.value, ...directories.value]))
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
