import { defined } from '../../model/defined.ts'
import { type Observation, unknown } from '../../model/observation.ts'
import { valueOf } from '../../settings/effective.ts'
import { type Effective, type WitnessAnswer, SILENT, type WitnessQuestion } from '../../settings/surface.ts'
import type { Awaitable } from '../../resource-type/define.ts'
import type { Target } from '../../host/target.ts'
import type { Testimony } from '../../host/witness.ts'
import type { SettingState } from './decide.ts'
import type { SettingContext } from './plan.ts'
import { WITNESSES } from './witnesses.ts'

/** The observation of a single setting. */
export type Seen = Observation<SettingState, SettingContext>

/** Confirms the value with the program itself, if it can be queried; a contradicted value is unknown. */
export function confirmWithProgram(target: Pick<Target, 'open'>, seen: Seen): Awaitable<Seen> {
  if (seen.kind !== 'present') return seen
  const { surface, key, files, match } = seen.context
  const question = surface.witness?.(files, key, defined({ match }))
  if (question === undefined) return seen
  return askWitnesses(target, question).then((heard) => {
    if (heard.kind === 'refused') return unknown('invalid', heard.words)
    const rules = surface.rulesOf(key, files)
    const [general] = seen.state.effective
    const ours = question.ours?.(seen.state.effective) ?? valueOf(general, rules)
    if (heard.kind === 'silent' || ours === undefined || rules.order.equals(ours, heard.value)) return seen
    const words = question.commands.at(-1)?.join(' ') ?? ''
    return unknown('readers-disagree', `${placeOf(general)} sets "${ours}", but ${words} reports "${heard.value}"`)
  })
}

async function askWitnesses(
  target: Pick<Target, 'open'>,
  { commands, hear: understand }: WitnessQuestion,
): Promise<WitnessAnswer> {
  const witnesses = target.open(WITNESSES)
  const [command, ...more] = commands
  const first = await witnesses.ask(command)
  if (first === undefined) return SILENT
  const answers: [Testimony, ...Testimony[]] = [first]
  for (const argv of more) {
    const answer = await witnesses.ask(argv)
    if (answer === undefined) return SILENT
    answers.push(answer)
  }
  return understand(answers)
}

function placeOf({ winners }: Effective): string {
  const [first] = winners
  return first === undefined ? 'the built-in default' : `${first.file}:${first.line}`
}
