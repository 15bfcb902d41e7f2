import { lineFormat } from '../../settings/formats/lines.ts'
import { anyExists, parseAll } from '../../settings/reading.ts'
import type { KeyRules, Surface } from '../../settings/surface.ts'
import { BITS, byNumber, C_NUMBERS, cNumberOf, VALUES } from '../../settings/values.ts'

const FILE = '/etc/login.defs'

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
  installed: (files) => anyExists(files, [FILE, '/usr/sbin/useradd', '/usr/bin/login']),
  keyOf: (text) =>
    /^[A-Z0-9_]+$/.test(text) ? { section: '', key: text } : { problem: 'must name a key such as PASS_MAX_DAYS' },
  rulesOf: ({ key }) => KEYS[key] ?? { order: VALUES, wins: 'last' },
  read: (files) => parseAll(files, [FILE], format),
  writes: () => ({ file: FILE, format }),
  activation: { kind: 'none' },
}
