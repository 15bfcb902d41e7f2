import { type Named, withValue } from './variables.ts'
import type { Command } from './ast.ts'

/** Where something is written. */
export interface Place {
  readonly file: string
  /** From 1. */
  readonly line: number
}

/** What is known of the value of a variable. */
export type Value =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unset' }
  /** It depends on who logs in, so that every branch is taken by some user; never empty. `uid` is that of an ordinary user. */
  | { readonly kind: 'who'; readonly isUid: boolean }
  /** Unknown. */
  | { readonly kind: 'unclear'; readonly why: string; readonly isEmpty?: false; readonly isQuiet?: true }

/** A variable of the shell. */
export interface Variable {
  readonly value: Value
  readonly isReadonly: boolean
  /** Whether something unknown may have made it read-only. */
  readonly isTouched?: boolean
  readonly isExported: boolean
  readonly at?: Place
}

/** The umask, or why it is not known. */
export type Mask = ({ readonly bits: number } | { readonly why: string }) & { readonly at?: Place }

/** A shell between two commands, on one of the ways it can take. */
export interface ShellState {
  readonly mask: Mask
  readonly variables: Named<Variable>
  /** Functions that are defined; null for one of which it is not known what it does. */
  readonly functions: ReadonlyMap<string, Command | null>
  /** Of questions about who logs in: what was answered on this way. */
  readonly answered: ReadonlyMap<string, boolean>
  /** Arguments of the function or file, where they are known. */
  readonly positional: readonly Value[]
  /** What may change everything after the files. */
  readonly later?: string
  /** Why it is not known whether any shell takes this way. */
  readonly doubt?: string
}

/** How a command ended. `either` and `unclear` are both: by who logs in, and by what is unknown. */
export type Status =
  | { readonly kind: 'yes' | 'no' }
  | { readonly kind: 'either'; readonly question: string }
  | { readonly kind: 'unclear'; readonly why: string }

/** What becomes of a way after a command. */
export interface Flow {
  readonly state: ShellState
  readonly status: Status
  /** What ends more than the command; `abort` is an error that ends the reading of all files. */
  readonly jump?: 'return' | 'exit' | 'abort' | 'break' | 'continue'
}

export const YES: Status = { kind: 'yes' }
export const NO: Status = { kind: 'no' }

/** What settings are about; of other variables less is remembered. */
export const TRACKED: readonly string[] = ['TMOUT', 'PATH']

/** A text as a value. */
export function textOf(text: string): Value {
  return { kind: 'text', text }
}

const UNSET: Variable = { value: { kind: 'unset' }, isReadonly: false, isExported: false }

/** A variable, as a shell finds it that inherits nothing that is not said. */
export function variableOf({ variables }: ShellState, name: string): Variable {
  return variables.get(name) ?? (INHERITED.test(name) ? INHERITED_VALUE : UNSET)
}

/** What programs that let people in hand on, with unknown values. */
const INHERITED =
  /^(?:TERM|COLORTERM|LANG|LANGUAGE|LC_\w+|SSH_\w+|XDG_\w+|DISPLAY|WAYLAND_DISPLAY|SUDO_\w+|DBUS_\w+|MAIL|PWD|OLDPWD|HOSTNAME|HOST|HOSTTYPE|OSTYPE|MACHTYPE|COLUMNS|LINES|TZ|KRB5CCNAME|SHLVL|BASH_(?!VERSION$)\w+|RANDOM|SECONDS|PPID|IFS|OPTIND|INVOCATION_ID|TMUX|STY|WINDOWID|container|_|\?|\$|!|#|@|\*|\d+)$/

const INHERITED_VALUE: Variable = {
  value: { kind: 'unclear', why: 'what is inherited is not known' },
  isReadonly: false,
  isExported: true,
}

/** The state with another value of a variable; one that is read-only keeps its own. */
export function assign(state: ShellState, name: string, change: Partial<Variable>): ShellState {
  const before = variableOf(state, name)
  return { ...state, variables: withValue(state.variables, name, { ...before, ...change }) }
}

/** What bash runs before each prompt. */
export const PROMPT_COMMAND = 'PROMPT_COMMAND'

/** What is run before a prompt, or at a signal, and changes nothing that settings are about. */
export function isQuiet(value: Value): boolean {
  if (value.kind === 'unset') return true
  if (value.kind === 'unclear') return value.isQuiet === true
  return value.kind === 'text' && !/umask|TMOUT|PATH=|exec|eval|source|(?:^|[\s;])\.\s/.test(value.text)
}

/** The state when anything may have been run. Nothing can change what is read-only. */
export function disturbed(state: ShellState, why: string): ShellState {
  const value: Value = { kind: 'unclear', why }
  const variables = new Map(
    [...state.variables].map(
      ([name, each]) => [name, each.isReadonly ? each : { ...each, value, isTouched: true }] as const,
    ),
  )
  for (const name of TRACKED) {
    const before = variableOf(state, name)
    if (!before.isReadonly) variables.set(name, { ...before, value, isTouched: true })
  }
  return { ...state, mask: { why }, variables, answered: new Map() }
}

/** The state in which not even what is read-only is known. */
export function lost(state: ShellState, why: string): ShellState {
  const value: Value = { kind: 'unclear', why }
  const unknown: Variable = { value, isReadonly: false, isTouched: true, isExported: false }
  return { ...disturbed(state, why), variables: new Map(TRACKED.map((name) => [name, unknown])), doubt: why }
}

/** What tells two ways apart as far as settings go. */
function keyOf({ state, jump }: Flow): string {
  return `${keyOfState(state)} ${jump ?? ''}`
}

const KEYS = new WeakMap<ShellState, string>()

/** States are compared more often than they are made. */
function keyOfState(state: ShellState): string {
  const kept = KEYS.get(state)
  if (kept !== undefined) return kept
  const { mask, later = '' } = state
  const prompt = variableOf(state, PROMPT_COMMAND).value
  const tracked = TRACKED.map((name) => {
    const { value, isReadonly, isTouched, isExported } = variableOf(state, name)
    return `${JSON.stringify(value)} ${isReadonly} ${isTouched === true} ${isExported}`
  })
  const key = `${'bits' in mask ? mask.bits : mask.why} ${tracked.join(' ')} ${later} ${isQuiet(prompt) ? '' : JSON.stringify(prompt)}`
  KEYS.set(state, key)
  return key
}

/** Ways of which it is unknown which is taken; what all of them come to is not in doubt. */
export function doubted(alternatives: readonly (readonly Flow[])[], why: string): readonly Flow[] {
  const keys = alternatives.map((flows) => new Set(flows.map(keyOf)))
  return merged(
    alternatives
      .flat()
      .map((flow) =>
        flow.state.doubt !== undefined || keys.every((each) => each.has(keyOf(flow)))
          ? flow
          : { ...flow, state: { ...flow.state, doubt: why } },
      ),
  )
}

/** Ways that come to the same are one, in which what differs is not known. */
export function merged(flows: readonly Flow[]): readonly Flow[] {
  if (flows.length < 2) return flows
  const found = new Map<string, Flow>()
  for (const flow of flows) {
    const key = `${keyOf(flow)} ${keyOfStatus(flow.status)} ${flow.state.doubt === undefined}`
    const same = found.get(key)
    found.set(key, same === undefined ? flow : { ...same, state: joined(same.state, flow.state) })
  }
  return [...found.values()]
}

function keyOfStatus(status: Status): string {
  return status.kind === 'either' ? status.question : status.kind
}

function joined(one: ShellState, other: ShellState): ShellState {
  if (one === other) return one
  const variables = new Map<string, Variable>()
  for (const [name] of new Map([...one.variables, ...other.variables])) {
    const [left, right] = [variableOf(one, name), variableOf(other, name)]
    variables.set(name, isSame(left, right) ? left : joinedVariable(left, right))
  }
  const functions = one.functions === other.functions ? one.functions : joinedFunctions(one.functions, other.functions)
  const answered = new Map([...one.answered].filter(([question, answer]) => other.answered.get(question) === answer))
  const positional = JSON.stringify(one.positional) === JSON.stringify(other.positional) ? one.positional : []
  return { ...one, variables, functions, answered, positional }
}

function joinedFunctions(one: ShellState['functions'], other: ShellState['functions']): ShellState['functions'] {
  const functions = new Map<string, Command | null>()
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    const body = one.get(name)
    functions.set(name, body !== undefined && body === other.get(name) ? body : null)
  }
  return functions
}

function isSame(left: Variable, right: Variable): boolean {
  return (
    left === right ||
    (left.isReadonly === right.isReadonly &&
      left.isTouched === right.isTouched &&
      left.isExported === right.isExported &&
      isSameValue(left.value, right.value))
  )
}

function isSameValue(left: Value, right: Value): boolean {
  if (left === right) return true
  if (left.kind === 'text') return right.kind === 'text' && left.text === right.text
  if (left.kind === 'unclear')
    return right.kind === 'unclear' && left.isEmpty === right.isEmpty && left.isQuiet === right.isQuiet
  return left.kind === right.kind && JSON.stringify(left) === JSON.stringify(right)
}

function joinedVariable(left: Variable, right: Variable): Variable {
  const both = [left.value, right.value]
  const value: Value = {
    kind: 'unclear',
    why: 'it depends on the way',
    ...(both.every(isSurelyFilled) ? { isEmpty: false } : {}),
    ...(both.every(isQuiet) ? { isQuiet: true } : {}),
  }
  return {
    value: isSameValue(left.value, right.value) ? left.value : value,
    isReadonly: left.isReadonly && right.isReadonly,
    isTouched: left.isTouched === true || right.isTouched === true || left.isReadonly !== right.isReadonly,
    isExported: left.isExported && right.isExported,
  }
}

/** Whether a value is there and not empty; undefined where that is not known. */
export function isFilled(value: Value): boolean | undefined {
  switch (value.kind) {
    case 'text':
      return value.text !== ''
    case 'unset':
      return false
    case 'who':
      return true
    case 'unclear':
      return value.isEmpty === false ? true : undefined
  }
}

function isSurelyFilled(value: Value): boolean {
  return isFilled(value) === true
}
