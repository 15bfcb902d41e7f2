import type { Command, Word } from './ast.ts'
import { loseVariables, type Flow, type ShellState, type Status, type Value, YES, NO } from './state.ts'
import type { Surroundings } from './expand.ts'

export interface Walk extends Surroundings {
  readonly file: string
  readonly isInFunction?: true
  /** Nesting depth of files and functions. */
  readonly depth: number
  /** Number of commands left before the evaluation stops. */
  readonly budget: { left: number }
  readonly parse: (text: string) => Command
}

export type Simple = Extract<Command, { kind: 'simple' }>

export type WalkCommand = (command: Command, state: ShellState, walk: Walk) => readonly Flow[]

export interface Call {
  readonly command: Simple
  readonly state: ShellState
  readonly walk: Walk
  /** Arguments as written, without the command name. */
  readonly written: readonly Word[]
  /** Expanded arguments; undefined if unknown. */
  readonly args: readonly Value[] | undefined
  readonly walkCommand: WalkCommand
}

export const UNKNOWN: Status = { kind: 'unclear', why: 'the exit status of a command is unknown' }

export function formatPlace({ line }: Simple, { file }: Walk): string {
  return `${file}:${line}`
}

export function textIn({ args }: Call): string {
  return (args ?? []).map((each) => (each.kind === 'text' ? each.text : '')).join(' ')
}

/** The commands may change any state and may end the file. */
export function unknownEffects({ command, state, walk }: Call, reason: string): readonly Flow[] {
  const after = loseVariables(state, `${formatPlace(command, walk)}: ${reason}`)
  const left: Flow = {
    state: { ...after, doubt: after.doubt ?? `${formatPlace(command, walk)}: ${reason}` },
    status: YES,
    jump: 'return',
  }
  return [{ state: after, status: UNKNOWN }, left]
}

/** After an assignment to a read-only variable, shells differ in how much of the files they skip. */
export function refusedFlows(state: ShellState, why: string): readonly Flow[] {
  const doubt = { ...state, doubt: state.doubt ?? why }
  return [
    { state: doubt, status: NO },
    { state: doubt, status: NO, jump: 'return' },
    { state: doubt, status: NO, jump: 'abort' },
  ]
}

/** Maximum nesting depth of files and functions. */
export const DEEPEST = 16
