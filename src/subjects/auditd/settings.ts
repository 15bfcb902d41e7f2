import { defined } from '../../model/defined.ts'
import { anyExists } from '../../settings/reading.ts'
import type { Surface } from '../../settings/surface.ts'
import { FOLDED } from '../../settings/values.ts'
import { auditdConf, readAuditdConf } from './auditd-conf.ts'

const FILE = '/etc/audit/auditd.conf'

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
    'The file `/etc/audit/auditd.conf`; the last line of a key wins, and keys are case-insensitive. Values are unknown if auditd rejects a line, since it then does not start: spaces around `=` are required, and a comment after a value is not allowed. A fix edits that line and signals the daemon.',
  installed: (files) => anyExists(files, [FILE, '/usr/sbin/auditd', '/sbin/auditd']),
  keyOf: (text) =>
    /^[A-Za-z0-9_]+$/.test(text) ? { section: '', key: text } : { problem: 'must be a key such as max_log_file' },
  sameKey: (left, right) => left.key.toLowerCase() === right.key.toLowerCase(),
  rulesOf: ({ key }) => ({ order: FOLDED, wins: 'last', ...defined({ default: DEFAULTS[key.toLowerCase()] }) }),
  read: (files) => readAuditdConf(files, FILE),
  writes: () => ({ file: FILE, format: auditdConf, mode: 0o640 }),
  activation: { kind: 'signal', unit: 'auditd.service' },
}
