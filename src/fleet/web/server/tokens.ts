import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { closeSync, constants, fstatSync, type Stats } from 'node:fs'
import process from 'node:process'
import { OperatorError } from '../../../model/operator-error.ts'
import { systemReason } from '../../../model/system-reason.ts'
import { openRegularFile, readDescriptor } from '../../../host/live/read-whole.ts'

/**
 * Scope of a token: `api` reads documents and metrics, but no pages; a reader and an operator also see the pages. All
 * are read-only.
 */
export const ROLES = ['api', 'reader', 'operator'] as const

export type Role = (typeof ROLES)[number]

/** An account with read access. Only its user knows the token. */
export interface Account {
  readonly name: string
  readonly role: Role
  /** SHA-256 of the token. A token has 256 random bits, so a slow hash is unnecessary. */
  readonly sha256: Buffer
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/
const TOKEN = /^dgt_[A-Za-z0-9_-]{43}$/
const LINE = /^(\S+)\s+(\S+)\s+sha256:([0-9a-f]{64})$/
const LARGEST_FILE_BYTES = 1024 * 1024

/** True for a valid account name. */
export function isAccountName(text: string): boolean {
  return NAME.test(text)
}

/** Creates a token and its line for the token file. */
export function makeToken(name: string, role: Role): { readonly token: string; readonly line: string } {
  const token = `dgt_${randomBytes(32).toString('base64url')}`
  return { token, line: `${name} ${role} sha256:${digestOf(token).toString('hex')}` }
}

/** Account of a token. Compares every account in constant time. */
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
 * Reads the accounts of a token file, one line each: name, role, digest. Throws an `OperatorError` if the file is
 * unreadable, accessible to others, or invalid.
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
      throw invalidTokensError(path, `line ${index + 1} is not "NAME api|reader|operator sha256:DIGEST"`)
    if (accounts.some((account) => account.name === name))
      throw invalidTokensError(path, `line ${index + 1} names ${name} again`)
    accounts.push({ name, role, sha256: Buffer.from(sha256, 'hex') })
  }
  if (accounts.length === 0) throw invalidTokensError(path, 'it has no token: create one with "driftgate fleet token"')
  return accounts
}

function readOwn(path: string): string {
  let descriptor: number | undefined
  try {
    descriptor = openRegularFile(path, constants.O_NOFOLLOW)
    const reason = whyNotOwn(fstatSync(descriptor))
    if (reason !== undefined) throw invalidTokensError(path, reason)
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
  return (mode & 0o077) === 0 ? undefined : 'other users can read or write it: run chmod 0600 on it'
}

function invalidTokensError(path: string, reason: string): OperatorError {
  return new OperatorError(`the tokens in ${path} cannot be used: ${reason}`)
}
