import { createPublicKey } from 'node:crypto'
import type { Line } from '../../host/nats/line.ts'
import { namedKey } from '../../host/signing/keys.ts'
import { AUDIT_STREAM, type AuditKeys, entriesIn, onceEach, type StoredEntry } from './audit.ts'
import type { Login } from './connect.ts'
import { signingKey } from './forgeries.ts'
import { lastingLine } from './lasting-line.ts'
import { streamRange } from './stream-messages.ts'

/** Reads the activity log incrementally. */
export interface AuditReader {
  /** Reads new entries; known ones stay if the server is unreachable. */
  readonly look: () => Promise<void>
  /** Last entries, newest last; undefined before the first successful read. */
  readonly seen: () => readonly StoredEntry[] | undefined
  readonly close: () => Promise<void>
}

/** Number of entries kept; the stream holds seven years. */
const MOST_ENTRIES = 1000

/**
 * Undefined if the policy key is unknown. Connects on the first read, and again after a disconnection. Throws an
 * `OperatorError` for a login without a signing key.
 */
export function auditReader(login: Login): AuditReader | undefined {
  const { policyKey: operator, viewerKey } = login
  if (operator === undefined) return undefined
  const keys: AuditKeys = { operator, viewer: viewerKey ?? namedKey(createPublicKey(signingKey(login).key)) }
  const { follow, close } = lastingLine(login)
  let entries: readonly StoredEntry[] | undefined
  let next = 1

  async function readNew(line: Line): Promise<void> {
    const { first, last } = await streamRange(line, AUDIT_STREAM)
    // A server that lost its data numbers messages from the start.
    const from = last + 1 < next ? first : next
    const news = await entriesIn(line, keys, { first: Math.max(first, from, last - MOST_ENTRIES + 1), last })
    if (entries === undefined || news.length > 0) entries = onceEach([...(entries ?? []), ...news]).slice(-MOST_ENTRIES)
    next = last + 1
  }

  return {
    look: () => follow(readNew),
    seen: () => entries,
    close,
  }
}
