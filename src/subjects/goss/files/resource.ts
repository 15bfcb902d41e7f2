import type { Unknown } from '../../../model/observation.ts'
import type { Target } from '../../../host/target.ts'

/** The Goss types that driftgate measures. */
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

export type GossType = (typeof GOSS_TYPES)[number]

/** The top-level keys of a Goss document; `registry` is for Windows. */
export const GOSS_KEYS: ReadonlySet<string> = new Set([...GOSS_TYPES, 'gossfile', 'registry'])

/** Any value in a document, such as the content of `matching`. */
export type GossContent =
  boolean | number | string | null | readonly GossContent[] | { readonly [key: string]: GossContent }

/** Text from a reader (file contents, output, body): a list is matched against it as patterns. */
export interface GossText {
  readonly text: string
}

/** The measured value of an attribute. A map other than `GossText` only comes from `matching`. */
export type GossValue = GossContent | GossText

/** The value of an attribute, or why it is unknown. */
export type Measured = { readonly kind: 'known'; readonly value: GossValue } | Unknown

/**
 * A resource to measure: its type, the effective id (path, name, url; overrides applied) and the attributes in the
 * document, as plain values.
 */
export interface GossRequest {
  readonly type: GossType
  readonly id: string
  readonly given: Readonly<Record<string, unknown>>
  /** Whether commands run in `/` without the environment of this process; false if absent. */
  readonly cleanEnvironment?: boolean
}

/**
 * Measures only the attributes in `wanted`, the gate first. The result lacks attributes that were not requested or whose
 * gate is false; unreadable attributes are unknown.
 */
export type MeasureGoss = (
  request: GossRequest,
  wanted: readonly string[],
  target: Target,
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, Measured>>
