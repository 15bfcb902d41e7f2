import { type Acceptance, isAcceptance, isAccepted, type ValueOrder } from '../../../model/acceptance.ts'
import { type Decision, NO_PLAN } from '../../../model/decision.ts'
import { cannot, unreadable } from '../../../model/differences.ts'
import type { DecidedDrift } from '../../../model/drift.ts'
import type { Reading } from '../../../model/observation.ts'
import { NUMBERS } from '../../../model/value-orders.ts'
import { CONTENTS } from '../../../resource-type/text-order.ts'
import { excerptOf } from '../../shared/excerpt.ts'

export interface CommandDesired {
  readonly exit_code: number | Acceptance<number>
  readonly stdout?: string | Acceptance<string> | undefined
  readonly stderr?: string | Acceptance<string> | undefined
}

/** Result of a command. Outputs have no trailing line ends. */
export interface CommandResult {
  readonly exit_code: number
  readonly stdout: Reading<string>
  readonly stderr: Reading<string>
}

/** Compares exit code and output of a command with the accepted ones. */
export function decideCommand(wanted: CommandDesired, answer: Reading<CommandResult>): Decision<never> {
  const ensure = { desired: 'present', observed: 'present' }
  if (answer.kind === 'unknown') {
    return { ensure, drift: [], unknown: [unreadable('exit_code', answer)], plan: NO_PLAN }
  }
  const { exit_code: exitCode, stdout, stderr } = answer.value
  const texts = [
    { property: 'stdout', desired: wanted.stdout, reading: stdout },
    { property: 'stderr', desired: wanted.stderr, reading: stderr },
  ]
  const drift: DecidedDrift[] = [
    ...differenceOf('exit_code', { order: NUMBERS, desired: wanted.exit_code, observed: exitCode }),
    ...texts.flatMap(({ property, desired, reading }) =>
      reading.kind === 'unknown' ? [] : differenceOf(property, { order: OUTPUT, desired, observed: reading.value }),
    ),
  ]
  const unknown = texts.flatMap(({ property, desired, reading }) =>
    desired === undefined || reading.kind === 'known' ? [] : [unreadable(property, reading)],
  )
  return { ensure, drift, unknown, plan: drift.length === 0 ? NO_PLAN : { kind: 'refuse', obstacles: [ONLY_LOOKS] } }
}

/** Text in a policy may or may not end with a line end. */
const OUTPUT: ValueOrder<string> = {
  ...CONTENTS,
  equals: (left, right) => withoutEnd(left) === withoutEnd(right),
}

/** Text without trailing line ends. */
export function withoutEnd(text: string): string {
  return text.replace(/\n+$/, '')
}

const ONLY_LOOKS = cannot('a command only observes: correct its result with other resources or by hand')

interface Comparison<Value> {
  readonly order: ValueOrder<Value>
  readonly desired: Value | Acceptance<Value> | undefined
  readonly observed: Value
}

function differenceOf<Value extends string | number>(
  property: string,
  { order, desired, observed }: Comparison<Value>,
): readonly DecidedDrift[] {
  if (desired === undefined) return []
  const accepted: Acceptance<Value> = isAcceptance(desired) ? (desired as Acceptance<Value>) : { is: desired as Value }
  if (isAccepted(order, accepted, observed)) return []
  if (typeof observed === 'number') return [{ property, desired, observed }]
  const { value, ...more } = excerptOf(observed)
  return [{ property, desired, observed: value, ...more }]
}
