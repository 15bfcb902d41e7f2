import { defined } from '../../model/defined.ts'
import { absent, present, type Reading, type Unknown, unknown } from '../../model/observation.ts'
import { assignmentsIn, effectiveOf, isSameKey } from '../../settings/effective.ts'
import type { Awaitable, ResourceContext } from '../../resource-type/define.ts'
import { confirmWithProgram } from './confirmed.ts'
import { recordFiles } from '../../settings/files.ts'
import { fileSurface } from '../../settings/generic.ts'
import type { Format } from '../../settings/formats/format.ts'
import { formatNamed } from './formats.ts'
import type { KeyName } from '../../settings/assignment.ts'
import type { Surface } from '../../settings/surface.ts'
import type { HasFiles, Target } from '../../host/target.ts'
import { membersOf, type SettingOrAny, type SettingOrAnyObserved } from './any-of.ts'
import type { SettingDesired } from './decide.ts'
import type { Seen } from './confirmed.ts'
import type { Holder } from './plan.ts'
import { subjectOf } from './subject.ts'

type Machine = Pick<Target, 'probe'> & HasFiles<'stat' | 'lstat' | 'realPath' | 'readHead'>

/** Observes one setting, or each of the alternatives. */
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
