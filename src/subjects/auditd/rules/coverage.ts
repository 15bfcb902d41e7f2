import { canBeAccess, canBeBoth } from './access.ts'
import { type AuditField, printField } from './fields.ts'
import type { LayerEntry } from './layers.ts'
import { areDisjoint, implies } from './ranges.ts'
import { type Arch, ARCHES, type AuditRule, meaningOf, type Permission, type RulePlace } from './rule.ts'
import type { Syscalls } from './syscalls.ts'

/** The smallest part of what a rule is about that one other rule has to cover. */
export interface Cell {
  readonly arch: Arch
  readonly syscall: string
  readonly permission?: Permission
}

/** An entry that is a rule. */
type RuleEntry = Extract<LayerEntry, { kind: 'rule' }>

/** What becomes of the events of a part of a rule. */
export type Verdict =
  | { readonly kind: 'covered' }
  /** An earlier rule keeps them, or some of them, from being recorded. */
  | { readonly kind: 'hidden'; readonly by: RuleEntry }
  /** auditctl ends before it comes to a rule for them. */
  | { readonly kind: 'ended'; readonly by: Extract<LayerEntry, { kind: 'end' }> }
  | { readonly kind: 'unclear'; readonly by: Extract<LayerEntry, { kind: 'unclear' }> }
  /** They are recorded under another key than one that is wanted. */
  | { readonly kind: 'other-key'; readonly by: RuleEntry }
  /** A rule records only those of them that also meet `condition`. */
  | { readonly kind: 'narrower'; readonly by: RuleEntry; readonly condition: string }
  | { readonly kind: 'missing' }

/** What is asked. */
export interface Question {
  readonly wanted: AuditRule
  readonly entries: readonly LayerEntry[]
  readonly syscalls: Syscalls
  /** Whether what covers has to have one of the wanted keys. */
  readonly comparesKey: boolean
}

/** What becomes of each part of a rule; nothing where no program of the machine can do what it is about. */
export function judgeRule(question: Question): readonly { readonly cell?: Cell; readonly verdict: Verdict }[] {
  const { wanted } = question
  if (wanted.list !== 'exit' || wanted.action === 'never') return [{ verdict: judgeSame(question) }]
  return cellsOf(wanted, question.syscalls).map((cell) => ({ cell, verdict: judgeCell(cell, question) }))
}

/** What is not recorded, or not about system calls, has to be there as it is. */
function judgeSame({ wanted, entries, comparesKey }: Question): Verdict {
  for (const entry of entries) {
    if (entry.kind === 'unclear') return { kind: 'unclear', by: entry }
    if (entry.kind === 'end') return { kind: 'ended', by: entry }
    if (meaningOf(entry.rule) !== meaningOf(wanted)) continue
    return comparesKey && !hasKey(entry.rule, wanted) ? { kind: 'other-key', by: entry } : { kind: 'covered' }
  }
  return { kind: 'missing' }
}

function hasKey(rule: AuditRule, wanted: AuditRule): boolean {
  return wanted.keys.length === 0 || wanted.keys.some((key) => rule.keys.includes(key))
}

/** The parts of a rule that can happen on this machine. */
export function cellsOf({ arch, syscalls, permissions }: AuditRule, tables: Syscalls): readonly Cell[] {
  return (arch === undefined ? ARCHES : [arch]).flatMap((each) =>
    (syscalls === 'all' ? [ALL] : syscalls)
      .filter((syscall) => !tables.isForeign(each, syscall))
      .flatMap((syscall): readonly Cell[] =>
        permissions === undefined
          ? [{ arch: each, syscall }]
          : permissions.map((permission) => ({ arch: each, syscall, permission })),
      ),
  )
}

const ALL = 'all'

/** The first rule that an event meets decides about it, not a later one. */
function judgeCell(cell: Cell, question: Question): Verdict {
  const { wanted, entries, comparesKey } = question
  const global = entries.find(
    (entry): entry is RuleEntry => entry.kind === 'rule' && hidesEverywhere(entry.rule, wanted),
  )
  if (global !== undefined) return { kind: 'hidden', by: global }
  let narrower: Verdict | undefined
  for (const entry of entries) {
    if (entry.kind === 'unclear') return { kind: 'unclear', by: entry }
    if (entry.kind === 'end') return { kind: 'ended', by: entry }
    const { rule } = entry
    if (rule.list !== 'exit' || (rule.arch !== undefined && rule.arch !== cell.arch)) continue
    if (rule.action === 'never') {
      if (meets(cell, question, rule)) return { kind: 'hidden', by: entry }
      continue
    }
    if (!hasCall(rule, cell, question.syscalls)) continue
    const condition = conditionBeyond(rule, cell, wanted)
    if (condition === undefined) {
      return comparesKey && !hasKey(rule, wanted) ? { kind: 'other-key', by: entry } : { kind: 'covered' }
    }
    if (narrower === undefined && meets(cell, question, rule)) narrower = { kind: 'narrower', by: entry, condition }
  }
  return narrower ?? { kind: 'missing' }
}

/** What a rule asks for beyond what every wanted event has; undefined where it records all of them. */
function conditionBeyond(rule: AuditRule, cell: Cell, wanted: AuditRule): string | undefined {
  const { place, permissions, fields } = rule
  if (place !== undefined && (wanted.place === undefined || !holds(place, wanted.place))) {
    return `${place.kind}=${place.path}`
  }
  if (permissions !== undefined && (cell.permission === undefined || !permissions.includes(cell.permission))) {
    return `perm=${permissions.join('')}`
  }
  const beyond = fields.find((field) => !implies(wanted.fields, field))
  return beyond === undefined ? undefined : printField(beyond)
}

/** Whether one event may meet both; true where that is not known. */
function meets(cell: Cell, { wanted, syscalls }: Question, rule: AuditRule): boolean {
  return (
    mayHaveCall(rule, cell, syscalls) &&
    (rule.place === undefined || wanted.place === undefined || touches(rule.place, wanted.place)) &&
    (rule.permissions === undefined || mayHaveAccess(rule.permissions, cell)) &&
    !areDisjoint(wanted.fields, rule.fields)
  )
}

function mayHaveAccess(permissions: readonly Permission[], { permission, syscall }: Cell): boolean {
  if (permission !== undefined) return permissions.some((each) => canBeBoth(each, permission))
  return syscall === ALL || permissions.some((each) => canBeAccess(syscall, each))
}

/** Whether the rule is about the system call of a part. */
function hasCall({ arch, syscalls }: AuditRule, cell: Cell, tables: Syscalls): boolean {
  if (syscalls === 'all') return true
  if (cell.syscall === ALL) return false
  const from = arch ?? tables.native
  if (from === cell.arch && syscalls.includes(cell.syscall)) return true
  const number = tables.numberOf(cell.arch, cell.syscall)
  return number !== undefined && syscalls.some((call) => tables.numberOf(from, call) === number)
}

function mayHaveCall(rule: AuditRule, cell: Cell, tables: Syscalls): boolean {
  const { syscalls, arch } = rule
  if (hasCall(rule, cell, tables)) return true
  if (syscalls === 'all') return true
  const from = arch ?? tables.native
  const { permission } = cell
  if (cell.syscall === ALL) {
    return permission === undefined || from !== cell.arch || syscalls.some((call) => canBeAccess(call, permission))
  }
  const isKnown = tables.numberOf(cell.arch, cell.syscall) !== undefined
  return from !== cell.arch && !(isKnown && syscalls.every((call) => tables.numberOf(from, call) !== undefined))
}

/** Whether all that happens at one place happens at the other, too. */
function holds(place: RulePlace, wanted: RulePlace): boolean {
  if (place.path === wanted.path) return place.kind === 'dir' || wanted.kind === 'path'
  return place.kind === 'dir' && isBelow(wanted.path, place.path)
}

/** Whether one event may be about both. That of a new or removed file is about its directory, too. */
function touches(place: RulePlace, wanted: RulePlace): boolean {
  return (
    holds(place, wanted) ||
    holds(wanted, place) ||
    place.path === wanted.path ||
    place.path === (wanted.path.slice(0, wanted.path.lastIndexOf('/')) || '/')
  )
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(directory === '/' ? '/' : `${directory}/`)
}

const SYSCALL_RECORD = 1300
const PATH_RECORD = 1302
const EXECVE_RECORD = 1309

/** Whether a rule of another list takes away records of wanted events: for every process it starts, or of that type. */
function hidesEverywhere(rule: AuditRule, wanted: AuditRule): boolean {
  if (rule.action !== 'never') return false
  switch (rule.list) {
    case 'task':
      return !areDisjoint(wanted.fields, rule.fields)
    case 'exclude':
      return recordsOf(wanted).some((record) => excludes(rule, [...wanted.fields, record]))
    case 'filesystem':
      return wanted.place !== undefined && !isOfKernelTrees(rule, wanted.place)
    default:
      return false
  }
}

function recordsOf({ place, syscalls }: AuditRule): readonly AuditField[] {
  const executes = syscalls !== 'all' && syscalls.some((call) => call.startsWith('execve'))
  const types = [SYSCALL_RECORD, ...(place === undefined ? [] : [PATH_RECORD]), ...(executes ? [EXECVE_RECORD] : [])]
  return types.map((value) => ({ kind: 'number', name: 'msgtype', operator: '=', value }))
}

function excludes({ fields }: AuditRule, event: readonly AuditField[]): boolean {
  // A type that is known by its name alone is not one of those that an event needs.
  const isOfOther = fields.some(({ kind, name, operator }) => kind === 'text' && name === 'msgtype' && operator === '=')
  return !isOfOther && !areDisjoint(event, fields)
}

/** Nothing of debugfs and tracefs lies elsewhere. */
function isOfKernelTrees({ fields }: AuditRule, { path }: RulePlace): boolean {
  const isTheirs = fields.some((field) => field.name === 'fstype' && /=(?:debugfs|tracefs)$/.test(printField(field)))
  return isTheirs && !isBelow(path, '/sys/kernel') && path !== '/sys/kernel'
}
