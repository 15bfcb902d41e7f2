import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { defined } from '../../model/defined.ts'
import { isSafeName } from './names.ts'
import { keyOfNkey } from './nkey.ts'

/** Invitation of a host to a fleet, encoded as one word. */
export interface Invitation {
  readonly name: string
  /** Server address, `tls://nats.example.com:4222`. */
  readonly server: string
  /** CA of the server's certificate, in PEM. */
  readonly authority: string
  /** Public key that verifies policies, in PEM. */
  readonly policyKey: string
  readonly ring: string
  /** Reporting interval, `1h`. */
  readonly interval: string
  /** One-time secret that proves the invitation. */
  readonly secret: string
  /** Contents of the approvers file; absent if the host accepts no orders. */
  readonly approvers?: string
}

/** Reusable invitation for hosts whose names match the pattern. */
export type JoinToken = Omit<Invitation, 'name'> & { readonly pattern: string }

/** An open invitation, as stored by the operator. */
export type Pending = Pick<Invitation, 'name' | 'ring' | 'interval' | 'secret'> & {
  readonly untilMs: number
  /** Labels of the host in the roster. */
  readonly labels?: Readonly<Record<string, string>>
}

/** An open join token, as stored by the operator until it is used up or expires. */
export type PendingToken = Omit<Pending, 'name'> & Pick<JoinToken, 'pattern'> & { readonly uses: number }

/** Answer of a host: its name and its public key. */
export interface Acceptance {
  readonly name: string
  readonly key: string
  readonly proof: string
}

const INVITATION = 'dg-invitation-1.'
const TOKEN = 'dg-token-1.'
const ACCEPTANCE = 'dg-acceptance-1.'

export function makeSecret(): string {
  return randomBytes(24).toString('base64url')
}

/** Encodes an invitation as one word. */
export function invitationWord(invitation: Invitation): string {
  return `${INVITATION}${Buffer.from(JSON.stringify(invitation)).toString('base64url')}`
}

/** Encodes a join token as one word. */
export function tokenWord(token: JoinToken): string {
  return `${TOKEN}${Buffer.from(JSON.stringify(token)).toString('base64url')}`
}

/** Name pattern of a token; undefined if invalid. */
export function patternOfToken(word: string): string | undefined {
  const pattern = readWord(word, TOKEN)?.['pattern']
  return pattern !== undefined && isNamePattern(pattern) ? pattern : undefined
}

/** True for a host name pattern with the wildcards `*` and `?`. */
export function isNamePattern(text: string): boolean {
  return /^[a-z0-9*?-]{1,63}$/.test(text)
}

/** Decodes an invitation, or a token as the invitation for this name; undefined if invalid. */
export function readInvitation(word: string, called?: string): Invitation | undefined {
  const token = readWord(word, TOKEN)
  const read = token === undefined ? readWord(word, INVITATION) : { ...token, name: called }
  if (read === undefined) return undefined
  const { name, server, authority, policyKey, ring, interval, secret } = read
  if (name === undefined || server === undefined || authority === undefined || policyKey === undefined) return undefined
  if (ring === undefined || interval === undefined || secret === undefined) return undefined
  if (!isSafeName(name) || !isSafeName(ring)) return undefined
  return { name, server, authority, policyKey, ring, interval, secret, ...defined({ approvers: read['approvers'] }) }
}

/** Encodes the answer to an invitation as one word. `key` is the host's public key, as returned by `publicNkey`. */
export function acceptanceWord({ name, secret }: Pick<Invitation, 'name' | 'secret'>, key: string): string {
  const answer: Acceptance = { name, key, proof: proofOf(secret, name, key) }
  return `${ACCEPTANCE}${Buffer.from(JSON.stringify(answer)).toString('base64url')}`
}

/** Decodes an answer; undefined if it or its key is invalid. */
export function readAcceptance(word: string): Acceptance | undefined {
  const { name, key, proof } = readWord(word, ACCEPTANCE) ?? {}
  if (name === undefined || key === undefined || proof === undefined) return undefined
  return isSafeName(name) && keyOfNkey(key) !== undefined ? { name, key, proof } : undefined
}

/** True if the answer proves this invitation before its deadline. */
export function isProved(
  { name, key, proof }: Acceptance,
  pending: Pick<Pending, 'secret' | 'untilMs'>,
  nowMs: number,
): boolean {
  const expected = Buffer.from(proofOf(pending.secret, name, key))
  const given = Buffer.from(proof)
  return nowMs < pending.untilMs && given.length === expected.length && timingSafeEqual(given, expected)
}

function proofOf(secret: string, name: string, key: string): string {
  return createHmac('sha256', secret).update(`${name}\n${key}`).digest('base64url')
}

function readWord(word: string, prefix: string): Readonly<Record<string, string | undefined>> | undefined {
  if (!word.startsWith(prefix)) return undefined
  try {
    const read: unknown = JSON.parse(Buffer.from(word.slice(prefix.length), 'base64url').toString('utf8'))
    if (typeof read !== 'object' || read === null) return undefined
    return Object.fromEntries(Object.entries(read).filter(([, value]) => typeof value === 'string'))
  } catch {
    return undefined
  }
}
