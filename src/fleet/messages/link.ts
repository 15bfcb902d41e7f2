import { isSha256 } from '../../host/signing/digest.ts'
import { isCount } from './sender.ts'

/** Where a message stands among those that its host has sent. Digests are those of what was signed of a message, SHA-256 in hex. */
export interface MessageLink {
  /** 1 for the first, and one more for each that the server has acknowledged. */
  readonly sequence: number
  /** The message before it; null for the first. */
  readonly previous: string | null
  /** The whole report before it; null for the first, absent where it is no whole report itself. */
  readonly previousFull?: string | null
}

/** The newest messages that the server has acknowledged. */
export interface LinkHead {
  readonly sequence: number
  readonly digest: string
  /** The newest whole report among them; absent if missing. */
  readonly full?: string
}

/** Where the next message stands. Whole reports stay on the server for longer, so they are tied to each other, too. */
export function linkBehind(head: LinkHead | undefined, kind: string): MessageLink {
  const { sequence = 0, digest: previous = null, full: previousFull = null } = head ?? {}
  return { sequence: sequence + 1, previous, ...(kind === 'full' && { previousFull }) }
}

/** What is newest once the server has acknowledged a message. */
export function headAt(
  before: LinkHead | undefined,
  { sequence, kind, digest }: { readonly sequence: number; readonly kind: string; readonly digest: string },
): LinkHead {
  const full = kind === 'full' ? digest : before?.full
  return { sequence, digest, ...(full !== undefined && { full }) }
}

/** Reads a head from JSON; undefined if invalid. */
export function readHead(value: unknown): LinkHead | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { sequence, digest, full }: Partial<Record<keyof LinkHead, unknown>> = value
  if (!isCount(sequence) || !isSha256(digest)) return undefined
  if (full === undefined) return { sequence, digest }
  return isSha256(full) ? { sequence, digest, full } : undefined
}

const NOTHING = '-'

/** As a message says it: `7 DIGEST`, of whole reports `7 DIGEST DIGEST`; a hyphen where there was nothing before. */
export function linkText({ sequence, previous, previousFull }: MessageLink): string {
  const words = [String(sequence), previous ?? NOTHING]
  return [...words, ...(previousFull === undefined ? [] : [previousFull ?? NOTHING])].join(' ')
}

/** Reads such a text; undefined for another one. */
export function readLink(text: string): MessageLink | undefined {
  const [, number, previous, full] = /^([1-9]\d{0,14}) (-|[0-9a-f]{64})(?: (-|[0-9a-f]{64}))?$/.exec(text) ?? []
  if (number === undefined || previous === undefined) return undefined
  return {
    sequence: Number(number),
    previous: previous === NOTHING ? null : previous,
    ...(full !== undefined && { previousFull: full === NOTHING ? null : full }),
  }
}
