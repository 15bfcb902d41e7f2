import type { Unknown } from '../../../model/observation.ts'
import type { Target } from '../../../host/target.ts'

/** The types of Goss that driftgate measures, in the words of Goss. */
export const GOSS_TYPES = [
  'addr',
  'command',
  'dns',
  'file',
  'group',
  'http',
  'interface',
  'kernel-param',
  'matching',
  'mount',
  'package',
  'port',
  'process',
  'service',
  'user',
] as const

/** One of `GOSS_TYPES`. */
export type GossType = (typeof GOSS_TYPES)[number]

/** Every key that a document of Goss may have at its top; `registry` is for Windows. */
export const GOSS_KEYS: ReadonlySet<string> = new Set([...GOSS_TYPES, 'gossfile', 'registry'])

/** Any value that a document can hold: what `matching` is given as its content. */
export type GossContent =
  boolean | number | string | null | readonly GossContent[] | { readonly [key: string]: GossContent }

/** Text that came from a reader (contents, an output, a body): a list is judged against it as patterns. */
export interface GossText {
  readonly text: string
}

/** What Goss measured of one attribute. A map that is not `GossText` comes from `matching` alone. */
export type GossValue = GossContent | GossText

/** What is known of one attribute, or why nothing is. */
export type Measured = { readonly kind: 'known'; readonly value: GossValue } | Unknown

/**
 * One resource as it is measured: its type, the effective id (path, name, url; overrides applied), and the attributes that
 * the document gives, as plain values.
 */
export interface GossRequest {
  readonly type: GossType
  readonly id: string
  readonly given: Readonly<Record<string, unknown>>
  /** Whether a command runs in `/` and without the environment of this process; in both of it where absent. */
  readonly cleanEnvironment?: boolean
}

/**
 * Measures only what is asked: the attributes named in `wanted`, the gate first. What is not in the answer was not asked for or does
 * not exist because the gate is false; what cannot be seen is in it as unknown.
 */
export type MeasureGoss = (
  request: GossRequest,
  wanted: readonly string[],
  target: Target,
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, Measured>>
