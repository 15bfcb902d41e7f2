import { type Acceptance, isAcceptance } from '../../model/acceptance.ts'

/** The values that a property accepts: one that is written alone accepts itself. */
export function acceptanceOf<Value, Item = Value>(written: Value | Acceptance<Value, Item>): Acceptance<Value, Item> {
  const isSaid: boolean = isAcceptance(written)
  return isSaid ? (written as Acceptance<Value, Item>) : { is: written as Value } // A value alone is no acceptance.
}

/** The value that what is not there yet gets; undefined where the acceptance only has bounds, so that the program chooses. */
export function newValueOf<Value, Item>({ fix, is, one_of: oneOf }: Acceptance<Value, Item>): Value | undefined {
  return fix ?? is ?? oneOf?.[0]
}

/** The members that a new list gets: those that are named, or else those that it has to have. */
export function newMembersOf<Item>(accepted: Acceptance<readonly Item[], Item>): readonly Item[] {
  return newValueOf(accepted) ?? accepted.at_least ?? accepted.includes ?? []
}
