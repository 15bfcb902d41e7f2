import { type AuditField, parseField, printField } from './fields.ts'
import {
  type Arch,
  type AuditLine,
  type AuditRule,
  PERMISSIONS,
  RULE_LISTS,
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
  | { readonly kind: 'problem'; readonly message: string }

interface Word {
  readonly option: string
  readonly value: string
}

/**
 * Parses a line as auditctl does. A line that auditctl refuses, or that is not understood here, is a problem. @see
 * auditctl(8)
 */
export function parseLine(text: string): ParsedLine {
  const bare = text.replace(/^ +/, '')
  if (bare === '' || bare.startsWith('#')) return { kind: 'nothing' }
  const words = optionsOf(bare)
  if (typeof words === 'string') return problem(words)
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

function problem(message: string): { readonly kind: 'problem'; readonly message: string } {
  return { kind: 'problem', message }
}

const TAKES_VALUE = [
  '-a',
  '-A',
  '-d',
  '-w',
  '-W',
  '-p',
  '-k',
  '-F',
  '-C',
  '-S',
  '-b',
  '-f',
  '-e',
  '-r',
  '--backlog_wait_time',
]
const TAKES_NONE = ['-D', '-i', '-c', '--loginuid-immutable']

function optionsOf(text: string): readonly Word[] | string {
  // A backslash escapes a space, and a tab does not separate words.
  const parts = [...text.matchAll(/(?:\\ |[^ ])+/g)].map(([part]) => part.replaceAll('\\ ', ' '))
  const words: Word[] = []
  while (parts.length > 0) {
    const part = parts.shift() ?? ''
    const [, option = '', glued = ''] = /^(--[\w-]+|-[^-])(?:(?<=--[\w-]+)=)?(.*)$/s.exec(part) ?? []
    if (TAKES_NONE.includes(option) && glued === '') words.push({ option, value: '' })
    else if (TAKES_VALUE.includes(option)) {
      const value = glued === '' ? parts.shift() : glued
      if (value === undefined) return `${option} has no value`
      words.push({ option, value })
    } else return `unknown argument ${part}`
  }
  return words
}

function parseSetting({ option, value }: Word): ParsedLine {
  const name = option as SettingName
  if (TAKES_NONE.includes(option)) return { kind: 'setting', name }
  if (!/^\d+$/.test(value)) return problem(`${option} takes a number`)
  const number = Number(value)
  if ((name === '-e' || name === '-f') && number > 2) return problem(`${option} takes 0, 1 or 2`)
  return { kind: 'setting', name, value: number }
}

function parseWatch(words: readonly Word[]): ParsedLine {
  const [first] = words
  const other = words.find(({ option }) => !['-w', '-p', '-k', '-F'].includes(option))
  if (first?.option !== '-w' || words.filter(({ option }) => option === '-w').length > 1)
    return problem('-w comes first, once')
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
    if (trouble !== undefined) return problem(trouble)
  }
  const { list, action, place, permissions } = draft
  if (list === undefined || action === undefined) return problem('it is neither a rule nor a setting')
  const isAll = calls.length === 0 || calls.includes('all')
  if (!isAll && list !== 'exit' && list !== 'io_uring') return problem(`the list ${list} has no system calls`)
  if (place !== undefined && list !== 'exit') return problem(`the list ${list} has no paths`)
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

interface Gathered {
  readonly draft: Draft
  readonly fields: AuditField[]
  readonly keys: string[]
  readonly calls: string[]
}

/** Adds a word to the draft, or returns the problem with it. */
function takeWord({ option, value }: Word, gathered: Gathered): string | undefined {
  const { draft, fields, keys, calls } = gathered
  switch (option) {
    case '-a':
    case '-A':
      return takeList(value, option === '-A', draft)
    case '-S':
      calls.push(...value.split(',').filter((name) => name !== ''))
      return calls.every((name) => /^\w+$/.test(name)) ? undefined : `${value} contains no system call`
    case '-k':
      keys.push(value)
      return undefined
    case '-C': {
      const field = parseField(value, true)
      if (field !== undefined) fields.push(field)
      return field === undefined ? `unknown comparison -C ${value}` : undefined
    }
    case '-F':
      return takeField(value, gathered)
    case '-w':
      return takePlace({ kind: 'watch', path: value }, '=', draft)
    default:
      return `${option} conflicts with a rule`
  }
}

function takeList(value: string, isFirst: boolean, draft: Draft): string | undefined {
  if (draft.list !== undefined) return 'two lists are named'
  const parts = value.split(',')
  const list = RULE_LISTS.find((each) => parts.includes(each))
  const action = (['always', 'never'] as const).find((each) => parts.includes(each))
  if (parts.length !== 2 || list === undefined || action === undefined) return `${value} is not a list with an action`
  Object.assign(draft, { list, action, first: isFirst })
  return undefined
}

function takeField(text: string, { draft, fields, keys, calls }: Gathered): string | undefined {
  const [, name = '', operator = '', value = ''] = /^(\w+)(!?=)(.*)$/s.exec(text) ?? []
  switch (name) {
    case 'key':
      keys.push(value)
      return undefined
    case 'arch':
      if (calls.length > 0) return 'the architecture must precede the system calls'
      return takeArch(value, operator, draft)
    case 'path':
    case 'dir':
      return takePlace({ kind: name, path: value }, operator, draft)
    case 'perm':
      return takePermissions(value, operator, draft)
    default: {
      const field = parseField(text, false)
      if (field !== undefined) fields.push(field)
      return field === undefined ? `unknown field comparison -F ${text}` : undefined
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

function takeArch(value: string, operator: string, draft: Draft): string | undefined {
  const arch = ARCH_OF[value.toLowerCase()]
  if (arch === undefined || draft.arch !== undefined) return `the meaning of arch${operator}${value} is unknown here`
  draft.arch = operator === '=' ? arch : arch === 'b64' ? 'b32' : 'b64'
  return undefined
}

function takePlace(place: RulePlace, operator: string, draft: Draft): string | undefined {
  if (operator !== '=' || draft.place !== undefined) return 'a rule has one path at most, and only with ='
  if (!place.path.startsWith('/')) return `the path ${place.path} does not start with /`
  draft.place = { ...place, path: place.path.replace(/(?<=.)\/+$/, '').replaceAll(/\/{2,}/g, '/') }
  return undefined
}

function takePermissions(value: string, operator: string, draft: Draft): string | undefined {
  const letters = value.toLowerCase().split('')
  const permissions = PERMISSIONS.filter((each) => letters.includes(each))
  const isKnown = letters.every((letter) => (PERMISSIONS as readonly string[]).includes(letter))
  if (operator !== '=' || letters.length === 0 || !isKnown || draft.permissions !== undefined) {
    return `the meaning of perm${operator}${value} is unknown here`
  }
  draft.permissions = permissions
  return undefined
}
