import type { Obstacle, Plan } from '../../model/decision.ts'
import { cannot } from '../../model/differences.ts'
import { defined } from '../../model/defined.ts'
import type { Effect } from '../../model/effect.ts'
import { cannotBeMetHere, shadowedBy } from '../../model/notes.ts'
import type { Reading } from '../../model/observation.ts'
import { keepLineForm } from '../../model/line-form.ts'
import { effectiveOf, isSameKey } from '../../settings/effective.ts'
import type { ConfigSnapshot } from '../../settings/files.ts'
import type { Edited, EditPlace, Format } from '../../settings/formats/format.ts'
import type { Assignment, KeyName } from '../../settings/assignment.ts'
import type { Activation, Effective, KeyRules, Surface, WitnessQuestion, Writing } from '../../settings/surface.ts'
import type { FileAttributes } from '../../host/remediator.ts'

/** The state of the path that a fix would write. */
export type Holder =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly attributes: FileAttributes }
  /** A link or another special file. */
  | { readonly kind: 'other' }

/** The inputs besides the value: enough to evaluate the configuration again with a fix applied. */
export interface SettingContext {
  readonly surface: Surface
  readonly key: KeyName
  /** The scope to evaluate, such as a user, if the policy sets one. */
  readonly match?: string
  readonly files: ConfigSnapshot
  readonly holders: ReadonlyMap<string, Reading<Holder>>
  /** Whether systemd is running, so that units can be reloaded. */
  readonly isBooted: boolean
  /** Questions to the programs of the surface. */
  readonly questions?: () => readonly WitnessQuestion[]
}

export interface WrittenFile {
  readonly file: string
  readonly text: string
  readonly attributes: FileAttributes
  readonly check?: Writing['check']
  readonly explain?: Writing['explain']
}

/** The action of a fix: the files to write, and the activation. */
export interface SettingAction {
  readonly writes: readonly WrittenFile[]
  readonly activation: Activation
}

/** The goal of a fix. */
export type Change =
  | { readonly kind: 'set'; readonly value: string; readonly current: Effective }
  | { readonly kind: 'remove'; readonly assignments: readonly Assignment[] }

type Edits =
  | { readonly kind: 'edits'; readonly texts: ReadonlyMap<string, string> }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Edits the files that set or must set the key, evaluates the configuration with the edits, and refuses if the effective
 * value is still not compliant. `isRight` judges the value for all users or in one scope.
 */
export function planSetting(
  context: SettingContext,
  change: Change,
  isRight: (effective: Effective) => boolean,
): Plan<SettingAction> {
  const { surface, key, files } = context
  const { also } = surface.writes(files, key)
  const tried = change.kind === 'set' ? setEdits(context, change) : removeEdits(context, change.assignments)
  const isEnough = also === undefined || change.kind === 'remove' || isRightWith(context, tried, isRight)
  const edits = isEnough ? tried : setEdits(context, change, also)
  if (edits.kind === 'refused') return refuse(cannot(edits.reason))
  const after = surface.read(files.with(edits.texts))
  if (after.kind === 'unknown') return refuse(cannot(`cannot read the configuration with the change: ${after.detail}`))
  const effective = effectiveOf(surface, after.value, key, context)
  if (effective.kind === 'unknown')
    return refuse(cannot(`the effective value after the change is unknown: ${effective.detail}`))
  const [forAll, ...scoped] = effective.value
  const writes: WrittenFile[] = []
  for (const [file, text] of edits.texts) {
    const attributes = attributesOf(context, file)
    if (typeof attributes === 'string') return refuse(cannot(attributes))
    const { check, explain } = surface.writes(files, key)
    writes.push({ file, text, attributes, ...defined({ check, explain }) })
  }
  if (!isRight(forAll)) return refuse(stillWrong(forAll, writes))
  const [leaf, ...leaves] = scoped.filter((each) => !isRight(each)).map(takeOut)
  const activation = activationOf(context)
  return {
    kind: 'act',
    action: { writes, activation },
    text: 'Would have changed the configuration',
    effects: [
      ...writes.map(({ file }) => ({ kind: isThere(context, file) ? 'write' : 'create', object: file }) as const),
      ...effectsOf(activation),
    ],
    obstacles: [],
    ...(leaf === undefined ? {} : { leaves: [leaf, ...leaves] }),
  }
}

/** Whether the edits make every value compliant. */
function isRightWith(context: SettingContext, edits: Edits, isRight: (effective: Effective) => boolean): boolean {
  const { surface, key, files } = context
  const after = edits.kind === 'edits' ? surface.read(files.with(edits.texts)) : undefined
  if (after?.kind !== 'known') return false
  const effective = effectiveOf(surface, after.value, key, context)
  return effective.kind === 'known' && effective.value.every(isRight)
}

function setEdits(context: SettingContext, change: Extract<Change, { kind: 'set' }>, also?: string): Edits {
  const edits = setEditsIn(context, change)
  if (also === undefined || edits.kind === 'refused') return edits
  const others = setEditsIn(context, change, also)
  return others.kind === 'refused' ? others : { kind: 'edits', texts: new Map([...edits.texts, ...others.texts]) }
}

function setEditsIn(
  context: SettingContext,
  { value, current }: Extract<Change, { kind: 'set' }>,
  where?: string,
): Edits {
  const { surface, key, files } = context
  const { format, head = '', file: main } = surface.writes(files, key)
  const file = where ?? main
  const text = files.text(file)
  if (text.kind === 'unknown') return { kind: 'refused', reason: text.detail }
  const rules = surface.rulesOf(key)
  const values = linesFor(
    rules,
    value,
    current.winners.filter((each) => each.file !== file),
  )
  if (typeof values === 'string') return { kind: 'refused', reason: values }
  return editsOf(
    { file, format, before: text.value },
    format.set(text.value ?? head, placeOf(context, rules.wins), values),
  )
}

/** The lines for a value; if lines add up, without the items that other files already add. */
function linesFor(rules: KeyRules, value: string, others: readonly Assignment[]): readonly string[] | string {
  if (rules.wins !== 'all') return [value]
  if (rules.emptyResets === true) return ['', value]
  const items = value.split(rules.between ?? ' ').filter((item) => item !== '')
  const tooMuch = others.find((other) => !items.includes(other.value))
  if (tooMuch !== undefined) return `${tooMuch.file}:${tooMuch.line} adds ${tooMuch.value}: remove that line`
  return items.filter((item) => others.every((other) => other.value !== item))
}

function removeEdits(context: SettingContext, assignments: readonly Assignment[]): Edits {
  const { surface, key, files } = context
  const { format } = surface.writes(files, key)
  const texts = new Map<string, string>()
  for (const { file, line } of assignments) {
    if (!file.startsWith('/etc/') && file !== surface.name) {
      return { kind: 'refused', reason: cannotBeMetHere(`${file}:${line} belongs to a package or the system`) }
    }
    const text = files.text(file)
    if (text.kind === 'unknown') return { kind: 'refused', reason: text.detail }
    const edits = editsOf(
      { file, format, before: text.value },
      format.remove(text.value ?? '', placeOf(context, 'all')),
    )
    if (edits.kind === 'refused') return edits
    for (const [path, edited] of edits.texts) texts.set(path, edited)
  }
  return { kind: 'edits', texts }
}

function placeOf({ surface, key }: SettingContext, which: EditPlace['which']): EditPlace {
  return { ...key, which, isSame: (found) => isSameKey(surface, found, key) }
}

interface EditedFile {
  readonly file: string
  readonly format: Format
  readonly before: string | null
}

function editsOf({ file, format, before }: EditedFile, edited: Edited): Edits {
  if (edited.kind === 'refused') return { kind: 'refused', reason: `${file}: ${edited.reason}` }
  // Writing the file would corrupt its invalid UTF-8.
  if (before !== null && /[\uFFFD\p{Cs}]/u.test(before))
    return { kind: 'refused', reason: `${file} is not UTF-8 text: edit it by hand` }
  const text = format.keepsReturns === true ? edited.text : keepLineForm(before ?? '', edited.text)
  return { kind: 'edits', texts: new Map([[file, text]]) }
}

function attributesOf({ surface, key, files, holders }: SettingContext, file: string): FileAttributes | string {
  const holder = holders.get(file)
  if (holder === undefined) return `${file} was not examined`
  if (holder.kind === 'unknown') return holder.detail
  switch (holder.value.kind) {
    case 'file':
      return holder.value.attributes
    case 'absent':
      return { uid: 0, gid: 0, mode: surface.writes(files, key).mode ?? 0o644 }
    case 'other':
      return `${file} is not a regular file: if it is a link, change its target`
  }
}

function isThere({ holders }: SettingContext, file: string): boolean {
  const holder = holders.get(file)
  return holder?.kind === 'known' && holder.value.kind === 'file'
}

function stillWrong({ winners }: Effective, writes: readonly WrittenFile[]): Obstacle {
  const other = winners.find(({ file }) => writes.every((each) => each.file !== file))
  if (other === undefined) return cannot('the program would not use the value that a fix writes: change it by hand')
  return cannot(
    `${shadowedBy(other)}, which takes precedence over ${writes.map(({ file }) => file).join(', ')}: remove that line`,
  )
}

/** Only the administrator knows the reason for an exception in a scope. */
function takeOut({ scope, winners, remedy }: Effective): Obstacle {
  if (remedy !== undefined) return cannot(remedy)
  const places = winners.map(({ file, line }) => `${file}:${line}`).join(', ')
  return cannot(`${places} applies to ${scope}: remove that line`)
}

function activationOf({ surface, key, files, isBooted }: SettingContext): Activation {
  const activation = typeof surface.activation === 'function' ? surface.activation(files, key) : surface.activation
  return isBooted || activation.kind === 'command' || activation.kind === 'reboot' ? activation : { kind: 'none' }
}

function effectsOf(activation: Activation): readonly Effect[] {
  switch (activation.kind) {
    case 'none':
    case 'reboot':
      return []
    case 'signal':
      return [{ kind: 'run', object: `systemctl kill --signal=HUP ${activation.unit}` }]
    case 'reload':
      return [{ kind: 'run', object: `systemctl reload ${activation.unit}` }]
    case 'restart':
      return [{ kind: 'restart', object: activation.unit }]
    case 'command':
      return [{ kind: 'run', object: activation.argv.join(' ') }]
  }
}

function refuse(obstacle: Obstacle): Plan<never> {
  return { kind: 'refuse', obstacles: [obstacle] }
}
