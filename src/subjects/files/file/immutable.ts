import { cannotBeMetHere } from '../../../model/notes.ts'
import { AS_WANTED, type PartialDecision, undecided } from '../../../model/partial-decision.ts'
import type { FileState } from './model.ts'

// The immutable flag: no user, including root, can change the file or directory.

export interface ImmutableComparison extends PartialDecision {
  /** Whether any fix must clear the flag first. */
  readonly isInTheWay: boolean
  /** Whether any fix sets the flag at its end. */
  readonly isSet: boolean
  /** Whether a fix leaves the flag unchanged; `obstacles` say why. */
  readonly isLeft: boolean
}

const NOTHING: ImmutableComparison = { ...AS_WANTED, isInTheWay: false, isSet: false, isLeft: false }

/** Compares the flag with the policy; the target of a link is not changed, since the link is replaced. */
export function compareImmutable(
  { flags, throughLink }: Pick<FileState, 'flags' | 'throughLink'>,
  wanted: boolean | undefined,
): ImmutableComparison {
  if (wanted === undefined || flags === undefined) return NOTHING
  if (flags.kind === 'unknown') return { ...NOTHING, ...undecided('immutable', flags) }
  const { immutable, appendOnly } = flags.value ?? { immutable: false, appendOnly: false }
  const drift = immutable === wanted ? [] : [{ property: 'immutable', desired: wanted, observed: immutable }]
  if (flags.value === undefined && wanted) {
    const reason = cannotBeMetHere('the file system does not support the flag')
    return { ...NOTHING, drift, isLeft: true, obstacles: [{ reason }] }
  }
  return {
    ...NOTHING,
    drift: drift.map((each) => (appendOnly ? { ...each, note: 'it is append-only' } : each)),
    isInTheWay: immutable && !throughLink,
    isSet: wanted,
  }
}

/** A new file gets the flag if the policy requests it. */
export function immutableOfNew(wanted: boolean | undefined): ImmutableComparison {
  return { ...NOTHING, isSet: wanted === true }
}
