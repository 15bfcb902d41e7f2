import { type Acceptance, isAcceptance } from '../../model/acceptance.ts'

/** Acceptance of a written property; a single value accepts only itself. */
export function acceptanceOf<Value, Item = Value>(written: Value | Acceptance<Value, Item>): Acceptance<Value, Item> {
  const isSaid: boolean = isAcceptance(written)
  return isSaid ? (written as Acceptance<Value, Item>) : { is: written as Value } // A value alone is no acceptance.
}

/** Value for a new resource; undefined if the acceptance has only bounds, so that the program uses its default. */
export function newValueOf<Value, Item>({ fix, is, one_of: oneOf }: Acceptance<Value, Item>): Value | undefined {
  return fix ?? is ?? oneOf?.[0]
}

/** Members of a new list: the listed values, or else the required ones. */
export function newMembersOf<Item>(accepted: Acceptance<readonly Item[], Item>): readonly Item[] {
  return newValueOf(accepted) ?? accepted.at_least ?? accepted.includes ?? []
}

/** Why a fix cannot choose a value: the acceptance has no nearest one. */
export function noNearest(property?: string): string {
  const what = property === undefined ? 'a value' : `a value for ${property}`
  return `cannot derive ${what} from its condition: set "fix" to the value to write`
}
