import { parseIp } from '../../model/ip-address.ts'
import type { KeyRules } from '../surface.ts'
import { byNumber, cNumberOf, FOLDED, listsOf, synonyms, VALUES } from '../values.ts'
import { trimBlanksOfC, withBlanksOfC } from '../blanks.ts'

export interface Parameter extends Pick<KeyRules, 'order' | 'default' | 'takes'> {
  /** Whether a change requires a restart of the server. */
  readonly atStart?: true
}

/** Unambiguous abbreviations are valid. */
const BOOLEAN = synonyms(
  ['on', '1', 't', 'tr', 'tru', 'true', 'y', 'ye', 'yes'],
  ['of', 'off', '0', 'f', 'fa', 'fal', 'fals', 'false', 'n', 'no'],
)
const SWITCH = { order: BOOLEAN, takes: (value: string) => BOOLEAN.equals(value, 'on') || BOOLEAN.equals(value, 'off') }

/** A word of a list, in any case. */
function wordOf(...words: readonly string[]): Pick<Parameter, 'order' | 'takes'> {
  return { order: FOLDED, takes: (value) => words.includes(value.toLowerCase()) }
}

const LEVEL = wordOf(...'debug debug1 debug2 debug3 debug4 debug5 info notice warning error log fatal panic'.split(' '))

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

const NUMBER = withBlanksOfC(
  /^\s*(?<written>[-+]?(?:0x[\da-f]+|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?))\s*(?<named>us|ms|s|min|h|d)?\s*$/i,
)

/** An integer as read by strtol(3), or as a fraction with a point or exponent; `unit` is that of a duration. */
function numberOf(text: string, unit?: keyof typeof MILLISECONDS): number | undefined {
  const { written = '', named = unit } = NUMBER.exec(text)?.groups ?? {}
  const number = /[.e]/i.test(written) && !/x/i.test(written) ? Number(written) : cNumberOf(written)
  if (number === undefined || (named !== undefined && !Object.hasOwn(MILLISECONDS, named))) return undefined
  if (unit === undefined) return named === undefined ? roundToEven(number) : undefined
  const size = MILLISECONDS[unit]
  return size * roundToEven((number * MILLISECONDS[named as keyof typeof MILLISECONDS]) / size)
}

function roundToEven(number: number): number {
  const rounded = Math.round(number)
  return rounded - number === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}

/** A duration, rounded to `unit`, which is that of a number without one. */
function time(unit: keyof typeof MILLISECONDS): Pick<Parameter, 'order' | 'takes'> {
  return numeric((text) => numberOf(text, unit))
}

function numeric(read: (text: string) => number | undefined): Pick<Parameter, 'order' | 'takes'> {
  return { order: byNumber(read), takes: (value) => read(value) !== undefined }
}

const MOST_BITS = 0o777
const BITS = { order: MODE, takes: (value: string) => isBetween(numberOf(value), 0, MOST_BITS) }

function integer(least: number, most: number): Pick<Parameter, 'order' | 'takes'> {
  const { order } = numeric((text) => numberOf(text))
  return { order, takes: (value) => isBetween(numberOf(value), least, most) }
}

function isBetween(number: number | undefined, least: number, most: number): boolean {
  return number !== undefined && number >= least && number <= most
}

const MOST_BACKENDS = 262_143
const MOST_PORTS = 65_535

const DESTINATIONS = new Set(['stderr', 'csvlog', 'jsonlog', 'syslog', 'eventlog'])

function isDestination(item: string): boolean {
  return DESTINATIONS.has(
    trimBlanksOfC(item)
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase(),
  )
}

/** The last versions with a boolean are no longer maintained, but their files are copied. */
const ENCRYPTION = wordOf('md5', 'scram-sha-256', 'on', 'true', 'yes', '1', 'off', 'false', 'no', '0')
const FACILITY = wordOf(...Array.from({ length: 8 }, (_, number) => `local${number}`))

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

const ON = { ...SWITCH, default: 'on' } as const
const OFF = { ...SWITCH, default: 'off' } as const

/** Parameters with their defaults in PostgreSQL 14 and later. @see postgres --describe-config */
const PARAMETERS: Readonly<Record<string, Parameter>> = {
  allow_in_place_tablespaces: OFF,
  allow_system_table_mods: OFF,
  authentication_timeout: { ...time('s'), default: '60' },
  backend_flush_after: { order: VALUES },
  debug_print_parse: OFF,
  debug_print_plan: OFF,
  debug_print_rewritten: OFF,
  fsync: ON,
  full_page_writes: ON,
  idle_in_transaction_session_timeout: { ...time('ms'), default: '0' },
  ignore_system_indexes: OFF,
  jit: ON,
  krb_caseins_users: OFF,
  listen_addresses: { order: ADDRESSES, default: 'localhost', atStart: true },
  log_connections: {
    order: loggedConnections([KNOWN_FROM]),
    takes: (value) => SWITCH.takes(value) || listedAspects(value) !== undefined,
    default: 'off',
  },
  log_destination: {
    order: LIST,
    default: 'stderr',
    takes: (value) => trimBlanksOfC(value) === '' || value.split(',').every(isDestination),
  },
  log_directory: { order: VALUES, default: 'log' },
  log_disconnections: OFF,
  log_duration: OFF,
  log_error_verbosity: { ...wordOf('terse', 'default', 'verbose'), default: 'default' },
  log_file_mode: { ...BITS, default: '0600' },
  log_filename: { order: VALUES, default: 'postgresql-%Y-%m-%d_%H%M%S.log' },
  log_hostname: OFF,
  log_line_prefix: { order: VALUES, default: '%m [%p] ' },
  log_lock_waits: OFF,
  log_min_duration_statement: { ...time('ms'), default: '-1' },
  log_min_error_statement: { ...LEVEL, default: 'error' },
  log_min_messages: { ...LEVEL, default: 'warning' },
  log_replication_commands: OFF,
  log_rotation_age: { ...time('min'), default: '1440' },
  log_statement: { ...wordOf('none', 'ddl', 'mod', 'all'), default: 'none' },
  log_temp_files: { order: VALUES, default: '-1' },
  log_truncate_on_rotation: OFF,
  logging_collector: { ...OFF, atStart: true },
  max_connections: { ...integer(1, MOST_BACKENDS), default: '100', atStart: true },
  password_encryption: { ...ENCRYPTION, default: 'scram-sha-256' },
  port: { ...integer(1, MOST_PORTS), default: '5432', atStart: true },
  restart_after_crash: ON,
  row_security: ON,
  shared_preload_libraries: { order: LIST, default: '', atStart: true },
  ssl: OFF,
  ssl_ciphers: { order: VALUES },
  ssl_min_protocol_version: { ...wordOf('tlsv1', 'tlsv1.1', 'tlsv1.2', 'tlsv1.3'), default: 'TLSv1.2' },
  ssl_prefer_server_ciphers: ON,
  statement_timeout: { ...time('ms'), default: '0' },
  syslog_facility: { ...FACILITY, default: 'local0' },
  syslog_ident: { order: VALUES, default: 'postgres' },
  syslog_sequence_numbers: ON,
  syslog_split_messages: ON,
  transform_null_equals: OFF,
  unix_socket_directories: { order: LIST, atStart: true },
  unix_socket_group: { order: VALUES, default: '', atStart: true },
  unix_socket_permissions: { ...BITS, default: '0777', atStart: true },
  zero_damaged_pages: OFF,
}

/** Names that PostgreSQL still takes for others. @see map_old_guc_names */
const OLD_NAMES: Readonly<Record<string, string>> = { sort_mem: 'work_mem', vacuum_mem: 'maintenance_work_mem' }

/** The name of a parameter that a file may call by an old one. */
export function presentName(written: string): string {
  return OLD_NAMES[written.toLowerCase()] ?? written
}

/** Whether no version of the server rejects the value; unknown parameters may have any. */
export function takesValue({ key, value }: { readonly key: string; readonly value: string }): boolean {
  return parameterNamed(key).takes?.(value) ?? true
}

/** Whether there are rules for the parameter. */
export function isKnownParameter(name: string): boolean {
  return Object.hasOwn(PARAMETERS, name)
}

/** The rules of a parameter; for other parameters, values are compared as written. */
export function parameterNamed(name: string): Parameter {
  return PARAMETERS[name.toLowerCase()] ?? { order: VALUES }
}

export const KNOWN_DEFAULTS: readonly string[] = Object.keys(PARAMETERS).filter(
  (name) => PARAMETERS[name]?.default !== undefined,
)
