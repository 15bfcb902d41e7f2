import type { Drift, UnknownProperty } from '../../../model/drift.ts'
import type { Reading } from '../../../model/observation.ts'
import type { FileKind } from '../../../host/target.ts'
import {
  excessOf,
  type Listed,
  mayListTooMuch,
  NO_MORE_ACCESS,
  type ObservedList,
  unknownAccess,
} from '../../shared/lists.ts'

/** What an entry gives that its mode does not say. */
export interface ObservedBeyond extends ObservedList {
  /** The capabilities that a program gives to the user who runs it, or null. */
  readonly capabilities: string | null
}

/** What of it a policy asks about an entry. */
export interface AskedBeyond {
  readonly asksCapabilities: boolean
  /** Undefined where a list may say anything. */
  readonly listed: Listed | undefined
  /** Whether a list that cannot be read is an error. */
  readonly isStrict: boolean
}

/** What is wrong with an entry. */
export interface EntryComparison {
  readonly drift: readonly Drift[]
  readonly unknown: readonly UnknownProperty[]
  readonly warnings: readonly string[]
}

export const NOTHING_WRONG: EntryComparison = { drift: [], unknown: [], warnings: [] }

/** Whether something beside the mode has to be read. */
export function isAsked({ asksCapabilities, listed }: AskedBeyond): boolean {
  return asksCapabilities || (listed !== undefined && mayListTooMuch(listed))
}

/** What was seen of an entry beside its attributes. */
export interface ObservedBeside {
  readonly kind: FileKind
  readonly beyond?: Reading<ObservedBeyond>
  readonly way?: readonly string[]
}

function accessDrift(found: readonly string[]): readonly Drift[] {
  return found.length === 0 ? [] : [{ property: 'access', desired: NO_MORE_ACCESS, observed: found.join('; ') }]
}

/** Compares what was read beside the mode; undefined where that was not asked. */
export function compareBeyond(
  { kind, beyond, way = [] }: ObservedBeside,
  { asksCapabilities, listed, isStrict }: AskedBeyond,
): EntryComparison {
  if (beyond === undefined) return { ...NOTHING_WRONG, drift: accessDrift(way) }
  if (beyond.kind === 'unknown') {
    const { reason, detail } = beyond
    const asked = [
      ...(asksCapabilities ? ['capabilities'] : []),
      ...(listed !== undefined && isStrict ? ['access'] : []),
    ]
    return {
      drift: accessDrift(way),
      unknown: asked.map((property) => ({ property, reason, detail })),
      warnings: asked.length === 0 ? [unknownAccess(detail)] : [],
    }
  }
  const { capabilities } = beyond.value
  const excess = listed === undefined ? '' : excessOf(beyond.value, listed, kind === 'directory')
  return {
    drift: [
      ...accessDrift(excess === '' ? way : [excess, ...way]),
      ...(capabilities === null || !asksCapabilities
        ? []
        : [{ property: 'capabilities', desired: false, observed: capabilities }]),
    ],
    unknown: [],
    warnings: [],
  }
}
