import type { AuditEntry, StoredEntry } from './audit.ts'

/** Which acts are to be shown. */
export interface AuditSelection {
  /** Done since then, in milliseconds since 1970, by the clock of who did it. */
  readonly sinceMs?: number
  /** One of these words; any if absent. */
  readonly acts: readonly string[]
  /** A host, a ring or a digest that the entry names. */
  readonly about?: string
}

/** Those entries, and everything without a valid signature: that is never left out. */
export function selectEntries(stored: readonly StoredEntry[], selection: AuditSelection): readonly StoredEntry[] {
  const { sinceMs = -Infinity, acts, about } = selection
  const names = about === undefined ? undefined : naming(about)
  return stored.filter(({ said }) => {
    if ('message' in said) return true
    const { at, act } = said.entry
    // A time that cannot be read leaves nothing out.
    if (Date.parse(at) < sinceMs || (acts.length > 0 && !acts.includes(act))) return false
    return names === undefined || names(said.entry)
  })
}

/** So many digits tell digests apart, of which people copy the begin. */
const DIGITS = /^[0-9a-f]{8,64}$/

/** Whether an entry names something as a whole word: `web1` is not `web10`, and `all` stands in `ring.all`. */
function naming(about: string): (entry: AuditEntry) => boolean {
  const escaped = about.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`)
  const end = DIGITS.test(about) ? '' : '(?![A-Za-z0-9-])'
  const word = new RegExp(`(?<![A-Za-z0-9-])${escaped}${end}`)
  return ({ about: what, text }) => word.test(what) || word.test(text)
}
