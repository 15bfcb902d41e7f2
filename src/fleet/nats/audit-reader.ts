import { createPublicKey } from 'node:crypto'
import type { Line } from '../../host/nats/line.ts'
import { namedKey } from '../../host/signing/keys.ts'
import { AUDIT_STREAM, type AuditKeys, entriesIn, onceEach, type StoredEntry } from './audit.ts'
import type { Login } from './connect.ts'
import { signingKey } from './forgeries.ts'
import { lastingLine } from './lasting-line.ts'
import { streamRange } from './stream-messages.ts'

/** Reads what was done to a fleet, for repeated readers. */
export interface AuditReader {
  /** Reads what is new; a server that is away takes nothing back. */
  readonly look: () => Promise<void>
  /** The last entries, the newest last; undefined before any look has succeeded. */
  readonly seen: () => readonly StoredEntry[] | undefined
  readonly close: () => Promise<void>
}

/** So many of the last entries are kept: the stream has those of seven years. */
const MOST_ENTRIES = 1000

/**
 * Undefined where it is not said whose entries count. Connects when it is asked first, and again after the server was away. Throws an
 * `OperatorError` for a login whose key can sign nothing.
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
    // A server that has lost what it stored begins to count anew.
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
