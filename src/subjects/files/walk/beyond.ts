import type { Drift, UnknownProperty } from '../../../model/drift.ts'
import type { Reading } from '../../../model/observation.ts'
import {
  excessOf,
  type Listed,
  mayListTooMuch,
  NO_MORE_ACCESS,
  type SeenList,
  unknownAccess,
} from '../../shared/lists.ts'

/** What an entry gives that its mode does not say. */
export interface SeenBeyond extends SeenList {
  /** The capabilities that a program gives to whoever runs it, or null. */
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

/** Compares what was read beside the mode; undefined where that was not asked. */
export function compareBeyond(
  beyond: Reading<SeenBeyond> | undefined,
  { asksCapabilities, listed, isStrict }: AskedBeyond,
  isDirectory: boolean,
): EntryComparison {
  if (beyond === undefined) return NOTHING_WRONG
  if (beyond.kind === 'unknown') {
    const { reason, detail } = beyond
    const asked = [
      ...(asksCapabilities ? ['capabilities'] : []),
      ...(listed !== undefined && isStrict ? ['access'] : []),
    ]
    return {
      drift: [],
      unknown: asked.map((property) => ({ property, reason, detail })),
      warnings: asked.length === 0 ? [unknownAccess(detail)] : [],
    }
  }
  const { capabilities } = beyond.value
  const excess = listed === undefined ? '' : excessOf(beyond.value, listed, isDirectory)
  return {
    drift: [
      ...(excess === '' ? [] : [{ property: 'access', desired: NO_MORE_ACCESS, observed: excess }]),
      ...(capabilities === null || !asksCapabilities
        ? []
        : [{ property: 'capabilities', desired: false, observed: capabilities }]),
    ],
    unknown: [],
    warnings: [],
  }
}
