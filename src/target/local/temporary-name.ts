import { randomBytes } from 'node:crypto'

// Names may have 255 bytes on all usual file systems; the rest is for the dots, the word and the random part.
const MAX_BASE_BYTES = 200

const SHAPE = /^\..*\.driftgate-[0-9a-f]{16}$/s

/** A name for a temporary file beside the one with the given name; hidden, unique and recognisable as ours. */
export function temporaryName(base: string): string {
  let kept = ''
  for (const character of base) {
    if (Buffer.byteLength(kept) + Buffer.byteLength(character) > MAX_BASE_BYTES) break
    kept += character
  }
  return `.${kept}.driftgate-${randomBytes(8).toString('hex')}`
}

/** Whether a name is one that `temporaryName` makes. */
export function isTemporaryName(name: string): boolean {
  return SHAPE.test(name)
}
