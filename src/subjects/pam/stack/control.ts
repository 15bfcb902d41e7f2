import { memoizedByText } from '../../../model/memoize.ts'
import { trimBlanksOfC, withBlanksOfC } from '../../../settings/blanks.ts'

/** The return values of modules, indexed by their number in libpam. @see pam.conf(5), _pam_types.h */
export const RETURNS = [
  'success',
  'open_err',
  'symbol_err',
  'service_err',
  'system_err',
  'buf_err',
  'perm_denied',
  'auth_err',
  'cred_insufficient',
  'authinfo_unavail',
  'user_unknown',
  'maxtries',
  'new_authtok_reqd',
  'acct_expired',
  'session_err',
  'cred_unavail',
  'cred_expired',
  'cred_err',
  'no_module_data',
  'conv_err',
  'authtok_err',
  'authtok_recover_err',
  'authtok_lock_busy',
  'authtok_disable_aging',
  'try_again',
  'ignore',
  'abort',
  'authtok_expired',
  'module_unknown',
  'bad_item',
  'conv_again',
  'incomplete',
] as const

export type Return = (typeof RETURNS)[number]

const ACTIONS = ['ignore', 'ok', 'done', 'bad', 'die', 'reset'] as const

/** The action for a return value; a number is the count of modules to skip. */
export type Action = (typeof ACTIONS)[number] | number

/** The action for each return value, in the order of `RETURNS`. */
export type Actions = readonly Action[]

const KEYWORDS = {
  required: 'success=ok new_authtok_reqd=ok ignore=ignore default=bad',
  requisite: 'success=ok new_authtok_reqd=ok ignore=ignore default=die',
  sufficient: 'success=done new_authtok_reqd=done default=ignore',
  optional: 'success=ok new_authtok_reqd=ok default=ignore',
} as const

/** The actions of a line without a control, or with one that libpam cannot parse. */
export const ALL_BAD: Actions = RETURNS.map(() => 'bad')

/** Parses the control of a line, without brackets, as libpam does; an invalid control is bad for every return value. */
export function actionsOf(control: string): Actions {
  return readControl(control) ?? ALL_BAD
}

/** Parses the control of a policy, with its brackets; undefined if invalid. */
export function wantedActions(control: string): Actions | undefined {
  const bracketed = /^\[(.*)\]$/s.exec(control)?.[1]
  const isKeyword = keywordOf(control) !== undefined
  return bracketed === undefined ? (isKeyword ? readControl(control) : undefined) : readControl(bracketed)
}

/** Services share most of their controls. */
const readControl = memoizedByText(100, (control) => readPairs(keywordOf(control) ?? control))

function keywordOf(control: string): string | undefined {
  const name = control.toLowerCase()
  return Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name as keyof typeof KEYWORDS] : undefined
}

const PAIR = withBlanksOfC(new RegExp(`^\\s*(${RETURNS.join('|')}|default)\\s*=\\s*(${ACTIONS.join('|')}|\\d+)`))

/** Blanks between pairs are optional, `default` sets the actions not set before it, and the remaining ones are bad. */
function readPairs(control: string): Actions | undefined {
  const actions = new Map<string, Action>()
  let rest = control
  while (trimBlanksOfC(rest) !== '') {
    const [whole = '', name = '', written = ''] = PAIR.exec(rest) ?? []
    const action = ACTIONS.find((each) => each === written) ?? Number(written)
    if (action === 0) return undefined
    const names = name === 'default' ? RETURNS.filter((each) => !actions.has(each)) : [name]
    for (const each of names) actions.set(each, action)
    rest = rest.slice(whole.length)
  }
  return RETURNS.map((name) => actions.get(name) ?? 'bad')
}

/**
 * The canonical spelling of equivalent controls: a keyword if possible, else with the most frequent action as the default.
 */
export function canonicalControl(actions: Actions): string {
  const keyword = Object.entries(KEYWORDS).find(([, pairs]) => isSame(readPairs(pairs), actions))
  if (keyword !== undefined) return keyword[0]
  const counts = new Map<Action, number>()
  for (const action of actions) counts.set(action, (counts.get(action) ?? 0) + 1)
  const [[most] = ['bad']] = [...counts].toSorted(([, left], [, right]) => right - left)
  const pairs = RETURNS.flatMap((name, index) => (actions[index] === most ? [] : [`${name}=${actions[index]}`]))
  return `[${[...pairs, `default=${most}`].join(' ')}]`
}

function isSame(left: Actions = [], right: Actions): boolean {
  return right.every((action, index) => action === left[index])
}
