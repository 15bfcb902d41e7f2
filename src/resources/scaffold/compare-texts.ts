import { hash } from 'node:crypto'
import type { ContentDigest } from '../../core/drift.ts'
import type { Target } from '../../target/target.ts'
import type { RenderedFile, TextComparison } from './state.ts'

const MAX_TEXT_BYTES = 64 * 1024

// Tab, line feed, form feed and carriage return are text; other control characters are not.
// oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/** The texts of a file that differs from what is rendered, or why they cannot be shown. */
export function compareTexts(
  target: Pick<Target, 'readHead'>,
  path: string,
  { bytes, digest }: RenderedFile,
  observed: ContentDigest,
): TextComparison {
  if (Math.max(observed.sizeBytes, digest.sizeBytes) > MAX_TEXT_BYTES) {
    return { kind: 'not-shown', note: 'too large for a text difference' }
  }
  const found = target.readHead(path, MAX_TEXT_BYTES)
  // What was read must be what was fingerprinted.
  const isSame = found.kind === 'known' && hash('sha256', found.value, 'hex') === observed.sha256
  const before = isSame ? readText(found.value) : undefined
  const after = readText(bytes)
  if (before === undefined || after === undefined) return { kind: 'not-shown', note: 'not text, no difference shown' }
  return { kind: 'texts', observed: before, desired: after }
}

function readText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return BINARY.test(text) ? undefined : text
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
