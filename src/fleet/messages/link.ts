import { membersOf } from '../../model/members-of.ts'
import { isSha256 } from '../../host/signing/digest.ts'
import { isCount } from './sender.ts'

/** Position of a message in the chain of its host. Digests are SHA-256 of the signed content, in hex. */
export interface MessageLink {
  /** 1 for the first message, increased with each acknowledged one. */
  readonly sequence: number
  /** Previous message; null for the first. */
  readonly previous: string | null
  /** Previous full report; null for the first, absent unless this is a full report. */
  readonly previousFull?: string | null
}

/** Newest acknowledged messages. */
export interface LinkHead {
  readonly sequence: number
  readonly digest: string
  /** Newest full report among them; absent without one. */
  readonly full?: string
}

/** Link of the next message. Full reports stay on the server longer, so they are linked to each other as well. */
export function linkBehind(head: LinkHead | undefined, kind: string): MessageLink {
  const { sequence = 0, digest: previous = null, full: previousFull = null } = head ?? {}
  return { sequence: sequence + 1, previous, ...(kind === 'full' && { previousFull }) }
}

/** New head after an acknowledgement. */
export function headAt(
  before: LinkHead | undefined,
  { sequence, kind, digest }: { readonly sequence: number; readonly kind: string; readonly digest: string },
): LinkHead {
  const full = kind === 'full' ? digest : before?.full
  return { sequence, digest, ...(full !== undefined && { full }) }
}

/** Parses a head from JSON; undefined if invalid. */
export function readHead(value: unknown): LinkHead | undefined {
  const { sequence, digest, full } = membersOf<keyof LinkHead>(value)
  if (!isCount(sequence) || !isSha256(digest)) return undefined
  if (full === undefined) return { sequence, digest }
  return isSha256(full) ? { sequence, digest, full } : undefined
}

const NOTHING = '-'

/** Formats a link: `7 DIGEST`, for full reports `7 DIGEST DIGEST`; a hyphen without a predecessor. */
export function linkText({ sequence, previous, previousFull }: MessageLink): string {
  const words = [String(sequence), previous ?? NOTHING]
  return [...words, ...(previousFull === undefined ? [] : [previousFull ?? NOTHING])].join(' ')
}

/** Parses a link; undefined if invalid. */
export function readLink(text: string): MessageLink | undefined {
  const [, number, previous, full] = /^([1-9]\d{0,14}) (-|[0-9a-f]{64})(?: (-|[0-9a-f]{64}))?$/.exec(text) ?? []
  if (number === undefined || previous === undefined) return undefined
  return {
    sequence: Number(number),
    previous: previous === NOTHING ? null : previous,
    ...(full !== undefined && { previousFull: full === NOTHING ? null : full }),
  }
}
