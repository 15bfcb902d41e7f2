/** Where something is said: `line` is absent where the whole file says it. */
export interface Origin {
  readonly file: string
  readonly line?: number
}

/** A line of passwd(5). */
export interface PasswdLine {
  readonly name: string
  /** The second field, as it is written. */
  readonly password: string
  readonly uid: number
  readonly gid: number
  readonly comment: string
  readonly home: string
  readonly shell: string
}

/** A line of shadow(5). Numbers that are not written, or are -1, are undefined; all count days. */
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

/** What a file of accounts holds, line by line. */
export interface Parsed<Line> {
  readonly lines: readonly (Line & { readonly line: number })[]
  /** Lines that glibc leaves out, with the name they begin with. */
  readonly malformed: readonly { readonly name: string; readonly line: number }[]
  /** Lines that begin with a plus or minus sign: they refer to NIS, and name no account of their own. */
  readonly references: readonly number[]
}

/** Reads passwd(5) as glibc's `files` does: `00`, ` 0` and `+0` are 0, and what follows the ids may be missing. */
export function parsePasswd(text: string): Parsed<PasswdLine> {
  return parseLines(text, (name, rest) => {
    const cursor = cursorOf(rest)
    const password = cursor.text()
    const [uid, gid] = [cursor.id(), cursor.id()]
    if (uid === undefined || gid === undefined) return undefined
    return { name, password, uid, gid, comment: cursor.text(), home: cursor.text(), shell: cursor.rest() }
  })
}

/** Reads shadow(5) as glibc does. */
export function parseShadow(text: string): Parsed<ShadowLine> {
  return parseLines(text, (name, rest) => {
    const cursor = cursorOf(rest)
    const password = cursor.text()
    const [lastChange, min, max] = [cursor.days(), cursor.days(), cursor.days()]
    if (cursor.isBroken()) return undefined
    const aged = { name, password, lastChange, min, max }
    // The old form ends here.
    if (cursor.isAtEnd()) return { ...aged, warn: undefined, inactive: undefined, expires: undefined }
    const [warn, inactive, expires] = [cursor.days(), cursor.days(), cursor.days()]
    // What stands behind is reserved, and still has to be a number.
    const reserved = cursor.rest()
    if (cursor.isBroken() || (reserved !== '' && unsigned(reserved) === undefined)) return undefined
    return { ...aged, warn, inactive, expires }
  })
}

/** Reads group(5) as glibc does. */
export function parseGroup(text: string): Parsed<GroupLine> {
  return parseLines(text, (name, rest) => {
    const cursor = cursorOf(rest)
    cursor.text()
    const gid = cursor.id()
    if (gid === undefined) return undefined
    return { name, gid, members: membersOf(cursor.rest()) }
  })
}

/** The members of each group in gshadow(5), which newgrp(1) lets in without a password. */
export function parseGshadow(text: string): Parsed<{ readonly name: string; readonly members: readonly string[] }> {
  return parseLines(text, (name, rest) => {
    const cursor = cursorOf(rest)
    cursor.text()
    cursor.text()
    return { name, members: membersOf(cursor.rest()) }
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
  for (const [index, written] of text.split('\n').entries()) {
    // A line is a text of C, so it ends at its first NUL.
    const content = written.replace(/\0.*$/s, '').replace(/^[\t\v\f\r ]+/, '')
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

/** Takes fields off a line one after another. */
interface Cursor {
  readonly text: () => string
  /** A number; undefined if glibc rejects the text. */
  readonly id: () => number | undefined
  /** A number or nothing; what is neither breaks the line. */
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
      // It becomes an int of C.
      return value === undefined || (value | 0) === -1 ? undefined : value | 0
    },
    rest: () => left,
    isAtEnd: () => left.trim() === '',
    isBroken: () => isBroken,
  }
}

/** What strtoul(3) makes of a text, where it fits into 32 bits. */
function unsigned(text: string): number | undefined {
  const [, sign, digits] = /^[\t\v\f\r ]*([+-]?)(\d+)$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const magnitude = BigInt(digits)
  if (magnitude >= 2n ** 64n) return undefined
  const value = BigInt.asUintN(64, sign === '-' ? -magnitude : magnitude)
  return value < 2n ** 32n ? Number(value) : undefined
}

/** What a password field lets a user do. */
export type PasswordClass =
  /** Nothing has to be typed. */
  | 'empty'
  /** A hash. */
  | 'set'
  /** A hash that something stands before, so that it matches nothing until that is taken away. */
  | 'locked'
  /** Nothing that is typed matches, and there is no hash that could be unlocked. */
  | 'unusable'

/** A password field without what is secret in it. */
export interface PasswordState {
  readonly class: PasswordClass
  /** How it is hashed, where it is; `unknown` for a hash that crypt(5) does not describe. */
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

/** All schemes that have a name. @see crypt(5) */
export const PASSWORD_SCHEMES: readonly string[] = SCHEMES.map(([, scheme]) => scheme)

/** What a password field of passwd or shadow means. */
export function readPassword(field: string): PasswordState {
  if (field === '') return { class: 'empty', scheme: undefined }
  const hash = field.replace(/^[!*]+/, '')
  const scheme = SCHEMES.find(([pattern]) => pattern.test(hash))?.[1]
  if (scheme === undefined) return { class: 'unusable', scheme }
  return { class: hash === field ? 'set' : 'locked', scheme }
}
