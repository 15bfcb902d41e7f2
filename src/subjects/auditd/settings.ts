import { defined } from '../../model/defined.ts'
import { known, type Reading } from '../../model/observation.ts'
import { anyExists } from '../../settings/reading.ts'
import { readOnlyCommand, shortOptions } from '../../settings/service-command.ts'
import type { ConfigFiles, Surface } from '../../settings/surface.ts'
import { FOLDED } from '../../settings/values.ts'
import { auditdConf, readAuditdConf } from './auditd-conf.ts'

const DIRECTORY = '/etc/audit'
const FILE = `${DIRECTORY}/auditd.conf`

/** Defaults from auditd.conf(5) and auditd-config.c. */
const DEFAULTS: Readonly<Record<string, string>> = {
  log_file: '/var/log/audit/audit.log',
  log_group: 'root',
  local_events: 'yes',
  log_format: 'RAW',
  write_logs: 'yes',
}

/** The audit daemon. Its unit refuses a restart; a signal reloads the configuration. */
export const auditd: Surface = {
  name: 'auditd',
  summary:
    'The file `/etc/audit/auditd.conf`, or that of the directory on the command line of `auditd.service`; the last line of a key wins, and keys are case-insensitive. Values are unknown if auditd rejects a line, since it then does not start: spaces around `=` are required, and a comment after a value is not allowed. A fix edits that line and signals the daemon.',
  installed: (files) => anyExists(files, [FILE, '/usr/sbin/auditd', '/sbin/auditd']),
  keyOf: (text) =>
    /^[A-Za-z0-9_]+$/.test(text) ? { section: '', key: text } : { problem: 'must be a key such as max_log_file' },
  sameKey: (left, right) => left.key.toLowerCase() === right.key.toLowerCase(),
  rulesOf: ({ key }) => ({ order: FOLDED, wins: 'last', ...defined({ default: DEFAULTS[key.toLowerCase()] }) }),
  read(files) {
    const file = readAuditdFile(files)
    return file.kind === 'unknown' ? file : readAuditdConf(files, file.value)
  },
  writes(files) {
    const file = readAuditdFile(files)
    return { file: file.kind === 'known' ? file.value : FILE, format: auditdConf, mode: 0o640 }
  },
  activation: { kind: 'signal', unit: 'auditd.service' },
}

/** @see auditd(8), -c and -s */
const WITH_VALUE = 'cs'

/** The configuration file, in the directory that the unit names. */
export function readAuditdFile(files: ConfigFiles): Reading<string> {
  const words = readOnlyCommand(files, ['auditd.service'], ['auditd'])
  const options = words.kind === 'unknown' ? words : shortOptions(words.value, WITH_VALUE)
  if (options.kind === 'unknown') return options
  const directory = options.value.findLast(({ letter }) => letter === 'c')?.value ?? DIRECTORY
  return known(`${directory}/auditd.conf`)
}
