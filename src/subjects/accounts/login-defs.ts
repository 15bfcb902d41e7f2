import { known, type Reading } from '../../model/observation.ts'
import { lineFormat } from '../../settings/formats/lines.ts'
import { anyExists, parseAll } from '../../settings/reading.ts'
import type { KeyRules, Surface } from '../../settings/surface.ts'
import { BITS, byNumber, C_NUMBERS, cNumberOf, VALUES } from '../../settings/values.ts'

export const LOGIN_DEFS = '/etc/login.defs'

/** As getdef.c of shadow reads it: no comment behind a value, which a double quote ends, and 1,023 bytes at once. */
const format = lineFormat({
  name: 'login.defs',
  assignment:
    /^(?<lead>[ \t]*)(?<key>[^ \t#][^ \t]*)(?=[ \t]+.*\S)(?<between>[ \t"]+)(?<value>[^"]*(?=")|[^"]*?(?=\s*$))(?<tail>".*|\s*)$/,
  comment: /^[ \t]*#/,
  longest: 1023,
  write: (value) => (value.includes('"') || value !== value.trim() || value === '' ? undefined : value),
  between: '\t',
})

/** The values by key; of several lines the last one counts. Unknown for text that shadow splits at another place. */
export type LoginDefs = ReadonlyMap<string, string>

export function parseLoginDefs(text: string): Reading<LoginDefs> {
  const read = format.parse(text, LOGIN_DEFS)
  return read.kind === 'unknown' ? read : known(new Map(read.value.map(({ key, value }) => [key, value])))
}

/** The number of a key, as strtol(3) reads it; `otherwise` if absent or no number. */
export function numberIn(defs: LoginDefs, key: string, otherwise: number): number {
  return cNumberOf(defs.get(key) ?? '') ?? otherwise
}

/** The first uid of people. @see login.defs(5), useradd(8) */
export function uidMinOf(text: string): Reading<number> {
  const defs = parseLoginDefs(text)
  return defs.kind === 'unknown' ? defs : known(numberIn(defs.value, 'UID_MIN', 1000))
}

/** Days after which something happens; below zero it never does. */
const DAYS = byNumber((value) => {
  const days = cNumberOf(value)
  return days !== undefined && days < 0 ? Number.POSITIVE_INFINITY : days
})

/** Permission bits as shadow reads them: octal with a leading zero, else decimal. @see getdef.c, getdef_num */
const UMASKS: typeof BITS = {
  equals: (left, right) => BITS.equals(octal(left), octal(right)),
  raise: (value, bound) => unlessSame(value, BITS.raise?.(octal(value), bound)),
  lower: (value, bound) => unlessSame(value, BITS.lower?.(octal(value), bound)),
}

/** An accepted value stays as it is written. */
function unlessSame(value: string, moved = value): string {
  return moved === octal(value) ? value : moved
}

function octal(value: string): string {
  return /^[1-9]\d*$/.test(value) ? `0${Number(value).toString(8)}` : value
}

/** What useradd and login use where nothing is written. Which password hash that is differs from build to build. */
const KEYS: Readonly<Record<string, KeyRules>> = {
  PASS_MAX_DAYS: { order: DAYS, wins: 'last', default: '-1' },
  PASS_MIN_DAYS: { order: C_NUMBERS, wins: 'last', default: '-1' },
  PASS_WARN_AGE: { order: C_NUMBERS, wins: 'last', default: '-1' },
  UMASK: { order: UMASKS, wins: 'last', default: '022' },
  HOME_MODE: { order: BITS, wins: 'last' },
  // Another spelling is DES. @see shadow's salt.c
  ENCRYPT_METHOD: { order: VALUES, wins: 'last' },
  // What libcrypt takes where none of these is written.
  YESCRYPT_COST_FACTOR: { order: C_NUMBERS, wins: 'last', default: '5' },
  SHA_CRYPT_MIN_ROUNDS: { order: C_NUMBERS, wins: 'last', default: '5000' },
  SHA_CRYPT_MAX_ROUNDS: { order: C_NUMBERS, wins: 'last', default: '5000' },
}

/** What shadow and pam_umask read. */
export const loginDefs: Surface = {
  name: 'login.defs',
  summary:
    'The file `/etc/login.defs`; the last line of a key wins. A fix edits that line. It applies to new accounts and logins, not to existing accounts.',
  installed: (files) => anyExists(files, [LOGIN_DEFS, '/usr/sbin/useradd', '/usr/bin/login']),
  keyOf: (text) =>
    /^[A-Z0-9_]+$/.test(text) ? { section: '', key: text } : { problem: 'must name a key such as PASS_MAX_DAYS' },
  rulesOf: ({ key }) => KEYS[key] ?? { order: VALUES, wins: 'last' },
  read: (files) => parseAll(files, [LOGIN_DEFS], format),
  writes: () => ({ file: LOGIN_DEFS, format }),
  activation: { kind: 'none' },
}
