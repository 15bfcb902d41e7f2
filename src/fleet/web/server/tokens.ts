import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { closeSync, constants, fstatSync, type Stats } from 'node:fs'
import process from 'node:process'
import { OperatorError } from '../../../model/operator-error.ts'
import { systemReason } from '../../../model/system-reason.ts'
import { openRegularFile, readDescriptor } from '../../../host/live/read-whole.ts'

/**
 * What a token is for: `api` reads documents and metrics and opens no page; a reader and an operator see the pages, too. Nothing can be changed
 * with any of them.
 */
export const ROLES = ['api', 'reader', 'operator'] as const

/** One of `ROLES`. */
export type Role = (typeof ROLES)[number]

/** A user who may look. The token itself is known to that user only. */
export interface Account {
  readonly name: string
  readonly role: Role
  /** The SHA-256 of the token, which holds 256 random bits: nothing slower is needed where nothing can be guessed. */
  readonly sha256: Buffer
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/
const TOKEN = /^dgt_[A-Za-z0-9_-]{43}$/
const LINE = /^(\S+)\s+(\S+)\s+sha256:([0-9a-f]{64})$/
const LARGEST_FILE_BYTES = 1024 * 1024

/** Whether a name can stand in the file. */
export function isAccountName(text: string): boolean {
  return NAME.test(text)
}

/** A new token, and the line of the file that lets it in. */
export function makeToken(name: string, role: Role): { readonly token: string; readonly line: string } {
  const token = `dgt_${randomBytes(32).toString('base64url')}`
  return { token, line: `${name} ${role} sha256:${digestOf(token).toString('hex')}` }
}

/** Whose token it is. Every account is compared, each in the same time, so that how long it takes tells nothing. */
export function accountOf(token: string, accounts: readonly Account[]): Account | undefined {
  const digest = digestOf(TOKEN.test(token) ? token : '')
  let found: Account | undefined
  for (const account of accounts) if (timingSafeEqual(account.sha256, digest)) found = account
  return found
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/**
 * The accounts in a file, a line for each: name, role, digest. Throws an `OperatorError` where it cannot be read, others can read
 * or write it, or a line is invalid.
 */
export function readTokens(path: string): readonly Account[] {
  const lines = readOwn(path).split('\n')
  const accounts: Account[] = []
  for (const [index, line] of lines.entries()) {
    const text = line.trim()
    if (text === '' || text.startsWith('#')) continue
    const [, name = '', word, sha256 = ''] = LINE.exec(text) ?? []
    const role = ROLES.find((each) => each === word)
    if (role === undefined || !isAccountName(name))
      throw wrong(path, `line ${index + 1} is not "NAME api|reader|operator sha256:DIGEST"`)
    if (accounts.some((account) => account.name === name)) throw wrong(path, `line ${index + 1} names ${name} again`)
    accounts.push({ name, role, sha256: Buffer.from(sha256, 'hex') })
  }
  if (accounts.length === 0) throw wrong(path, 'it has no account: make one with "driftgate fleet token"')
  return accounts
}

function readOwn(path: string): string {
  let descriptor: number | undefined
  try {
    descriptor = openRegularFile(path, constants.O_NOFOLLOW)
    const reason = whyNotOwn(fstatSync(descriptor))
    if (reason !== undefined) throw wrong(path, reason)
    return readDescriptor(descriptor, LARGEST_FILE_BYTES).toString('utf8')
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot read the tokens in ${path}: ${systemReason(error)}`, { cause: error })
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function whyNotOwn({ uid, mode }: Stats): string | undefined {
  if (uid !== 0 && uid !== process.geteuid?.())
    return 'it belongs to another user: change the owner to root or yourself'
  return (mode & 0o077) === 0 ? undefined : 'others may read or write it: run chmod 0600 on it'
}

function wrong(path: string, reason: string): OperatorError {
  return new OperatorError(`the tokens in ${path} cannot be used: ${reason}`)
}
