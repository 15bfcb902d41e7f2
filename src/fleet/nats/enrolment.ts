import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { defined } from '../../model/defined.ts'
import { isSafeName } from './names.ts'
import { keyOfNkey } from './nkey.ts'

/** What a host has to know to become one of a fleet; travels as one word. */
export interface Invitation {
  readonly name: string
  /** The server, `tls://nats.example.com:4222`. */
  readonly server: string
  /** The authority of the server's certificate, in PEM. */
  readonly authority: string
  /** The public key that signs policies, in PEM. */
  readonly policyKey: string
  readonly ring: string
  /** How often it is to report, `1h`. */
  readonly interval: string
  /** Proves once that who answers has been invited. */
  readonly secret: string
  /** The text of the file that says who may approve orders; absent where the host is to take none. */
  readonly approvers?: string
}

/** What many hosts have to know to become some of a fleet, each under a name that fits the pattern. */
export type JoinToken = Omit<Invitation, 'name'> & { readonly pattern: string }

/** What the operator keeps of an invitation until it is answered. */
export type Pending = Pick<Invitation, 'name' | 'ring' | 'interval' | 'secret'> & {
  readonly untilMs: number
  /** What the roster is to say of the host. */
  readonly labels?: Readonly<Record<string, string>>
}

/** What the operator keeps of a token until it is used up or has expired. */
export type PendingToken = Omit<Pending, 'name'> & Pick<JoinToken, 'pattern'> & { readonly uses: number }

/** The answer of a host: its name and the public half of the key that it made. */
export interface Acceptance {
  readonly name: string
  readonly key: string
  readonly proof: string
}

const INVITATION = 'dg-invitation-1.'
const TOKEN = 'dg-token-1.'
const ACCEPTANCE = 'dg-acceptance-1.'

/** A secret that cannot be guessed. */
export function makeSecret(): string {
  return randomBytes(24).toString('base64url')
}

/** The invitation as one word. */
export function invitationWord(invitation: Invitation): string {
  return `${INVITATION}${Buffer.from(JSON.stringify(invitation)).toString('base64url')}`
}

/** The token as one word. */
export function tokenWord(token: JoinToken): string {
  return `${TOKEN}${Buffer.from(JSON.stringify(token)).toString('base64url')}`
}

/** The pattern of the names in a token; undefined if invalid. */
export function patternOfToken(word: string): string | undefined {
  const pattern = readWord(word, TOKEN)?.['pattern']
  return pattern !== undefined && isNamePattern(pattern) ? pattern : undefined
}

/** Whether a text is a name of hosts in which `*` and `?` may stand for others. */
export function isNamePattern(text: string): boolean {
  return /^[a-z0-9*?-]{1,63}$/.test(text)
}

/** Reads an invitation, or a token as the invitation of this name; undefined where the word is neither. */
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

/** The answer to an invitation as one word. `key` is the host's public key as `publicNkey` gives it. */
export function acceptanceWord({ name, secret }: Pick<Invitation, 'name' | 'secret'>, key: string): string {
  const answer: Acceptance = { name, key, proof: proofOf(secret, name, key) }
  return `${ACCEPTANCE}${Buffer.from(JSON.stringify(answer)).toString('base64url')}`
}

/** Reads an answer; undefined if the answer or its key is invalid. */
export function readAcceptance(word: string): Acceptance | undefined {
  const { name, key, proof } = readWord(word, ACCEPTANCE) ?? {}
  if (name === undefined || key === undefined || proof === undefined) return undefined
  return isSafeName(name) && keyOfNkey(key) !== undefined ? { name, key, proof } : undefined
}

/** Whether the answer is one to this invitation, in time. */
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
