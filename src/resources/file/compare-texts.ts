import { hash } from 'node:crypto'
import { resolve } from 'node:path'
import type { ContentDigest } from '../../core/drift.ts'
import { known, type Reading } from '../../core/observation.ts'
import type { Target } from '../../target/target.ts'
import type { ResourceContext } from '../define.ts'
import type { FileProperties } from './properties.ts'
import type { TextComparison } from './state.ts'

const MAX_TEXT_BYTES = 64 * 1024

// Tab, line feed, form feed and carriage return are text; other control characters are not.
// oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/** The two fingerprints that differ, and where the texts behind them come from. */
export interface ComparisonInput {
  readonly content: { readonly kind: 'known'; readonly value: ContentDigest }
  readonly observed: Reading<ContentDigest>
  readonly context: ResourceContext
}

/** The texts of a content drift, or why they cannot be shown. Undefined where nothing differs or nothing was read. */
export function compareTexts(
  target: Pick<Target, 'readHead'>,
  desired: FileProperties,
  { content, observed, context }: ComparisonInput,
): TextComparison | undefined {
  if (observed.kind === 'unknown' || observed.value.sha256 === content.value.sha256) return undefined
  if (Math.max(observed.value.sizeBytes, content.value.sizeBytes) > MAX_TEXT_BYTES) {
    return { kind: 'not-shown', note: 'too large for a text difference' }
  }
  const before = readText(target.readHead(desired.name, MAX_TEXT_BYTES), observed.value)
  const after =
    desired.content === undefined
      ? readText(
          target.readHead(resolve(context.workingDirectory, desired.source ?? ''), MAX_TEXT_BYTES),
          content.value,
        )
      : readText(known(Buffer.from(desired.content)), content.value)
  if (before === undefined || after === undefined) return { kind: 'not-shown', note: 'not text, no difference shown' }
  return { kind: 'texts', observed: before, desired: after }
}

/** The text behind a fingerprint; undefined if it is no text, or the file is not the one that was fingerprinted. */
function readText(bytes: Reading<Uint8Array>, digest: ContentDigest): string | undefined {
  if (bytes.kind === 'unknown' || hash('sha256', bytes.value, 'hex') !== digest.sha256) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.value)
    return BINARY.test(text) ? undefined : text
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
