import { withBlanksOfC } from '../../settings/blanks.ts'
import { type Named, withValue } from './variables.ts'
import type { Command } from './ast.ts'

export interface Place {
  readonly file: string
  /** From 1. */
  readonly line: number
}

/** Known value of a variable. */
export type Value =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unset' }
  /** Depends on the user who logs in, so every branch is taken by some user; never empty. `uid` is of a user other than root. */
  | { readonly kind: 'who'; readonly isUid: boolean }
  | { readonly kind: 'unclear'; readonly why: string; readonly isEmpty?: false; readonly isQuiet?: true }

export interface Variable {
  readonly value: Value
  readonly isReadonly: boolean
  /** Whether unknown commands may have made it read-only. */
  readonly isTouched?: boolean
  readonly isExported: boolean
  readonly at?: Place
}

/** Umask, or why it is unknown. */
export type Mask = ({ readonly bits: number } | { readonly why: string }) & { readonly at?: Place }

/** State of a shell between two commands, on one execution path. */
export interface ShellState {
  readonly mask: Mask
  readonly variables: Named<Variable>
  /** Defined functions; null if the effect of the function is unknown. */
  readonly functions: ReadonlyMap<string, Command | null>
  /** Answers on this path to questions about the user. */
  readonly answered: ReadonlyMap<string, boolean>
  /** Arguments of the function or file, as far as known. */
  readonly positional: readonly Value[]
  /** Commands that may change any state after the files. */
  readonly later?: string
  /** Why it is unknown whether any shell takes this path. */
  readonly doubt?: string
}

/** Exit status. `either` depends on the user, `unclear` on an unknown value; both mean that both branches are followed. */
export type Status =
  | { readonly kind: 'yes' | 'no' }
  | { readonly kind: 'either'; readonly question: string }
  | { readonly kind: 'unclear'; readonly why: string }

/** Execution path after a command. */
export interface Flow {
  readonly state: ShellState
  readonly status: Status
  /** A jump beyond the command; `abort` is an error that ends the reading of all files. */
  readonly jump?: 'return' | 'exit' | 'abort' | 'break' | 'continue'
}

export const YES: Status = { kind: 'yes' }
export const NO: Status = { kind: 'no' }

/** Variables of settings; less is recorded of other variables. */
export const TRACKED: readonly string[] = ['TMOUT', 'PATH']

export function textOf(text: string): Value {
  return { kind: 'text', text }
}

const UNSET: Variable = { value: { kind: 'unset' }, isReadonly: false, isExported: false }

/** A variable of the state; unset unless the shell may inherit it. */
export function variableOf({ variables }: ShellState, name: string): Variable {
  return variables.get(name) ?? (INHERITED.test(name) ? INHERITED_VALUE : UNSET)
}

/** Variables that login programs pass on, with unknown values. */
const INHERITED =
  /^(?:TERM|COLORTERM|LANG|LANGUAGE|LC_\w+|SSH_\w+|XDG_\w+|DISPLAY|WAYLAND_DISPLAY|SUDO_\w+|DBUS_\w+|MAIL|PWD|OLDPWD|HOSTNAME|HOST|HOSTTYPE|OSTYPE|MACHTYPE|COLUMNS|LINES|TZ|KRB5CCNAME|SHLVL|BASH_(?!VERSION$)\w+|RANDOM|SECONDS|PPID|IFS|OPTIND|INVOCATION_ID|TMUX|STY|WINDOWID|container|_|\?|\$|!|#|@|\*|\d+)$/

const INHERITED_VALUE: Variable = {
  value: { kind: 'unclear', why: 'the inherited value is unknown' },
  isReadonly: false,
  isExported: true,
}

/** State after an assignment; a read-only variable keeps its value. */
export function assign(state: ShellState, name: string, change: Partial<Variable>): ShellState {
  const before = variableOf(state, name)
  return { ...state, variables: withValue(state.variables, name, { ...before, ...change }) }
}

/** Variable with the commands that bash runs before each prompt. */
export const PROMPT_COMMAND = 'PROMPT_COMMAND'

/** Whether a prompt command or trap leaves all settings unchanged. */
export function isQuiet(value: Value): boolean {
  if (value.kind === 'unset') return true
  if (value.kind === 'unclear') return value.isQuiet === true
  return value.kind === 'text' && !withBlanksOfC(/umask|TMOUT|PATH=|exec|eval|source|(?:^|[\s;])\.\s/).test(value.text)
}

/** State after unknown commands. Read-only variables keep their values. */
export function loseVariables(state: ShellState, why: string): ShellState {
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

/** State in which even read-only variables are unknown. */
export function loseState(state: ShellState, why: string): ShellState {
  const value: Value = { kind: 'unclear', why }
  const unknown: Variable = { value, isReadonly: false, isTouched: true, isExported: false }
  return { ...loseVariables(state, why), variables: new Map(TRACKED.map((name) => [name, unknown])), doubt: why }
}

/** Key of a path, equal if all settings are equal. */
function keyOf({ state, jump }: Flow): string {
  return `${keyOfState(state)} ${jump ?? ''}`
}

const KEYS = new WeakMap<ShellState, string>()

/** Cached: states are compared more often than they are created. */
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

/** Alternative paths, of which the taken one is unknown; a result common to all is not in doubt. */
export function mergeWithDoubt(alternatives: readonly (readonly Flow[])[], why: string): readonly Flow[] {
  const keys = alternatives.map((flows) => new Set(flows.map(keyOf)))
  return mergeFlows(
    alternatives
      .flat()
      .map((flow) =>
        flow.state.doubt !== undefined || keys.every((each) => each.has(keyOf(flow)))
          ? flow
          : { ...flow, state: { ...flow.state, doubt: why } },
      ),
  )
}

/** Merges paths with equal settings; values that differ become unknown. */
export function mergeFlows(flows: readonly Flow[]): readonly Flow[] {
  if (flows.length < 2) return flows
  const found = new Map<string, Flow>()
  for (const flow of flows) {
    const key = `${keyOf(flow)} ${keyOfStatus(flow.status)} ${flow.state.doubt === undefined}`
    const same = found.get(key)
    found.set(key, same === undefined ? flow : { ...same, state: joinStates(same.state, flow.state) })
  }
  return [...found.values()]
}

function keyOfStatus(status: Status): string {
  return status.kind === 'either' ? status.question : status.kind
}

function joinStates(one: ShellState, other: ShellState): ShellState {
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
    why: 'depends on the execution path',
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

/** Whether a value is set and not empty; undefined if unknown. */
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
