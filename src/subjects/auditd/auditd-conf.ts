import { type Reading, unknown } from '../../model/observation.ts'
import { ANY_KEY, type Assignment } from '../../settings/assignment.ts'
import { lineFormat } from '../../settings/formats/lines.ts'
import { parseAll } from '../../settings/reading.ts'
import type { ConfigFiles } from '../../settings/surface.ts'

/** `key = value` with spaces around the equals sign, and nothing after the value. @see auditd-config.c of audit 3 */
export const auditdConf = lineFormat({
  name: 'auditd.conf',
  assignment: /^(?<lead> *)(?<key>[^ #=]+)(?<between> += +)(?<value>[^ ](?:.*[^ ])?)(?<tail> *)$/,
  comment: /^ *#/,
  strange: 'auditd rejects this line and does not start',
  write: (value) => (/^[^ ]+$/.test(value) ? value : undefined),
  between: ' = ',
})

const SWITCH = /^(?:yes|no)$/i
const NUMBER = /^\d+$/
const SIZE = /^\d+%?$/
const WORD = /^[^ ]+$/
const ACTION = /^(?:ignore|syslog|rotate|email|exec \/[^ ]+|suspend|single|halt)$/i
const DISK_ACTION = /^(?:ignore|syslog|rotate|exec \/[^ ]+|suspend|single|halt)$/i

/** The keywords of auditd.conf(5), of all versions since 2.8, with the values that auditd accepts. */
const KEYWORDS: Readonly<Record<string, RegExp>> = {
  local_events: SWITCH,
  write_logs: SWITCH,
  use_libwrap: SWITCH,
  enable_krb5: SWITCH,
  distribute_network: SWITCH,
  verify_email: SWITCH,
  log_file: WORD,
  log_format: /^(?:raw|nolog|enriched)$/i,
  log_group: WORD,
  priority_boost: NUMBER,
  flush: /^(?:none|incremental|incremental_async|data|sync)$/i,
  freq: NUMBER,
  num_logs: NUMBER,
  dispatcher: WORD,
  disp_qos: WORD,
  name_format: /^(?:none|hostname|fqd|numeric|user)$/i,
  name: WORD,
  max_log_file: NUMBER,
  max_log_file_action: /^(?:ignore|syslog|suspend|rotate|keep_logs)$/i,
  space_left: SIZE,
  space_left_action: ACTION,
  action_mail_acct: WORD,
  admin_space_left: SIZE,
  admin_space_left_action: ACTION,
  disk_full_action: DISK_ACTION,
  disk_error_action: DISK_ACTION,
  tcp_listen_port: NUMBER,
  tcp_listen_queue: NUMBER,
  tcp_max_per_addr: NUMBER,
  tcp_client_ports: /^\d+(?:-\d+)?$/,
  tcp_client_max_idle: NUMBER,
  transport: /^(?:tcp|krb5)$/i,
  krb5_principal: WORD,
  krb5_key_file: WORD,
  q_depth: NUMBER,
  overflow_action: /^(?:ignore|syslog|suspend|single|halt)$/i,
  max_restarts: NUMBER,
  plugin_dir: WORD,
  end_of_event_timeout: NUMBER,
  report_interval: WORD,
}

/** The assignments of the file; unknown if auditd does not start with one of its lines. */
export function readAuditdConf(files: ConfigFiles, file: string): Reading<readonly Assignment[]> {
  const read = parseAll(files, [file], auditdConf)
  if (read.kind === 'unknown') return read
  const rejected = read.value.find((each) => !isAccepted(each))
  if (rejected !== undefined) return unknown('invalid', `${file}:${rejected.line}: ${whyRejected(rejected)}`)
  const [least, admin] = ['space_left', 'admin_space_left'].map((key) =>
    read.value.findLast((each) => each.key.toLowerCase() === key),
  )
  if (least === undefined || admin === undefined || [least, admin].some(({ value }) => !NUMBER.test(value))) return read
  if (Number(least.value) > Number(admin.value)) return read
  return unknown(
    'invalid',
    `${file}:${least.line}: space_left is not larger than admin_space_left, so auditd does not start`,
  )
}

function isAccepted({ key, value }: Assignment): boolean {
  return key !== ANY_KEY && KEYWORDS[key.toLowerCase()]?.test(value) === true
}

function whyRejected({ key, value, unclear }: Assignment): string {
  return unclear ?? `auditd rejects ${key} = ${value} and does not start`
}
