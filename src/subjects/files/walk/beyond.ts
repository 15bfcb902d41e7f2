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

/** Access of an entry beyond its mode. */
export interface ObservedBeyond extends ObservedList {
  /** Capabilities of a program, or null. */
  readonly capabilities: string | null
}

/** Access beyond the mode that a policy asks about. */
export interface AskedBeyond {
  readonly asksCapabilities: boolean
  /** Undefined if any list is accepted. */
  readonly listed: Listed | undefined
  /** Whether an unreadable list is an error. */
  readonly isStrict: boolean
}

export interface EntryComparison {
  readonly drift: readonly Drift[]
  readonly unknown: readonly UnknownProperty[]
  readonly warnings: readonly string[]
}

export const NOTHING_WRONG: EntryComparison = { drift: [], unknown: [], warnings: [] }

/** Whether access beyond the mode must be read. */
export function isAsked({ asksCapabilities, listed }: AskedBeyond): boolean {
  return asksCapabilities || (listed !== undefined && mayListTooMuch(listed))
}

/** Observations of an entry beyond its attributes. */
export interface ObservedBeside {
  readonly kind: FileKind
  readonly beyond?: Reading<ObservedBeyond>
  readonly way?: readonly string[]
}

function accessDrift(found: readonly string[]): readonly Drift[] {
  return found.length === 0 ? [] : [{ property: 'access', desired: NO_MORE_ACCESS, observed: found.join('; ') }]
}

/** Compares the access beyond the mode; undefined if not requested. */
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
