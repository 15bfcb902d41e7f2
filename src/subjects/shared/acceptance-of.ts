import { type Acceptance, isAcceptance } from '../../model/acceptance.ts'

/** The values that a property accepts: one that is written alone accepts itself. */
export function acceptanceOf<Value, Item = Value>(written: Value | Acceptance<Value, Item>): Acceptance<Value, Item> {
  const isSaid: boolean = isAcceptance(written)
  return isSaid ? (written as Acceptance<Value, Item>) : { is: written as Value } // A value alone is no acceptance.
}
