import type { HasFiles, Target } from '../../host/target.ts'
import type { Testimony } from '../../host/witness.ts'
import { defined } from '../../model/defined.ts'
import { absent, present, type Reading, type Unknown, unknown, type Observation } from '../../model/observation.ts'
import type { Awaitable, ResourceContext } from '../../resource-type/define.ts'
import type { KeyName } from '../../settings/assignment.ts'
import { assignmentsIn, effectiveOf, isSameKey, valueOf } from '../../settings/effective.ts'
import { recordFiles } from '../../settings/files.ts'
import type { Format } from '../../settings/formats/format.ts'
import { fileSurface } from '../../settings/generic.ts'
import {
  type Surface,
  type Effective,
  type WitnessAnswer,
  SILENT,
  type WitnessQuestion,
} from '../../settings/surface.ts'
import { WITNESSES } from '../../settings/witnesses.ts'
import { membersOf, type SettingOrAny, type SettingOrAnyObserved } from './any-of.ts'
import type { SettingDesired, SettingState } from './decide.ts'
import { formatNamed } from './formats.ts'
import type { Holder, SettingContext } from './plan.ts'
import { subjectOf } from './subject.ts'

type Machine = Pick<Target, 'probe'> & HasFiles<'stat' | 'lstat' | 'realPath' | 'readHead'>

export function observeSettings(
  target: Machine & Pick<Target, 'open'>,
  wanted: SettingOrAny,
  { asksNobody = false, asksSandboxed = false }: Pick<ResourceContext, 'asksNobody' | 'asksSandboxed'>,
  surfaces: readonly Surface[],
): Awaitable<SettingOrAnyObserved | Unknown> {
  const look = (one: SettingDesired): Awaitable<Seen> => {
    const seen = observeSetting(target, one, surfaces)
    if (asksNobody) return seen
    return seen instanceof Promise
      ? seen.then((found) => confirmWithProgram(target, found, { asksSandboxed }))
      : confirmWithProgram(target, seen, { asksSandboxed })
  }
  const asked = membersOf(wanted)
  if (asked.length === 0) return look(wanted)
  const looks = asked.map(async (member) => ({ wanted: member, seen: await look(member) }))
  return Promise.all(looks).then((members) => present({ members }, undefined))
}

/** Reads the files of the surface, and the attributes of the files that a fix would change. */
export function observeSetting(target: Machine, wanted: SettingDesired, surfaces: readonly Surface[]): Awaitable<Seen> {
  const about = meaningOf(wanted, surfaces)
  return about instanceof Promise
    ? about.then((meant) => observeMeant(target, wanted, meant))
    : observeMeant(target, wanted, about)
}

type Meaning = { readonly surface: Surface; readonly key: KeyName } | { readonly problem: string }

function observeMeant(target: Machine, wanted: SettingDesired, about: Meaning): Seen {
  if ('problem' in about) return unknown('invalid', about.problem)
  const { surface, key } = about
  const { files, snapshot } = recordFiles(target)
  const installed = surface.installed(files)
  if (installed.kind === 'unknown') return installed
  if (!installed.value && wanted.if_absent !== 'create')
    return absent({ surface, key, files: snapshot, holders: new Map(), isBooted: false })
  const assignments = assignmentsIn(files, surface)
  if (assignments.kind === 'unknown') return assignments
  const writing = surface.writes(files, key)
  const written = [writing.file, ...(writing.also === undefined ? [] : [writing.also])]
  for (const file of written) {
    const text = files.text(file)
    if (text.kind === 'unknown') return text
  }
  const booted = files.exists('/run/systemd/system')
  const mentioned = assignments.value.filter((each) => isSameKey(surface, each, key)).map(({ file }) => file)
  const holders = new Map([...written, ...mentioned].map((path) => [path, holderOf(target, path)]))
  const asked = defined({ match: wanted.match })
  // The rules of a key may depend on installed files, so those are read, too.
  surface.rulesOf(key, files)
  const context = {
    surface,
    key,
    ...asked,
    files: snapshot,
    holders,
    isBooted: booted.kind === 'known' && booted.value,
  }
  if (!installed.value) return absent(context)
  const effective = effectiveOf(surface, assignments.value, key, asked)
  if (effective.kind === 'unknown') return effective
  return present(
    { effective: effective.value },
    { ...context, questions: () => surface.witness?.(files, key, asked) ?? [] },
  )
}

function meaningOf(
  { name, format, default: preset }: SettingDesired,
  surfaces: readonly Surface[],
): Awaitable<Meaning> {
  const subject = subjectOf(name, surfaces)
  if (subject.kind === 'none') return subject
  if (subject.kind === 'surface') return subject
  if (format === undefined) return { problem: 'a file needs a format' }
  const { path, keyText } = subject
  const read = formatNamed(format)
  return read instanceof Promise
    ? read.then((each) => ofFile(path, keyText, each, preset))
    : ofFile(path, keyText, read, preset)
}

function ofFile(path: string, keyText: string, format: Format, preset?: string): Meaning {
  const surface = fileSurface(path, format, preset)
  const key = surface.keyOf(keyText)
  return 'problem' in key ? { problem: `the key ${keyText} ${key.problem}` } : { surface, key }
}

function holderOf(target: HasFiles<'lstat'>, path: string): Reading<Holder> {
  const seen = target.files.lstat(path)
  if (seen.kind === 'unknown') return seen
  if (seen.kind === 'absent') return { kind: 'known', value: { kind: 'absent' } }
  const { kind, uid, gid, mode } = seen.state
  return {
    kind: 'known',
    value: kind === 'file' ? { kind: 'file', attributes: { uid, gid, mode } } : { kind: 'other' },
  }
}

type Seen = Observation<SettingState, SettingContext>

/** Confirms the value with the programs themselves, if they can be queried; a contradicted value is unknown. */
function confirmWithProgram(
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
