import { type Acceptance, acceptedFor } from '../../model/acceptance.ts'
import { canonical, fieldsOf, integerOf } from '../../model/fields.ts'
import { FIELD_TEXTS } from '../../resource-type/text-order.ts'

/**
 * What the kernel makes of a text that is written to a parameter which has this value now: of a parameter that holds numbers it
 * reads as many as that are, passes over what follows them, such as a comment, and rejects a plus sign. Where its present value
 * is unknown, the text is taken as it is.
 */
export function asTaken(written: string, now: string | undefined): string {
  if (now === undefined) return canonical(written)
  const count = fieldsOf(now).length
  const taken = fieldsOf(written).slice(0, count)
  const areNumbers = [...fieldsOf(now), ...taken].every((field) => integerOf(field) !== undefined)
  if (!areNumbers || count === 0) return canonical(written)
  return taken.some((field) => field.startsWith('+')) ? `${written} (rejected)` : canonical(taken.join(' '))
}

/** The same of a parameter whose present value is unknown: it has as many numbers as an accepted value. */
export function asTakenAtBoot(written: string, accepted: Acceptance<string>): string {
  return asTaken(written, acceptedFor(FIELD_TEXTS, accepted, written))
}
