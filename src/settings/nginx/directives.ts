import type { KeyRules } from '../surface.ts'
import { CIPHERS } from './ciphers.ts'
import { byNumber, decimalOf, FOLDED, listsOf, NUMBERS, synonyms, VALUES } from '../values.ts'

export interface KnownDirective extends Pick<KeyRules, 'order' | 'default'> {
  /**
   * Whether it is outside of all blocks; other directives are inherited from `http` by servers, and from servers by
   * locations.
   */
  readonly isMain?: true
  /** Whether it may be repeated; those of a block replace all inherited ones. */
  readonly isList?: true
  /** Whether it only applies to servers with TLS. */
  readonly isTls?: true
}

const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const
const BYTES = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 } as const

/** Durations; with two, as in keepalive_timeout, the first one is compared. */
const TIME = byNumber((text) => {
  const parts = [...text.toLowerCase().matchAll(/(\d+)(ms|[smhdw])?/g)]
  if (!/^(?:\d+(?:ms|[smhdw])?)+$/i.test(text.split(' ')[0] ?? '')) return undefined
  const first = text.split(' ')[0] ?? ''
  let length = 0
  let total = 0
  for (const [part, number, unit = 's'] of parts) {
    if (length >= first.length) break
    length += part.length
    total += Number(number) * SECONDS[unit as keyof typeof SECONDS]
  }
  return total
})

/** 0 means unlimited. */
const SIZE = byNumber((text) => {
  const { number, unit = '' } = /^(?<number>\d+)(?<unit>[kmg]?)$/i.exec(text)?.groups ?? {}
  const count = number === undefined ? undefined : decimalOf(number)
  if (count === undefined) return undefined
  return count === 0 ? Number.POSITIVE_INFINITY : count * BYTES[unit.toLowerCase() as keyof typeof BYTES]
})

const SWITCH = synonyms(['on'], ['off'])
const WORDS = listsOf(/ +/, ' ')
/** `at_most` allows a subset of these. */
const PROTOCOLS: KeyRules['order'] = {
  ...WORDS,
  lower(value, bound) {
    const allowed = bound.split(' ')
    const kept = value.split(' ').filter((each) => allowed.includes(each))
    if (kept.length === value.split(' ').length) return value
    return kept.length === 0 ? bound : kept.join(' ')
  },
}

const ON = { order: SWITCH, default: 'on' } as const
const OFF = { order: SWITCH, default: 'off' } as const
const TLS = { isTls: true } as const

const DIRECTIVES: Readonly<Record<string, KnownDirective>> = {
  access_log: { order: VALUES, isList: true, default: 'logs/access.log combined' },
  autoindex: OFF,
  client_body_buffer_size: { order: SIZE },
  client_body_timeout: { order: TIME, default: '60s' },
  client_header_buffer_size: { order: SIZE, default: '1k' },
  client_header_timeout: { order: TIME, default: '60s' },
  client_max_body_size: { order: SIZE, default: '1m' },
  default_type: { order: FOLDED, default: 'text/plain' },
  error_log: { order: VALUES, isList: true },
  fancyindex: OFF,
  grpc_ssl_protocols: { order: PROTOCOLS, default: '' },
  ignore_invalid_headers: ON,
  keepalive_timeout: { order: TIME, default: '75s' },
  large_client_header_buffers: { order: VALUES, default: '4 8k' },
  limit_conn: { order: VALUES, isList: true, default: '' },
  limit_req: { order: VALUES, isList: true, default: '' },
  merge_slashes: ON,
  pid: { order: VALUES, isMain: true },
  proxy_ssl_protocols: { order: PROTOCOLS, default: '' },
  send_timeout: { order: TIME, default: '60s' },
  server_tokens: { order: FOLDED, default: 'on' },
  ssl_ciphers: { order: CIPHERS, default: 'HIGH:!aNULL:!MD5', ...TLS },
  ssl_dhparam: { order: VALUES, ...TLS },
  ssl_prefer_server_ciphers: { ...OFF, ...TLS },
  ssl_protocols: { order: PROTOCOLS, ...TLS },
  ssl_session_tickets: { ...ON, ...TLS },
  ssl_session_timeout: { order: TIME, default: '5m', ...TLS },
  ssl_stapling: { ...OFF, ...TLS },
  ssl_stapling_verify: { ...OFF, ...TLS },
  underscores_in_headers: OFF,
  user: { order: VALUES, isMain: true, default: 'nobody' },
  uwsgi_ssl_protocols: { order: PROTOCOLS, default: '' },
  worker_processes: { order: NUMBERS, isMain: true, default: '1' },
}

/** Directives whose first argument is a name, so that each name is a key: `add_header.X-Frame-Options`. */
const NAMED: Readonly<Record<string, KnownDirective>> = {
  add_header: { order: VALUES, isList: true, default: '' },
  grpc_ssl_conf_command: { order: VALUES, isList: true, default: '' },
  proxy_ssl_conf_command: { order: VALUES, isList: true, default: '' },
  ssl_conf_command: { order: VALUES, isList: true, default: '', ...TLS },
  uwsgi_ssl_conf_command: { order: VALUES, isList: true, default: '' },
}

/** The directive and the name in a key such as `add_header.NAME`; undefined for other keys. */
export function namedIn(key: string): { readonly directive: string; readonly name: string } | undefined {
  const [directive = '', name] = splitOnce(key)
  return name !== undefined && directive in NAMED ? { directive, name } : undefined
}

/** Normalizes a key for comparison: names in it are case-insensitive. */
export function normalizedKey(text: string): string {
  const named = namedIn(text)
  return named === undefined ? text : `${named.directive}.${named.name.toLowerCase()}`
}

function splitOnce(text: string): readonly string[] {
  const dot = text.indexOf('.')
  return dot === -1 ? [text] : [text.slice(0, dot), text.slice(dot + 1)]
}

export const DIRECTIVE_NAMES: readonly string[] = Object.keys(DIRECTIVES)

/** The rules of a key; undefined if its inheritance is unknown. */
export function directiveNamed(key: string): KnownDirective | undefined {
  const named = namedIn(key)
  if (named === undefined) return DIRECTIVES[key]
  const directive = NAMED[named.directive]
  return directive !== undefined && key.toLowerCase() === 'ssl_conf_command.cipherstring'
    ? { ...directive, order: CIPHERS }
    : directive
}

/** The key and the value of a directive; undefined if it is not supported. */
export function meaningOf(
  name: string,
  args: readonly string[],
): { readonly key: string; readonly value: string } | undefined {
  if (!(name in NAMED)) return directiveNamed(name) === undefined ? undefined : { key: name, value: args.join(' ') }
  const [named = '', ...rest] = args
  return { key: normalizedKey(`${name}.${named}`), value: rest.join(' ') }
}
