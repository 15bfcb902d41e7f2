import { type AuditField, parseField, printField } from './fields.ts'
import { optionsOf, type Problem, problem, refused, TAKES_NONE, type Word } from './options.ts'
import {
  type Arch,
  type AuditLine,
  type AuditRule,
  PERMISSIONS,
  RULE_LISTS,
  type RuleList,
  type RulePlace,
  type SettingName,
  SETTINGS,
} from './rule.ts'

/** The meaning of a line of a rules file or of `auditctl -l`, or a problem. Empty lines and comments mean nothing. */
export type ParsedLine =
  | AuditLine
  /** Deletes the rule. */
  | { readonly kind: 'removal'; readonly rule: AuditRule }
  | { readonly kind: 'nothing' }
  | Problem

/**
 * Parses a line as auditctl does. A line that auditctl refuses, or that is not understood here, is a problem. @see
 * auditctl(8)
 */
export function parseLine(text: string): ParsedLine {
  const bare = text.replace(/\0.*/s, '').replace(/^ +/, '')
  if (bare === '' || bare.startsWith('#')) return { kind: 'nothing' }
  // auditctl marks escapes by these two characters.
  if (Buffer.byteLength(text) > LONGEST_LINE || ['\u0004', '\u0007'].some((mark) => bare.includes(mark)))
    return problem('auditctl splits the line')
  const parsed = parseWords(bare)
  // auditctl applies a setting even if another option of the line is refused.
  const isPure = !/(?:^| )-[-bcDdefirW]/.test(bare)
  return parsed.kind === 'problem' && !isPure ? problem(parsed.message) : parsed
}

/** @see LINE_SIZE in auditctl.c */
const LONGEST_LINE = 6142

function parseWords(bare: string): ParsedLine {
  const words = optionsOf(bare)
  if ('kind' in words) return words
  const [only] = words
  if (words.length === 1 && only !== undefined && only.option in SETTINGS) return parseSetting(only)
  const added = words.map(({ option, value }) => ({ option: ADDED[option] ?? option, value }))
  const parsed = added.some(({ option }) => option === '-w') ? parseWatch(added) : ruleOf(added)
  const isRemoval = words.some(({ option }) => option in ADDED)
  return isRemoval && parsed.kind === 'rule' ? { kind: 'removal', rule: parsed } : parsed
}

/** The adding option for each deleting option. */
const ADDED: Readonly<Record<string, string>> = { '-d': '-a', '-W': '-w' }

/** Whether a line that is not understood may delete earlier rules. */
export function mayRemove(text: string): boolean {
  return /(?:^|[ \t])-[dDW]/.test(text)
}

function parseSetting({ option, value }: Word): ParsedLine {
  const name = option as SettingName
  if (TAKES_NONE.includes(option)) return { kind: 'setting', name }
  if (name === '-e' || name === '-f') {
    return /^[012]$/.test(value)
      ? { kind: 'setting', name, value: Number(value) }
      : problem(`${option} takes 0, 1 or 2`)
  }
  // As strtoul with base 0, which ignores what follows a number.
  const digits = /^(?:0x[\da-f]+|0[0-7]*|[1-9]\d*)/i.exec(value)?.[0] ?? ''
  const number = Number(/^0\d/.test(digits) ? `0o${digits}` : digits)
  if (digits === '' || number > 0xff_ff_ff_ff) return problem(`${option} takes a number`)
  return { kind: 'setting', name, value: number }
}

function parseWatch(words: readonly Word[]): ParsedLine {
  const [first] = words
  const other = words.find(({ option }) => !['-w', '-p', '-k', '-F'].includes(option))
  if (first?.option !== '-w' || words.filter(({ option }) => option === '-w').length > 1)
    return refused('-w comes first, once')
  if (other !== undefined) return problem(`${other.option} conflicts with -w`)
  const permissions = words.findLast(({ option }) => option === '-p')?.value ?? 'rwxa'
  const fields = words.filter(({ option }) => option === '-F' || option === '-k')
  return ruleOf([
    { option: '-a', value: 'always,exit' },
    { option: '-w', value: first.value },
    { option: '-F', value: `perm=${permissions}` },
    ...fields,
  ])
}

type Draft = {
  -readonly [Property in 'list' | 'action' | 'arch' | 'place' | 'permissions' | 'first']?: AuditRule[Property]
}

function ruleOf(words: readonly Word[]): ParsedLine {
  const draft: Draft = {}
  const fields: AuditField[] = []
  const keys: string[] = []
  const calls: string[] = []
  for (const { option, value } of words) {
    const trouble = takeWord({ option, value }, { draft, fields, keys, calls })
    if (trouble !== undefined) return trouble
  }
  const { list, action, place, permissions } = draft
  if (list === undefined || action === undefined) return problem('it is neither a rule nor a setting')
  const isAll = calls.length === 0 || calls.includes('all')
  if (!isAll && list !== 'exit' && list !== 'io_uring') return problem(`the list ${list} has no system calls`)
  const other = fields.find(({ kind, name }) => !(kind === 'compare' ? list === 'exit' : FIELDS_OF[list].test(name)))
  if (other !== undefined) return problem(`the list ${list} has no field ${other.name}`)
  if ((place ?? permissions) !== undefined && list !== 'exit') return problem(`the list ${list} has no paths`)
  if (draft.arch !== undefined && /^(?:exclude|filesystem)$/.test(list)) return problem(`the list ${list} has no arch`)
  const sorted = new Map(fields.map((field) => [printField(field), field]))
  return {
    kind: 'rule',
    list,
    // The kernel has only this action for the list.
    action: list === 'exclude' ? 'never' : action,
    ...(draft.arch === undefined ? {} : { arch: draft.arch }),
    syscalls: isAll ? 'all' : [...new Set(calls)].toSorted(),
    ...(place === undefined ? {} : { place }),
    ...(permissions === undefined ? {} : { permissions }),
    fields: [...sorted].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, field]) => field),
    keys,
    first: draft.first ?? false,
  }
}

/** The fields that a list takes, in auditctl 3.0.9. @see audit_field_valid in auditfilter.c */
const FIELDS_OF: Readonly<Record<RuleList, RegExp>> = {
  task: /^(?:(?:a|e|s|fs|obj_)?[ug]id|pid|pers|saddr_fam|a[0-3]|exe|subj_\w+)$/,
  exit: /^(?!msgtype$|fstype$)/,
  user: /^(?:(?:a|e|s|fs|obj_)?[ug]id|pid|pers|saddr_fam|a[0-3]|exe|subj_\w+|sessionid|msgtype)$/,
  exclude: /^(?:a?uid|gid|pid|msgtype|exe|subj_\w+)$/,
  filesystem: /^fstype$/,
  io_uring: /^/,
}

interface Gathered {
  readonly draft: Draft
  readonly fields: AuditField[]
  readonly keys: string[]
  readonly calls: string[]
}

/** Adds a word to the draft, or returns the problem with it. */
function takeWord({ option, value }: Word, gathered: Gathered): Problem | undefined {
  const { draft, fields, keys, calls } = gathered
  if (!/^-[aAwSk]$/.test(option) && draft.list === undefined) return refused(`${option} comes before the list`)
  switch (option) {
    case '-a':
    case '-A':
      return takeList(value, option === '-A', draft)
    case '-S':
      calls.push(...value.split(',').filter((name) => name !== ''))
      return calls.every((name) => /^\w+$/.test(name)) ? undefined : problem(`${value} contains no system call`)
    case '-k':
      return isKeyed(gathered) ? takeKey(value, keys) : refused('-k must follow a system call or a permission')
    case '-C': {
      const field = parseField(value, true)
      if (field !== undefined) fields.push(field)
      return field === undefined ? problem(`unknown comparison -C ${value}`) : undefined
    }
    case '-F':
      return takeField(value, gathered)
    case '-w':
      return takePlace({ kind: 'watch', path: value }, '=', draft)
    default:
      return problem(`${option} conflicts with a rule`)
  }
}

/** Whether a key may follow. @see auditctl(8), -k */
function isKeyed({ draft, fields, calls }: Gathered): boolean {
  const isOfPlace = draft.place?.kind === 'watch' || draft.permissions !== undefined
  return isOfPlace || calls.length > 0 || fields.some(({ name }) => name === 'exe' || name === 'fstype')
}

/** @see AUDIT_MAX_KEY_LEN in linux/audit.h */
const LONGEST_KEYS = 256

function takeKey(value: string, keys: string[]): Problem | undefined {
  keys.push(value)
  return Buffer.byteLength(keys.join(' ')) > LONGEST_KEYS ? refused('the keys are too long') : undefined
}

function takeList(value: string, isFirst: boolean, draft: Draft): Problem | undefined {
  if (draft.list !== undefined) return refused('two lists are named')
  const parts = value.split(',')
  const list = RULE_LISTS.find((each) => parts.includes(each))
  const action = (['always', 'never'] as const).find((each) => parts.includes(each))
  if (parts.length !== 2 || list === undefined || action === undefined) {
    // Versions differ in what they make of former names.
    return (/possible|entry|watch/.test(value) ? problem : refused)(`${value} is not a list with an action`)
  }
  Object.assign(draft, { list, action, first: isFirst })
  return undefined
}

function takeField(text: string, { draft, fields, keys, calls }: Gathered): Problem | undefined {
  const [, name = '', operator = '', value = ''] = /^(\w+)(!?=)(.*)$/s.exec(text) ?? []
  switch (name) {
    case 'key':
      return takeKey(value, keys)
    case 'arch':
      if (calls.length > 0) return refused('the architecture must precede the system calls')
      return takeArch(value, operator, draft)
    case 'path':
    case 'dir':
      return takePlace({ kind: name, path: value }, operator, draft)
    case 'perm':
      return takePermissions(value, operator, draft)
    default: {
      const field = parseField(text, false)
      if (field !== undefined) fields.push(field)
      return field === undefined ? problem(`unknown field comparison -F ${text}`) : undefined
    }
  }
}

const ARCH_OF: Readonly<Record<string, Arch>> = {
  b32: 'b32',
  b64: 'b64',
  x86_64: 'b64',
  aarch64: 'b64',
  i386: 'b32',
  i486: 'b32',
  i586: 'b32',
  i686: 'b32',
  arm: 'b32',
  armv7l: 'b32',
  '0xc000003e': 'b64',
  '0x40000003': 'b32',
  '0xc00000b7': 'b64',
  '0x40000028': 'b32',
}

function takeArch(value: string, operator: string, draft: Draft): Problem | undefined {
  const arch = ARCH_OF[value.toLowerCase()]
  if (arch === undefined || draft.arch !== undefined) {
    return problem(`the meaning of arch${operator}${value} is unknown here`)
  }
  draft.arch = operator === '=' ? arch : arch === 'b64' ? 'b32' : 'b64'
  return undefined
}

function takePlace(place: RulePlace, operator: string, draft: Draft): Problem | undefined {
  if (operator !== '=' || draft.place !== undefined) return problem('a rule has one path at most, and only with =')
  if (!place.path.startsWith('/')) return refused(`the path ${place.path} does not start with /`)
  // The kernel refuses it.
  if (place.kind === 'path' && place.path.endsWith('/')) return refused(`the path ${place.path} ends with /`)
  draft.place = { ...place, path: place.path.replace(/(?<=.)\/+$/, '').replaceAll(/\/{2,}/g, '/') }
  return undefined
}

function takePermissions(value: string, operator: string, draft: Draft): Problem | undefined {
  const letters = value.toLowerCase().split('')
  const permissions = PERMISSIONS.filter((each) => letters.includes(each))
  const isKnown = letters.every((letter) => (PERMISSIONS as readonly string[]).includes(letter))
  if (
    operator !== '=' ||
    letters.length === 0 ||
    letters.length > PERMISSIONS.length ||
    !isKnown ||
    draft.permissions !== undefined
  ) {
    return (isKnown ? problem : refused)(`the meaning of perm${operator}${value} is unknown here`)
  }
  draft.permissions = permissions
  return undefined
}
