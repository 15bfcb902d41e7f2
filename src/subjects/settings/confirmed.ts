import { type Observation, type Unknown, unknown } from '../../model/observation.ts'
import { valueOf } from '../../settings/effective.ts'
import { type Effective, type WitnessAnswer, SILENT, type WitnessQuestion } from '../../settings/surface.ts'
import type { Awaitable, ResourceContext } from '../../resource-type/define.ts'
import type { Target } from '../../host/target.ts'
import type { Testimony } from '../../host/witness.ts'
import type { SettingState } from './decide.ts'
import type { SettingContext } from './plan.ts'
import { WITNESSES } from '../../settings/witnesses.ts'

/** The observation of a single setting. */
export type Seen = Observation<SettingState, SettingContext>

/** Confirms the value with the programs themselves, if they can be queried; a contradicted value is unknown. */
export function confirmWithProgram(
  target: Pick<Target, 'open'>,
  seen: Seen,
  { asksSandboxed = false }: Pick<ResourceContext, 'asksSandboxed'>,
): Awaitable<Seen> {
  if (seen.kind !== 'present') return seen
  const questions = seen.context.questions?.().filter(({ manner }) => asksSandboxed || manner?.sandboxed !== true) ?? []
  return questions.length === 0 ? seen : confirmByEach(target, seen, questions)
}

async function confirmByEach(
  target: Pick<Target, 'open'>,
  seen: Seen & { readonly kind: 'present' },
  questions: readonly WitnessQuestion[],
): Promise<Seen> {
  for (const question of questions) {
    const objection = objectionTo(seen, question, await askWitnesses(target, question))
    if (objection !== undefined) return objection
  }
  return seen
}

/** Why the value is unknown, if the program contradicts it or rejects its configuration. */
function objectionTo(
  { state: { effective }, context: { surface, key, files } }: Seen & { readonly kind: 'present' },
  question: WitnessQuestion,
  heard: WitnessAnswer,
): Unknown | undefined {
  if (heard.kind === 'refused') return unknown('invalid', heard.words)
  if (heard.kind === 'differs') return unknown('readers-disagree', heard.words)
  const rules = surface.rulesOf(key, files)
  const own = effective.find(({ scope }) => scope === question.scope) ?? effective[0]
  const ours = question.ours?.(effective) ?? valueOf(own, rules)
  if (heard.kind === 'silent' || ours === undefined || rules.order.equals(ours, heard.value)) return undefined
  const words = question.commands.at(-1)?.join(' ') ?? ''
  return unknown('readers-disagree', `${placeOf(own)} sets "${ours}", but ${words} reports "${heard.value}"`)
}

async function askWitnesses(
  target: Pick<Target, 'open'>,
  { commands, manner, hear: understand }: WitnessQuestion,
): Promise<WitnessAnswer> {
  const witnesses = target.open(WITNESSES)
  const [command, ...more] = commands
  const first = await witnesses.ask(command, manner)
  if (first === undefined) return SILENT
  const answers: [Testimony, ...Testimony[]] = [first]
  for (const argv of more) {
    const answer = await witnesses.ask(argv, manner)
    if (answer === undefined) return SILENT
    answers.push(answer)
  }
  return understand(answers)
}

function placeOf({ winners }: Effective): string {
  const [first] = winners
  return first === undefined ? 'the built-in default' : `${first.file}:${first.line}`
}
