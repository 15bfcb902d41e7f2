import { trimBlanksOfC } from '../../settings/blanks.ts'

/** Source of an entry: `line` is absent if the whole file is meant. */
export interface Origin {
  readonly file: string
  readonly line?: number
}

/** A line of passwd(5). */
export interface PasswdLine {
  readonly name: string
  /** The second field, as written. */
  readonly password: string
  readonly uid: number
  readonly gid: number
  readonly comment: string
  readonly home: string
  readonly shell: string
}

/** A line of shadow(5), in days. Missing numbers and -1 are undefined. */
export interface ShadowLine {
  readonly name: string
  readonly password: string
  readonly lastChange: number | undefined
  readonly min: number | undefined
  readonly max: number | undefined
  readonly warn: number | undefined
  readonly inactive: number | undefined
  /** Days since 1970. */
  readonly expires: number | undefined
}

/** A line of group(5). */
export interface GroupLine {
  readonly name: string
  readonly gid: number
  readonly members: readonly string[]
}

export interface Parsed<Line> {
  readonly lines: readonly (Line & { readonly line: number })[]
  /** Lines that glibc ignores, with the name at their start. */
  readonly malformed: readonly { readonly name: string; readonly line: number }[]
  /** Lines that begin with a plus or minus sign: NIS references, not accounts. */
  readonly references: readonly number[]
}

/** Parses passwd(5) as glibc's `files` does: `00`, ` 0` and `+0` are 0, and fields after the ids may be missing. */
export function parsePasswd(text: string): Parsed<PasswdLine> {
  return parseLines(text, (name, rest) => {
    const cursor = cursorOf(rest)
    const password = cursor.text()
    const [uid, gid] = [cursor.id(), cursor.id()]
    if (uid === undefined || gid === undefined) return undefined
    return { name, password, uid, gid, comment: cursor.text(), home: cursor.text(), shell: cursor.rest() }
  })
}

/** Parses shadow(5) as glibc does. */
export function parseShadow(text: string): Parsed<ShadowLine> {
  return parseLines(text, (name, rest) => {
    const cursor = cursorOf(rest)
    const password = cursor.text()
    const [lastChange, min, max] = [cursor.days(), cursor.days(), cursor.days()]
    if (cursor.isBroken()) return undefined
    const aged = { name, password, lastChange, min, max }
    // The old format ends here.
    if (cursor.isAtEnd()) return { ...aged, warn: undefined, inactive: undefined, expires: undefined }
    const [warn, inactive, expires] = [cursor.days(), cursor.days(), cursor.days()]
    // The last field is reserved, and still must be a number.
    const reserved = cursor.rest()
    if (cursor.isBroken() || (reserved !== '' && unsigned(reserved) === undefined)) return undefined
    return { ...aged, warn, inactive, expires }
  })
}

/** Parses group(5) as glibc does. */
export function parseGroup(text: string): Parsed<GroupLine> {
  return parseLines(text, (name, rest) => {
    const cursor = cursorOf(rest)
    cursor.text()
    const gid = cursor.id()
    if (gid === undefined) return undefined
    return { name, gid, members: membersOf(cursor.rest()) }
  })
}

/** A line of gshadow(5). */
export interface GshadowLine {
  readonly name: string
  readonly password: string
  /** They add and remove members with gpasswd(1), themselves included. */
  readonly administrators: readonly string[]
  /** newgrp(1) admits them without a password. */
  readonly members: readonly string[]
}

/** Parses gshadow(5). */
export function parseGshadow(text: string): Parsed<GshadowLine> {
  return parseLines(text, (name, rest) => {
    const cursor = cursorOf(rest)
    return {
      name,
      password: cursor.text(),
      administrators: membersOf(cursor.text()),
      members: membersOf(cursor.rest()),
    }
  })
}

function membersOf(list: string): readonly string[] {
  return list
    .split(',')
    .map((member) => member.replace(/^[\t\v\f\r ]+/, ''))
    .filter((member) => member !== '')
}

function parseLines<Line>(text: string, parse: (name: string, rest: string) => Line | undefined): Parsed<Line> {
  const lines: (Line & { line: number })[] = []
  const malformed: { name: string; line: number }[] = []
  const references: number[] = []
  const all = text.split('\n')
  for (const [index, written] of all.entries()) {
    // glibc reads a line as a C string, which ends at its first NUL.
    const whole = written.replace(/\0.*$/s, '')
    const bare = whole.replace(/^[\t\v\f\r ]+/, '')
    // It moves an indented string without its NUL, so the end of one that has no newline remains behind it.
    const hasNewline = index < all.length - 1 && whole === written
    const content = hasNewline || bare === '' ? bare : bare + whole.slice(bare.length)
    if (content === '' || content.startsWith('#')) continue
    const end = content.indexOf(':')
    const name = end === -1 ? content : content.slice(0, end)
    const line = index + 1
    if (/^[+-]/.test(name)) {
      references.push(line)
      continue
    }
    const parsed = parse(name, end === -1 ? '' : content.slice(end + 1))
    if (parsed === undefined) malformed.push({ name, line })
    else lines.push({ ...parsed, line })
  }
  return { lines, malformed, references }
}

/** Reads the fields of a line one after another. */
interface Cursor {
  readonly text: () => string
  /** A number; undefined if glibc rejects the text. */
  readonly id: () => number | undefined
  /** A number or an empty field; any other text invalidates the line. */
  readonly days: () => number | undefined
  readonly rest: () => string
  readonly isAtEnd: () => boolean
  readonly isBroken: () => boolean
}

function cursorOf(written: string): Cursor {
  let left = written
  let isBroken = false
  const text = (): string => {
    const [field = ''] = left.split(':', 1)
    left = left.slice(field.length + 1)
    return field
  }
  return {
    text,
    id: () => unsigned(text()),
    days() {
      if (left === '') isBroken = true
      const field = text()
      if (field === '') return undefined
      const value = unsigned(field)
      isBroken ||= value === undefined
      // Converted to a C int.
      return value === undefined || (value | 0) === -1 ? undefined : value | 0
    },
    rest: () => left,
    isAtEnd: () => trimBlanksOfC(left) === '',
    isBroken: () => isBroken,
  }
}

/** Result of strtoul(3), if it fits into 32 bits. */
function unsigned(text: string): number | undefined {
  const [, sign, digits] = /^[\t\v\f\r ]*([+-]?)(\d+)$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const magnitude = BigInt(digits)
  if (magnitude >= 2n ** 64n) return undefined
  const value = BigInt.asUintN(64, sign === '-' ? -magnitude : magnitude)
  return value < 2n ** 32n ? Number(value) : undefined
}

/** Effect of a password field on login. */
export type PasswordClass =
  /** No password is required. */
  | 'empty'
  /** A hash. */
  | 'set'
  /** A prefix disables the hash until it is removed. */
  | 'locked'
  /** No password matches, and there is no hash to unlock. */
  | 'unusable'

/** A password field without its secret. */
export interface PasswordState {
  readonly class: PasswordClass
  /** The hash scheme, if any; `unknown` for a hash that crypt(5) does not describe. */
  readonly scheme: string | undefined
}

const SCHEMES: readonly (readonly [pattern: RegExp, scheme: string])[] = [
  [/^\$y\$/, 'yescrypt'],
  [/^\$gy\$/, 'gost-yescrypt'],
  [/^\$7\$/, 'scrypt'],
  [/^\$2[abxy]\$/, 'bcrypt'],
  [/^\$6\$/, 'sha512'],
  [/^\$5\$/, 'sha256'],
  [/^\$sha1\$/, 'sha1'],
  [/^\$md5/, 'sunmd5'],
  [/^\$1\$/, 'md5'],
  [/^\$3\$/, 'nt'],
  [/^_[./0-9A-Za-z]{19}$/, 'bsdicrypt'],
  [/^[./0-9A-Za-z]{13}$/, 'descrypt'],
  [/^\$/, 'unknown'],
]

/** All named schemes. @see crypt(5) */
export const PASSWORD_SCHEMES: readonly string[] = SCHEMES.map(([, scheme]) => scheme)

/** Interprets a password field of passwd or shadow. */
export function readPassword(field: string): PasswordState {
  if (field === '') return { class: 'empty', scheme: undefined }
  const hash = field.replace(/^[!*]+/, '')
  const scheme = SCHEMES.find(([pattern]) => pattern.test(hash))?.[1]
  if (scheme === undefined) return { class: 'unusable', scheme }
  return { class: hash === field ? 'set' : 'locked', scheme }
}
