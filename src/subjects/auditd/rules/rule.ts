import { type AuditField, printField } from './fields.ts'

/** The lists of rules that the kernel keeps. */
export const RULE_LISTS = ['task', 'exit', 'user', 'exclude', 'filesystem', 'io_uring'] as const

/** One of `RULE_LISTS`. */
export type RuleList = (typeof RULE_LISTS)[number]

/** The two tables of system calls that a machine has: `b32` and `b64` in a rule. */
export const ARCHES = ['b32', 'b64'] as const

/** One of `ARCHES`. */
export type Arch = (typeof ARCHES)[number]

/** The kinds of access, in the order in which the kernel lists them. */
export const PERMISSIONS = ['r', 'w', 'x', 'a'] as const

/** One of `PERMISSIONS`. */
export type Permission = (typeof PERMISSIONS)[number]

/** What of the file system a rule is about. `-w` takes a directory as `dir` and anything else as `path`: the machine decides. */
export interface RulePlace {
  readonly kind: 'watch' | 'path' | 'dir'
  /** Without a slash at its end. */
  readonly path: string
}

/** A rule by its meaning: two rules that mean the same are equal but for their keys. */
export interface AuditRule {
  readonly kind: 'rule'
  readonly list: RuleList
  readonly action: 'always' | 'never'
  /** Absent where the rule says none: it is about both, and its system calls are numbers of the machine's own table. */
  readonly arch?: Arch
  /** Names, or numbers where the rule has numbers, sorted. */
  readonly syscalls: 'all' | readonly string[]
  readonly place?: RulePlace
  /** Absent where the rule is about every access. */
  readonly permissions?: readonly Permission[]
  /** Sorted, each once. All of them have to hold. */
  readonly fields: readonly AuditField[]
  readonly keys: readonly string[]
  /** Whether it goes before all others (`-A`). */
  readonly first: boolean
}

/** The settings that a file of rules can make, by their spelling in `-s` where the kernel tells them. */
export const SETTINGS = {
  '-D': undefined,
  '-b': 'backlog_limit',
  '-f': 'failure',
  '-e': 'enabled',
  '-r': 'rate_limit',
  '-i': undefined,
  '-c': undefined,
  '--backlog_wait_time': 'backlog_wait_time',
  '--loginuid-immutable': 'loginuid_immutable',
} as const

/** A name of `SETTINGS`. */
export type SettingName = keyof typeof SETTINGS

/** A line that is no rule and sets something. */
export interface AuditSetting {
  readonly kind: 'setting'
  readonly name: SettingName
  /** Of those that take one. */
  readonly value?: number
}

/** What a line says. */
export type AuditLine = AuditRule | AuditSetting

/** The normal form of a line: the same text for all spellings of one meaning. It can be parsed again. */
export function printLine(line: AuditLine): string {
  if (line.kind === 'setting') return line.value === undefined ? line.name : `${line.name} ${line.value}`
  return printRule(line)
}

function printRule(rule: AuditRule): string {
  const { list, action, arch, syscalls, place, permissions, fields, keys, first } = rule
  const conditions = fields.flatMap((each) => [each.kind === 'compare' ? '-C' : '-F', printField(each)])
  if (place?.kind === 'watch') {
    const access = permissions === undefined ? [] : ['-p', permissions.join('')]
    return ['-w', place.path, ...access, ...conditions, ...keys.flatMap((key) => ['-k', key])].map(escaped).join(' ')
  }
  const calls = syscalls === 'all' ? 'all' : syscalls.join(',')
  // The kernel takes no system calls for the other lists.
  const takesCalls = (list === 'exit' || list === 'io_uring') && (syscalls !== 'all' || place === undefined)
  const words = [
    first ? '-A' : '-a',
    `${action},${list}`,
    ...field(arch === undefined ? undefined : `arch=${arch}`),
    ...(takesCalls ? ['-S', calls] : []),
    ...field(place === undefined ? undefined : `${place.kind === 'dir' ? 'dir' : 'path'}=${place.path}`),
    ...field(permissions === undefined ? undefined : `perm=${permissions.join('')}`),
    ...conditions,
    ...keys.flatMap((key) => field(`key=${key}`)),
  ]
  return words.map(escaped).join(' ')
}

function field(text: string | undefined): readonly string[] {
  return text === undefined ? [] : ['-F', text]
}

/** A space within a word is written behind a backslash. */
function escaped(word: string): string {
  return word.replaceAll(' ', '\\ ')
}

/** The normal form without keys: the same for two rules that mean the same. */
export function meaningOf(rule: AuditRule): string {
  return printRule({ ...rule, keys: [], first: false })
}
