import type { Obstacle } from '../../../model/decision.ts'
import { unreadable } from '../../../model/differences.ts'
import type { Drift, UnknownProperty } from '../../../model/drift.ts'
import { cannotBeMetHere } from '../../../model/notes.ts'
import type { FileState } from './model.ts'

// The flag that keeps all users from changing a file or directory, root included.

/** What comparing it found. */
export interface ImmutableComparison {
  readonly drift: readonly Drift[]
  readonly unknown: readonly UnknownProperty[]
  /** Whether a fix of anything has to take the flag away first. */
  readonly isInTheWay: boolean
  /** Whether a fix of anything sets it at its end. */
  readonly isSet: boolean
  /** Whether, and why, a fix leaves it as it is. */
  readonly isLeft: boolean
  readonly standing: readonly Obstacle[]
}

const NOTHING: ImmutableComparison = {
  drift: [],
  unknown: [],
  isInTheWay: false,
  isSet: false,
  isLeft: false,
  standing: [],
}

/** Compares the flag with what the policy wants; what is reached through a link is replaced and not changed itself. */
export function compareImmutable(
  { flags, throughLink }: Pick<FileState, 'flags' | 'throughLink'>,
  wanted: boolean | undefined,
): ImmutableComparison {
  if (wanted === undefined || flags === undefined) return NOTHING
  if (flags.kind === 'unknown') return { ...NOTHING, unknown: [unreadable('immutable', flags)] }
  const { immutable, appendOnly } = flags.value ?? { immutable: false, appendOnly: false }
  const drift = immutable === wanted ? [] : [{ property: 'immutable', desired: wanted, observed: immutable }]
  if (flags.value === undefined && wanted) {
    const reason = cannotBeMetHere('the file system has no such flag')
    return { ...NOTHING, drift, isLeft: true, standing: [{ reason }] }
  }
  return {
    ...NOTHING,
    drift: drift.map((each) => (appendOnly ? { ...each, note: 'it is append-only' } : each)),
    isInTheWay: immutable && !throughLink,
    isSet: wanted,
  }
}

/** What is new gets the flag where the policy wants it. */
export function immutableOfNew(wanted: boolean | undefined): ImmutableComparison {
  return { ...NOTHING, isSet: wanted === true }
}
