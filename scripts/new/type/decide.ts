import { type Acceptance, acceptedFor, isAcceptance, isAccepted } from '../../core/acceptance.ts'
import type { Decision } from '../../core/decision.ts'
import { cannot, differences, missing } from '../../core/differences.ts'
import type { Seen } from '../../core/observation.ts'
import { TEXTS } from '../../resource-type/text-order.ts'
import type { FileAttributes } from '../../target/remediator.ts'

/** What a policy says: the properties that are observed, decided and applied. */
export interface __Name__Wanted {
  readonly name: string
  readonly value: string | Acceptance<string>
}

/** What is there. */
export interface __Name__State {
  readonly value: string
  /** Those of the file, which a fix keeps. */
  readonly attributes: FileAttributes
}

/** What a fix does. */
export interface __Name__Action {
  readonly value: string
  readonly attributes: FileAttributes
}

/**
 * Compares what a policy says with what was seen: pure, so whatever it needs is observed before. What could not be read never
 * gets here. A difference that a fix does nothing about says with `cannot` why.
 */
export function decide__Name__(
  { name, value }: __Name__Wanted,
  observed: Seen<__Name__State>,
): Decision<__Name__Action> {
  if (observed.kind === 'absent') {
    return missing({ obstacles: [cannot(`${name} does not exist`, { missing: name })] })
  }
  const { value: original, attributes } = observed.state
  // A value that is written alone accepts itself.
  const accepted = isAcceptance(value) ? value : { is: value }
  if (isAccepted(TEXTS, accepted, original)) return differences([])
  const different = [{ property: 'value', original, desired: value }]
  const nearest = acceptedFor(TEXTS, accepted, original)
  return nearest === undefined
    ? differences(different, { obstacles: [cannot('value has no nearest accepted value: say one with "fix"')] })
    : differences(different, { fix: { action: { value: nearest, attributes }, text: 'Would have written the value' } })
}
