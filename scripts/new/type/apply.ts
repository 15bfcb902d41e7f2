import type { ApplyOutcome } from '../../core/decision.ts'
import type { Remediator } from '../../target/remediator.ts'
import type { __Name__Action, __Name__Wanted } from './decide.ts'

/** Does what was decided and nothing else. Failures are values; whether it has helped is found out by the look that follows. */
export function apply__Name__(
  remediator: Pick<Remediator, 'writeFile'>,
  { name }: Pick<__Name__Wanted, 'name'>,
  { value, attributes }: __Name__Action,
): Promise<ApplyOutcome> {
  return remediator.writeFile(name, { kind: 'bytes', bytes: Buffer.from(`${value}\n`) }, attributes)
}
