import { hash } from 'node:crypto'
import type { ContentDigest } from '../core/drift.ts'
import type { Reading } from '../core/observation.ts'

/** The two texts of a difference, or why they cannot be shown. */
export type TextComparison =
  | { readonly kind: 'texts'; readonly observed: string; readonly desired: string }
  | { readonly kind: 'not-shown'; readonly note: string }

/** A fingerprint, and how to read at most so many of the bytes behind it. */
export interface Fingerprinted {
  readonly digest: ContentDigest
  readonly read: (maxBytes: number) => Reading<Uint8Array>
}

const MAX_TEXT_BYTES = 64 * 1024

// Tab, line feed, form feed and carriage return are text; other control characters are not.
// oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/** The texts of two contents that differ, or why they cannot be shown. */
export function compareTexts(observed: Fingerprinted, desired: Fingerprinted): TextComparison {
  if (Math.max(observed.digest.sizeBytes, desired.digest.sizeBytes) > MAX_TEXT_BYTES) {
    return { kind: 'not-shown', note: 'too large for a text difference' }
  }
  const [before, after] = [readText(observed), readText(desired)]
  if (before === undefined || after === undefined) return { kind: 'not-shown', note: 'not text, no difference shown' }
  return { kind: 'texts', observed: before, desired: after }
}

/** The text behind a fingerprint; undefined if it is no text, or the bytes are not those that were fingerprinted. */
function readText({ digest, read }: Fingerprinted): string | undefined {
  const bytes = read(MAX_TEXT_BYTES)
  if (bytes.kind === 'unknown' || hash('sha256', bytes.value, 'hex') !== digest.sha256) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.value)
    return BINARY.test(text) ? undefined : text
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
