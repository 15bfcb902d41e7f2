import { type Acceptance, acceptedFor, isAcceptance, isAccepted, valuesNamed } from '../../model/acceptance.ts'
import type { Obstacle } from '../../model/decision.ts'
import { cannot, type Difference, unreadable } from '../../model/differences.ts'
import type { UnknownProperty } from '../../model/drift.ts'
import type { Reading } from '../../model/observation.ts'
import type { Assignment, KeyName } from '../../settings/assignment.ts'
import type { Edited } from '../../settings/formats/format.ts'
import { words } from '../../settings/formats/words.ts'
import { originOf, type PamEntry } from './stack/stack.ts'
import { orderOf, type PamValue, settingsOf, valueOf } from './settings.ts'
import { noNearest } from '../shared/acceptance-of.ts'

/** Accepted values for the arguments of a module, by name. */
export type DesiredArguments = Readonly<Record<string, string | Acceptance<string>>>

export interface ArgumentFinding {
  readonly drift: readonly Difference[]
  readonly unknown: readonly UnknownProperty[]
  /** The files that a fix writes, and the number of drifts that each resolves. */
  readonly files: readonly { readonly path: string; readonly before: string; readonly text: string }[]
  readonly fixed: number
  readonly obstacles: readonly Obstacle[]
}

/** The settings that the configuration files of a module supply for one of its lines. */
export interface PamSettings {
  readonly lines: readonly Assignment[]
  /** The file that a fix would edit, with its text; absent if the module reads no file. */
  readonly own?: { readonly path: string; readonly text: string }
}

/** A line of the module, with the settings from its files. */
export interface Line {
  readonly entry: PamEntry
  readonly settings: Reading<PamSettings> | undefined
}

/** Compares the effective arguments of each line: from the line, else from the module's file, else the default. */
export function compareArguments(
  { arguments: wanted = {} }: { readonly arguments?: DesiredArguments | undefined },
  lines: readonly Line[],
): ArgumentFinding {
  const unknown: UnknownProperty[] = []
  const judged: Judged[] = []
  for (const { entry, settings } of lines) {
    if (settings?.kind === 'unknown') unknown.push(unreadable('arguments', settings))
    if (settings?.kind !== 'known') continue
    for (const [name, accepted] of Object.entries(wanted)) {
      judged.push(...judge({ entry, settings: settings.value, name, accepted }))
    }
  }
  const obstacles = judged.flatMap(({ obstacle }) => (obstacle === undefined ? [] : [obstacle]))
  let fixed = 0
  const texts = new Map<string, { before: string; text: string }>()
  for (const { write } of judged) {
    if (write === undefined) continue
    const { path, text: before, name, value } = write
    const { text } = texts.get(path) ?? { text: before }
    const edited = withSetting(text, name, value)
    if (edited.kind === 'refused') {
      obstacles.push(cannot(`${path}: ${edited.reason}`))
      continue
    }
    texts.set(path, { before, text: edited.text })
    fixed += 1
  }
  return {
    drift: judged.map(({ difference }) => difference),
    unknown,
    files: [...texts].map(([path, each]) => ({ path, ...each })),
    fixed,
    obstacles,
  }
}

interface ArgumentQuery {
  readonly entry: PamEntry
  readonly settings: PamSettings
  readonly name: string
  readonly accepted: string | Acceptance<string>
}

/** A drift, with the edit that fixes it or the obstacle. */
interface Judged {
  readonly difference: Difference
  readonly write?: { readonly path: string; readonly text: string; readonly name: string; readonly value: string }
  readonly obstacle?: Obstacle
}

function judge({ entry, settings, name, accepted: wanted }: ArgumentQuery): readonly Judged[] {
  const value = valueOf(entry.name, entry.arguments, { name, settings: settings.lines })
  const accepted = isAcceptance(wanted) ? wanted : { is: wanted }
  const order = orderOf(entry.name, name)
  // A flag that is not set anywhere is false, if the policy compares it with a boolean.
  const asksForFlag = valuesNamed(accepted).some((each) => each === 'true' || each === 'false')
  const observed = value.kind !== 'none' ? value.value : asksForFlag ? 'false' : undefined
  if (observed !== undefined && isAccepted(order, accepted, observed)) return []
  const note = sourceOf(entry, value)
  const difference = { property: 'arguments', path: name, original: observed, desired: wanted, note }
  // An argument on the line overrides the file.
  if (settings.own === undefined || value.kind === 'argument') return [{ difference }]
  const nearest = acceptedFor(order, accepted, observed)
  if (nearest !== undefined) return [{ difference, write: { ...settings.own, name, value: nearest } }]
  return [{ difference, obstacle: cannot(noNearest(name)) }]
}

function sourceOf(entry: PamEntry, value: PamValue): string {
  const line = originOf(entry)
  switch (value.kind) {
    case 'argument':
      return `set by ${line}`
    case 'setting':
      return `set by ${originOf(value.setting)}, which ${line} does not override`
    case 'default':
      return `the default of ${entry.name}: neither ${line} nor a file of the module sets it`
    case 'none':
      return settingsOf(entry.name).file === undefined ? `not set by ${line}` : `set by neither ${line} nor a file`
  }
}

/** Edits the effective line of the setting; removes an unwanted flag. */
function withSetting(text: string, key: string, value: string): Edited {
  const isSame = (found: KeyName): boolean => found.key === key
  const place = { section: '', key, isSame, which: 'last' } as const
  return value === 'false' ? words.remove(text, place) : words.set(text, place, [value === 'true' ? '' : value])
}
