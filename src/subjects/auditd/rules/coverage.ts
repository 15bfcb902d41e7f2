import { type AuditField, printField } from './fields.ts'
import type { LayerEntry } from './layers.ts'
import { areDisjoint, implies } from './ranges.ts'
import { type Arch, ARCHES, type AuditRule, meaningOf, type Permission, type RulePlace } from './rule.ts'
import type { Syscalls } from './syscalls.ts'

/** The smallest part of a rule that a single other rule must cover. */
export interface Cell {
  readonly arch: Arch
  readonly syscall: string
  readonly permission?: Permission
}

type RuleEntry = Extract<LayerEntry, { kind: 'rule' }>

/** How a layer treats the events of a cell. */
export type Verdict =
  | { readonly kind: 'covered' }
  /** An earlier rule excludes some or all of them. */
  | { readonly kind: 'hidden'; readonly by: RuleEntry }
  /** auditctl stops before a rule for them. */
  | { readonly kind: 'ended'; readonly by: Extract<LayerEntry, { kind: 'end' }> }
  | { readonly kind: 'unclear'; readonly by: Extract<LayerEntry, { kind: 'unclear' }> }
  /** They are recorded, but without one of the desired keys. */
  | { readonly kind: 'other-key'; readonly by: RuleEntry }
  /** A rule records only the events that also meet `condition`. */
  | { readonly kind: 'narrower'; readonly by: RuleEntry; readonly condition: string }
  | { readonly kind: 'missing' }

/** Inputs of a judgement. */
export interface Question {
  readonly wanted: AuditRule
  readonly entries: readonly LayerEntry[]
  readonly syscalls: Syscalls
  /** Whether the covering rule must have one of the desired keys. */
  readonly comparesKey: boolean
}

/** Judges each cell of a rule; empty if no program on the host can make its system calls. */
export function judgeRule(question: Question): readonly { readonly cell?: Cell; readonly verdict: Verdict }[] {
  const { wanted } = question
  if (wanted.list !== 'exit' || wanted.action === 'never') return [{ verdict: judgeSame(question) }]
  return cellsOf(wanted, question.syscalls).map((cell) => ({ cell, verdict: judgeCell(cell, question) }))
}

/** Exclusions and rules of other lists must be present as they are. */
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

/** The cells of a rule that can occur on this host. */
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

/** The first matching rule decides about an event. */
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
      if (mayMatch(cell, question, rule)) return { kind: 'hidden', by: entry }
      continue
    }
    if (!hasCall(rule, cell, question.syscalls)) continue
    const condition = conditionBeyond(rule, cell, wanted)
    if (condition === undefined) {
      return comparesKey && !hasKey(rule, wanted) ? { kind: 'other-key', by: entry } : { kind: 'covered' }
    }
    if (narrower === undefined && mayMatch(cell, question, rule)) narrower = { kind: 'narrower', by: entry, condition }
  }
  return narrower ?? { kind: 'missing' }
}

/** A condition of the rule that not every desired event meets; undefined if the rule records all of them. */
function conditionBeyond(rule: AuditRule, cell: Cell, wanted: AuditRule): string | undefined {
  const { place, permissions, fields } = rule
  if (place !== undefined && (wanted.place === undefined || !includesPlace(place, wanted.place))) {
    return `${place.kind}=${place.path}`
  }
  if (permissions !== undefined && (cell.permission === undefined || !permissions.includes(cell.permission))) {
    return `perm=${permissions.join('')}`
  }
  const beyond = fields.find((field) => !implies(wanted.fields, field))
  return beyond === undefined ? undefined : printField(beyond)
}

/** Whether one event may match both; true if unknown. */
function mayMatch(cell: Cell, { wanted, syscalls }: Question, rule: AuditRule): boolean {
  return (
    mayHaveCall(rule, cell, syscalls) &&
    (rule.place === undefined || wanted.place === undefined || isOverlapping(rule.place, wanted.place)) &&
    (rule.permissions === undefined || mayHaveAccess(rule.permissions, cell)) &&
    !areDisjoint(wanted.fields, rule.fields)
  )
}

function mayHaveAccess(permissions: readonly Permission[], { permission, syscall }: Cell): boolean {
  if (permission !== undefined) return permissions.some((each) => canBeBoth(each, permission))
  return syscall === ALL || permissions.some((each) => canBeAccess(syscall, each))
}

/** Whether the rule includes the system call of the cell. */
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

/** Whether the first place includes the second. */
function includesPlace(place: RulePlace, wanted: RulePlace): boolean {
  if (place.path === wanted.path) return place.kind === 'dir' || wanted.kind === 'path'
  return place.kind === 'dir' && isBelow(wanted.path, place.path)
}

/** Whether one event may match both places. Creating or removing a file also concerns its directory. */
function isOverlapping(place: RulePlace, wanted: RulePlace): boolean {
  return (
    includesPlace(place, wanted) ||
    includesPlace(wanted, place) ||
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

/** Whether a rule of another list suppresses desired events: by task, by record type or by file system. */
function hidesEverywhere(rule: AuditRule, wanted: AuditRule): boolean {
  if (rule.action !== 'never') return false
  switch (rule.list) {
    case 'task':
      return !areDisjoint(wanted.fields, rule.fields)
    case 'exclude':
      return recordsOf(wanted).some((record) => excludesEvent(rule, [...wanted.fields, record]))
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

function excludesEvent({ fields }: AuditRule, event: readonly AuditField[]): boolean {
  // A message type that has only a name here is not one of the records that an event needs.
  const isOfOther = fields.some(({ kind, name, operator }) => kind === 'text' && name === 'msgtype' && operator === '=')
  return !isOfOther && !areDisjoint(event, fields)
}

/** debugfs and tracefs are mounted only below /sys/kernel. */
function isOfKernelTrees({ fields }: AuditRule, { path }: RulePlace): boolean {
  const isTheirs = fields.some((field) => field.name === 'fstype' && /=(?:debugfs|tracefs)$/.test(printField(field)))
  return isTheirs && !isBelow(path, '/sys/kernel') && path !== '/sys/kernel'
}

const OPENING = ['open', 'openat', 'openat2', 'open_by_handle_at', 'creat']

/**
 * The system calls that the kernel assigns to each permission. @see asm-generic/audit_*.h, audit_match_perm in auditsc.c
 */
const CALLS: Readonly<Record<Permission, readonly string[]>> = {
  r: [
    ...OPENING,
    ...split('readlink quotactl listxattr llistxattr flistxattr getxattr lgetxattr fgetxattr readlinkat'),
  ],
  w: [
    ...OPENING,
    ...split(
      'rename mkdir rmdir link unlink symlink mknod mkdirat mknodat unlinkat renameat linkat symlinkat renameat2',
    ),
    ...split('acct swapon quotactl truncate truncate64 ftruncate ftruncate64 bind fallocate socketcall'),
  ],
  // open(2) counts only as a read or a write.
  x: ['execve', 'execveat'],
  a: [
    ...split('chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat chown32 fchown32 lchown32 link linkat'),
    ...split('setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat'),
  ],
}

function split(names: string): readonly string[] {
  return names.split(' ')
}

/** Whether a system call can match the permission; a number can match any. */
function canBeAccess(call: string, permission: Permission): boolean {
  return /^\d+$/.test(call) || CALLS[permission].includes(call)
}

/** Whether one system call can match both permissions, as open(2) with O_RDWR does. */
function canBeBoth(one: Permission, other: Permission): boolean {
  return one === other || CALLS[one].some((call) => CALLS[other].includes(call))
}
