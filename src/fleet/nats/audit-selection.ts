import type { AuditEntry, StoredEntry } from './audit.ts'

/** Selects activity log entries. */
export interface AuditSelection {
  /** Start time, in milliseconds since 1970, by the author's clock. */
  readonly sinceMs?: number
  /** Kinds of acts; empty for all. */
  readonly acts: readonly string[]
  /** A host, a ring or a digest that the entry contains. */
  readonly about?: string
}

/** Selected entries; entries without a valid signature are always included. */
export function selectEntries(stored: readonly StoredEntry[], selection: AuditSelection): readonly StoredEntry[] {
  const { sinceMs = -Infinity, acts, about } = selection
  const names = about === undefined ? undefined : createNameFilter(about)
  return stored.filter(({ said }) => {
    if ('message' in said) return true
    const { at, act } = said.entry
    // An invalid time excludes nothing.
    if (Date.parse(at) < sinceMs || (acts.length > 0 && !acts.includes(act))) return false
    return names === undefined || names(said.entry)
  })
}

/** A digest or its prefix, as users copy it. */
const DIGITS = /^[0-9a-f]{8,64}$/

/** Matches whole words: `web1` does not match `web10`, and `all` matches `ring.all`. */
function createNameFilter(about: string): (entry: AuditEntry) => boolean {
  const escaped = about.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`)
  const end = DIGITS.test(about) ? '' : '(?![A-Za-z0-9-])'
  const word = new RegExp(`(?<![A-Za-z0-9-])${escaped}${end}`)
  return ({ about: what, text }) => word.test(what) || word.test(text)
}
