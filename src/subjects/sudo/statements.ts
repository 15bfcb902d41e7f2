import type { Assignment } from '../../settings/assignment.ts'
import { type SudoersLine, splitList, unquoted } from './lines.ts'

/** What a line comes to: values, other files, or nothing that is asked for. */
export type SudoersStatement =
  | { readonly kind: 'assignments'; readonly assignments: readonly Assignment[] }
  | { readonly kind: 'include' | 'includedir'; readonly path: string }

/** The key of the rules that ask for no password. */
export const NOPASSWD = 'NOPASSWD'

/** The key of the lines of Defaults that ask for none. */
export const NO_AUTHENTICATE = '!authenticate'

/** Reads a line of a file. */
export function readStatement({ text, line }: SudoersLine, file: string): SudoersStatement {
  const [, kind, path = ''] = /^[@#](include(?:dir)?)\s+(.+)$/s.exec(text) ?? []
  if (kind === 'include' || kind === 'includedir') return { kind, path: unquoted(path.trim()) }
  const at = { section: '', file, line }
  const [, binding = '', options] = /^Defaults([@:!>]\s*!*(?:"[^"]*"|[^\s,"]|,\s*)+)?\s+(.*)$/s.exec(text) ?? []
  if (options !== undefined) {
    const scope = binding === '' ? undefined : `Defaults${binding.replace(/\s+/g, '')}`
    return { kind: 'assignments', assignments: splitList(options).flatMap((option) => defaultOf(option, scope, at)) }
  }
  if (/^(?:User|Host|Cmnd|Cmd|Runas)_Alias\s/.test(text) || !asksNoPassword(text))
    return { kind: 'assignments', assignments: [] }
  const rule = text.replace(/\s+/g, ' ')
  return { kind: 'assignments', assignments: [{ ...at, key: NOPASSWD, value: rule, scope: rule }] }
}

function asksNoPassword(text: string): boolean {
  return /(?:^|[\s=:),])NOPASSWD\s*:/.test(text.replace(/"[^"]*"|\\./gs, '_'))
}

type Where = Pick<Assignment, 'section' | 'file' | 'line'>

function defaultOf(option: string, scope: string | undefined, at: Where): readonly Assignment[] {
  const [, not = '', name = '', sign, value = ''] = /^(!*)\s*([A-Za-z_]\w*)\s*(?:([+-]?=)\s*(.*))?$/s.exec(option) ?? []
  if (name === '') return []
  const isOff = not.length % 2 === 1
  const base = { ...at, ...(scope === undefined ? {} : { scope }) }
  const key = `Defaults.${name}`
  if (sign === '+=' || sign === '-=') return [{ ...base, key, value: option, unclear: `${option} changes a list` }]
  const assignment = {
    ...base,
    key,
    value: isOff ? (OFF[name] ?? 'false') : sign === undefined ? 'true' : unquoted(value),
  }
  if (name !== 'authenticate' || !isOff) return [assignment]
  return [assignment, { ...base, key: NO_AUTHENTICATE, value: 'true', scope: scope ?? 'Defaults' }]
}

/** What `!` makes of options that are numbers. @see sudoers(5) */
const OFF: Readonly<Record<string, string>> = { timestamp_timeout: '0', passwd_timeout: '0', passwd_tries: '0' }
