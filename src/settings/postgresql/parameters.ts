import { parseIp } from '../../model/ip-address.ts'
import type { KeyRules } from '../surface.ts'
import { byNumber, cNumberOf, decimalOf, FOLDED, listsOf, NUMBERS, synonyms, VALUES } from '../values.ts'
import { trimBlanksOfC, withBlanksOfC } from '../blanks.ts'

/** The rules of a parameter. */
export interface Parameter extends Pick<KeyRules, 'order' | 'default'> {
  /** Whether a change requires a restart of the server. */
  readonly atStart?: true
}

/** Unambiguous abbreviations are valid. */
const BOOLEAN = synonyms(
  ['on', '1', 't', 'tr', 'tru', 'true', 'y', 'ye', 'yes'],
  ['of', 'off', '0', 'f', 'fa', 'fal', 'fals', 'false', 'n', 'no'],
)
const LIST = listsOf(/[\s,]+/, ', ')

/** Addresses to listen on: every spelling of zero that getaddrinfo(3) accepts is all addresses. */
const ADDRESSES: KeyRules['order'] = {
  ...LIST,
  exclude: (value, items) => {
    const plain = value
      .split(withBlanksOfC(/[\s,]+/))
      .map(plainAddress)
      .join(', ')
    const kept = LIST.exclude?.(plain, items) ?? plain
    return kept === plain ? value : kept
  },
}

function plainAddress(written: string): string {
  const address = written.replace(/^"(.*)"$/, '$1')
  if (/^(?:0x)?0+(?:\.(?:0x)?0+){0,3}$/i.test(address)) return '0.0.0.0'
  const bytes = address.includes(':') ? parseIp(address.replace(/%.*$/, '')) : undefined
  if (bytes?.every((byte) => byte === 0) === true) return '::'
  // The mapped form of IPv4.
  return bytes !== undefined && [...bytes].every((byte, index) => byte === (index === 10 || index === 11 ? 255 : 0))
    ? '0.0.0.0'
    : address
}

/** Permission bits: a number is octal only with a leading 0. */
const MODE: KeyRules['order'] = {
  equals: (left, right) => left === right || cNumberOf(left) === cNumberOf(right),
  raise: (value, bound) => joinBits(value, bound, (bits, limit) => bits | limit),
  lower: (value, bound) => joinBits(value, bound, (bits, limit) => bits & limit),
}

function joinBits(value: string, bound: string, join: (bits: number, limit: number) => number): string {
  const [bits, limit] = [cNumberOf(value), cNumberOf(bound)]
  if (bits === undefined || limit === undefined) return bound
  const mode = join(bits, limit)
  return mode === bits ? value : mode.toString(8).padStart(4, '0')
}

const MILLISECONDS = { us: 0.001, ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A duration; `unit` is the default unit. */
function time(unit: keyof typeof MILLISECONDS): KeyRules['order'] {
  return byNumber((text) => {
    const { number, written = unit } =
      withBlanksOfC(/^(?<number>[-+]?\d+(?:\.\d+)?)\s*(?<written>us|ms|s|min|h|d)?$/).exec(text)?.groups ?? {}
    const count = number === undefined ? undefined : decimalOf(number)
    return count === undefined ? undefined : count * MILLISECONDS[written as keyof typeof MILLISECONDS]
  })
}

/** The first version with known defaults; they also apply to all later ones. */
export const KNOWN_FROM = 14

/** The first version where `log_connections` is a list. */
const LIST_FROM = 18

const ASPECTS = ['receipt', 'authentication', 'authorization', 'setup_durations']
const COMPATIBLE = synonyms(['on', 'true', 'yes', '1'], ['off', 'false', 'no', '0', ''])

/**
 * Which aspects of a connection servers of these versions log, as bits; undefined for a value that one of them refuses.
 * @see https://www.postgresql.org/docs/18/runtime-config-logging.html#GUC-LOG-CONNECTIONS
 */
export function loggedConnections(versions: readonly number[]): KeyRules['order'] {
  const readers = [
    ...(versions.some((version) => version < LIST_FROM) ? [(value: string) => switchedAspects(value, BOOLEAN)] : []),
    ...(versions.some((version) => version >= LIST_FROM) ? [listedAspects] : []),
  ]
  const bitsOf = (value: string): number | undefined => {
    const all = readers.map((read) => read(value))
    return all.includes(undefined) ? undefined : all[0]
  }
  return {
    equals: (left, right) => left === right || (bitsOf(left) !== undefined && bitsOf(left) === bitsOf(right)),
    raise: (value, bound) => {
      const [bits, least] = [bitsOf(value), bitsOf(bound)]
      return bits !== undefined && least !== undefined && (bits & least) === least ? value : bound
    },
  }
}

function switchedAspects(value: string, { equals }: KeyRules['order']): number | undefined {
  if (equals(value, 'on')) return 7
  return equals(value, 'off') ? 0 : undefined
}

function listedAspects(value: string): number | undefined {
  const items = value.split(',').map((item) => trimBlanksOfC(item).replace(/^"(.*)"$/, '$1'))
  const [first = ''] = items
  const switched = items.length === 1 ? switchedAspects(first, COMPATIBLE) : undefined
  if (switched !== undefined) return switched
  const bits = items.map((item) =>
    item.toLowerCase() === 'all' ? 15 : (1 << ASPECTS.indexOf(item.toLowerCase())) & 15,
  )
  return bits.every((bit) => bit > 0) ? bits.reduce((all, bit) => all | bit) : undefined
}

const ON = { order: BOOLEAN, default: 'on' } as const
const OFF = { order: BOOLEAN, default: 'off' } as const

/** Parameters with their defaults in PostgreSQL 14 and later. @see postgres --describe-config */
const PARAMETERS: Readonly<Record<string, Parameter>> = {
  allow_in_place_tablespaces: OFF,
  allow_system_table_mods: OFF,
  authentication_timeout: { order: time('s'), default: '60' },
  backend_flush_after: { order: VALUES },
  debug_print_parse: OFF,
  debug_print_plan: OFF,
  debug_print_rewritten: OFF,
  fsync: ON,
  full_page_writes: ON,
  idle_in_transaction_session_timeout: { order: time('ms'), default: '0' },
  ignore_system_indexes: OFF,
  jit: ON,
  krb_caseins_users: OFF,
  listen_addresses: { order: ADDRESSES, default: 'localhost', atStart: true },
  log_connections: { order: loggedConnections([KNOWN_FROM]), default: 'off' },
  log_destination: { order: LIST, default: 'stderr' },
  log_directory: { order: VALUES, default: 'log' },
  log_disconnections: OFF,
  log_duration: OFF,
  log_error_verbosity: { order: FOLDED, default: 'default' },
  log_file_mode: { order: MODE, default: '0600' },
  log_filename: { order: VALUES, default: 'postgresql-%Y-%m-%d_%H%M%S.log' },
  log_hostname: OFF,
  log_line_prefix: { order: VALUES, default: '%m [%p] ' },
  log_lock_waits: OFF,
  log_min_duration_statement: { order: time('ms'), default: '-1' },
  log_min_error_statement: { order: FOLDED, default: 'error' },
  log_min_messages: { order: FOLDED, default: 'warning' },
  log_replication_commands: OFF,
  log_rotation_age: { order: time('min'), default: '1440' },
  log_statement: { order: FOLDED, default: 'none' },
  log_temp_files: { order: VALUES, default: '-1' },
  log_truncate_on_rotation: OFF,
  logging_collector: { ...OFF, atStart: true },
  max_connections: { order: NUMBERS, default: '100', atStart: true },
  password_encryption: { order: FOLDED, default: 'scram-sha-256' },
  port: { order: NUMBERS, default: '5432', atStart: true },
  restart_after_crash: ON,
  row_security: ON,
  shared_preload_libraries: { order: LIST, default: '', atStart: true },
  ssl: OFF,
  ssl_ciphers: { order: VALUES },
  ssl_min_protocol_version: { order: FOLDED, default: 'TLSv1.2' },
  ssl_prefer_server_ciphers: ON,
  statement_timeout: { order: time('ms'), default: '0' },
  syslog_facility: { order: FOLDED, default: 'local0' },
  syslog_ident: { order: VALUES, default: 'postgres' },
  syslog_sequence_numbers: ON,
  syslog_split_messages: ON,
  transform_null_equals: OFF,
  unix_socket_directories: { order: LIST, atStart: true },
  unix_socket_group: { order: VALUES, default: '', atStart: true },
  unix_socket_permissions: { order: MODE, default: '0777', atStart: true },
  zero_damaged_pages: OFF,
}

/** Whether there are rules for the parameter. */
export function isKnownParameter(name: string): boolean {
  return Object.hasOwn(PARAMETERS, name)
}

/** The rules of a parameter; for other parameters, values are compared as written. */
export function parameterNamed(name: string): Parameter {
  return PARAMETERS[name.toLowerCase()] ?? { order: VALUES }
}

/** The names of parameters with a known default. */
export const KNOWN_DEFAULTS: readonly string[] = Object.keys(PARAMETERS).filter(
  (name) => PARAMETERS[name]?.default !== undefined,
)
