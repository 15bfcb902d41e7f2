import type { Command, Word } from './ast.ts'
import { disturbed, type Flow, type ShellState, type Status, type Value, YES, NO } from './state.ts'
import type { Surroundings } from './expand.ts'

/** One file that is walked through. */
export interface Walk extends Surroundings {
  readonly file: string
  /** How many files and functions lead here. */
  readonly depth: number
  /** How many more commands are looked at before the reading ends. */
  readonly budget: { left: number }
  /** What was read of a file. */
  readonly parse: (text: string) => Command
}

export type Simple = Extract<Command, { kind: 'simple' }>

export type WalkCommand = (command: Command, state: ShellState, walk: Walk) => readonly Flow[]

export interface Call {
  readonly command: Simple
  readonly state: ShellState
  readonly walk: Walk
  /** As they are written, without the name. */
  readonly written: readonly Word[]
  /** What they are expanded to; undefined where that is not known. */
  readonly args: readonly Value[] | undefined
  readonly walkCommand: WalkCommand
}

export const UNKNOWN: Status = { kind: 'unclear', why: 'how a command ends is not known' }

export function at({ line }: Simple, { file }: Walk): string {
  return `${file}:${line}`
}

export function textIn({ args }: Call): string {
  return (args ?? []).map((each) => (each.kind === 'text' ? each.text : '')).join(' ')
}

/** All that is run here may change everything, and end the file. */
export function anything({ command, state, walk }: Call, reason: string): readonly Flow[] {
  const after = disturbed(state, `${at(command, walk)}: ${reason}`)
  const left: Flow = {
    state: { ...after, doubt: after.doubt ?? `${at(command, walk)}: ${reason}` },
    status: YES,
    jump: 'return',
  }
  return [{ state: after, status: UNKNOWN }, left]
}

/** Shells differ in how much of the files they give up when something is assigned that is read-only. */
export function refused(state: ShellState, why: string): readonly Flow[] {
  const doubt = { ...state, doubt: state.doubt ?? why }
  return [
    { state: doubt, status: NO },
    { state: doubt, status: NO, jump: 'return' },
    { state: doubt, status: NO, jump: 'abort' },
  ]
}

/** The deepest that files and functions lead to one another. */
export const DEEPEST = 16
