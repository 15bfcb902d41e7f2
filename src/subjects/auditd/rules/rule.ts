import { type AuditField, printField } from './fields.ts'

/** The filter lists of the kernel. */
export const RULE_LISTS = ['task', 'exit', 'user', 'exclude', 'filesystem', 'io_uring'] as const

export type RuleList = (typeof RULE_LISTS)[number]

/** The system call tables of a host: `b32` and `b64` in a rule. */
export const ARCHES = ['b32', 'b64'] as const

export type Arch = (typeof ARCHES)[number]

/** Permissions, in the kernel's listing order. */
export const PERMISSIONS = ['r', 'w', 'x', 'a'] as const

export type Permission = (typeof PERMISSIONS)[number]

/** The file or directory of a rule. For `-w` the host decides between `dir` and `path`. */
export interface RulePlace {
  readonly kind: 'watch' | 'path' | 'dir'
  /** Without a trailing slash. */
  readonly path: string
}

/** A rule by its meaning: equivalent rules are equal except for their keys. */
export interface AuditRule {
  readonly kind: 'rule'
  readonly list: RuleList
  readonly action: 'always' | 'never'
  /** Absent if unspecified: the rule applies to both tables, and its system calls are numbers of the native table. */
  readonly arch?: Arch
  /** Sorted names, or numbers if the rule has numbers. */
  readonly syscalls: 'all' | readonly string[]
  readonly place?: RulePlace
  /** Absent if the rule covers every access. */
  readonly permissions?: readonly Permission[]
  /** Sorted and unique. An event must meet all of them. */
  readonly fields: readonly AuditField[]
  readonly keys: readonly string[]
  /** Whether the rule is prepended to its list (`-A`). */
  readonly first: boolean
}

/** Control options of a rules file, with their names in `auditctl -s` if the kernel reports them. */
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

export type SettingName = keyof typeof SETTINGS

/** A line that sets an option of the audit system. */
export interface AuditSetting {
  readonly kind: 'setting'
  readonly name: SettingName
  /** Absent for options without a value. */
  readonly value?: number
}

export type AuditLine = AuditRule | AuditSetting

/** The normal form of a line: identical for all spellings of one meaning. It can be parsed again. */
export function printLine(line: AuditLine): string {
  if (line.kind === 'setting') return line.value === undefined ? line.name : `${line.name} ${line.value}`
  return printRule(line)
}

function printRule(rule: AuditRule): string {
  const { list, action, arch, syscalls, place, permissions, fields, keys, first } = rule
  const conditions = fields.flatMap((each) => [each.kind === 'compare' ? '-C' : '-F', printField(each)])
  if (place?.kind === 'watch') {
    const access = permissions === undefined ? [] : ['-p', permissions.join('')]
    return ['-w', place.path, ...access, ...conditions, ...keys.flatMap((key) => ['-k', key])]
      .map(escapeSpaces)
      .join(' ')
  }
  const calls = syscalls === 'all' ? 'all' : syscalls.join(',')
  // The other lists take no system calls.
  const takesCalls = (list === 'exit' || list === 'io_uring') && (syscalls !== 'all' || place === undefined)
  const words = [
    first ? '-A' : '-a',
    `${action},${list}`,
    ...fieldOption(arch === undefined ? undefined : `arch=${arch}`),
    ...(takesCalls ? ['-S', calls] : []),
    ...fieldOption(place === undefined ? undefined : `${place.kind === 'dir' ? 'dir' : 'path'}=${place.path}`),
    ...fieldOption(permissions === undefined ? undefined : `perm=${permissions.join('')}`),
    ...conditions,
    ...keys.flatMap((key) => fieldOption(`key=${key}`)),
  ]
  return words.map(escapeSpaces).join(' ')
}

function fieldOption(text: string | undefined): readonly string[] {
  return text === undefined ? [] : ['-F', text]
}

/** Escapes spaces and backslashes with a backslash. */
function escapeSpaces(word: string): string {
  return word.replaceAll(/[ \\]/g, String.raw`\$&`)
}

/** The normal form without keys: identical for equivalent rules. */
export function meaningOf(rule: AuditRule): string {
  return printRule({ ...rule, keys: [], first: false })
}
