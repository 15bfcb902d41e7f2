import { hash } from 'node:crypto'
import type { ContentDigest, DecidedDrift } from '../../model/drift.ts'
import { known, type Reading } from '../../model/observation.ts'
import { unifiedDiff } from '../../model/unified-diff.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import type { Exhibit } from '../../host/target.ts'

/**
 * Both texts of a difference, or why they cannot be shown. `withheld`: even the digests stay hidden, because another user could
 * have chosen the compared content.
 */
export type TextComparison =
  | {
      readonly kind: 'texts'
      readonly observed: string
      readonly desired: string
      /** Other users cannot read the observed or the source file. */
      readonly isPrivate: boolean
    }
  | { readonly kind: 'not-shown'; readonly note?: string }
  | { readonly kind: 'withheld'; readonly note: string }

type Shown = Extract<Exhibit, { kind: 'shown' }>

/** Digest, and how to read a limited number of the digested bytes. */
export interface Fingerprinted {
  readonly digest: ContentDigest
  readonly read: (maxBytes: number) => Reading<Exhibit>
}

const MAX_TEXT_BYTES = 64 * 1024

// Tab, line feed, form feed and carriage return are text; other control characters are not.
// oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/** Content that comes from the policy, not from a file of this machine. */
export function ownText(bytes: Uint8Array): Reading<Exhibit> {
  return known({ kind: 'shown', bytes })
}

/** Texts of two contents that differ, or why they cannot be shown; never shown with `showDiff: false`. */
export function compareTexts(
  observed: Fingerprinted,
  desired: Fingerprinted,
  { showDiff, contentsHidden = false }: Pick<ResourceContext, 'showDiff' | 'contentsHidden'>,
): TextComparison {
  if (contentsHidden) return { kind: 'withheld', note: 'not shown: the policy is untrusted (--untrusted)' }
  const [before, after] = [observed.read(MAX_TEXT_BYTES), desired.read(MAX_TEXT_BYTES)]
  const withheld = [before, after].find((read) => read.kind === 'known' && read.value.kind === 'withheld')
  if (withheld?.kind === 'known' && withheld.value.kind === 'withheld') {
    return { kind: 'withheld', note: `not shown: the path can be changed by ${withheld.value.changeableBy}` }
  }
  if (!showDiff) return { kind: 'not-shown' }
  if (Math.max(observed.digest.sizeBytes, desired.digest.sizeBytes) > MAX_TEXT_BYTES) {
    return { kind: 'not-shown', note: 'too large for a text diff' }
  }
  const [from, to] = [textOf(before, observed.digest), textOf(after, desired.digest)]
  if (from === undefined || to === undefined) return { kind: 'not-shown', note: 'not text, no diff shown' }
  // Only the mode of a policy file counts, not its directory: an unpacked policy is in a private directory of this process.
  const isPrivate = from.privateBy !== undefined || to.privateBy === 'file'
  return { kind: 'texts', observed: from.text, desired: to.text, isPrivate }
}

/** Text of a digest; undefined if it is binary, or the bytes no longer match the digest. */
function textOf(
  read: Reading<Exhibit>,
  digest: ContentDigest,
): (Pick<Shown, 'privateBy'> & { readonly text: string }) | undefined {
  if (read.kind === 'unknown' || read.value.kind === 'withheld') return undefined
  const { bytes, ...how } = read.value
  if (hash('sha256', bytes, 'hex') !== digest.sha256) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return BINARY.test(text) ? undefined : { ...how, text }
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** Fields of a drift that compare two contents, besides their digests. */
export function showDifference(
  comparison: TextComparison | undefined,
): Pick<DecidedDrift, 'diff' | 'note' | 'confidential' | 'conceal'> {
  switch (comparison?.kind) {
    case undefined:
      return {}
    case 'texts': {
      const diff = unifiedDiff(comparison.observed, comparison.desired)
      return comparison.isPrivate ? { diff, confidential: true } : { diff }
    }
    case 'not-shown':
      return comparison.note === undefined ? {} : { note: comparison.note }
    case 'withheld':
      return { note: comparison.note, conceal: true }
  }
}
