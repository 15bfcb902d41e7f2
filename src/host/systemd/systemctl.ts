import type { Unknown } from '../../model/observation.ts'
import { unknown } from '../../model/observation.ts'
import type { CommandOutcome } from '../command.ts'
import { runCommand } from '../live/run-command.ts'
import { findSystemProgram, SYSTEM_PATH } from '../live/system-programs.ts'

/** What systemd's programs see: their own messages and nothing of who started this process. */
const ENVIRONMENT = { PATH: SYSTEM_PATH, LC_ALL: 'C', SYSTEMD_COLORS: '0', SYSTEMD_PAGER: '' }

/** How long a program of systemd may take, and what may end it before. */
export interface ProgramLimits {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly maxOutputBytes?: number
}

/** Runs one of systemd's programs. */
export function runProgram(argv: readonly [string, ...string[]], limits: ProgramLimits): Promise<CommandOutcome> {
  return runCommand({ argv, workingDirectory: '/', environment: ENVIRONMENT, ...limits })
}

/** Whether systemd is installed, running or not. */
export function hasSystemctl(): boolean {
  return findSystemProgram('systemctl') !== undefined
}

/** Why a program did not succeed, in one line; undefined if it did. */
export function failureOf(outcome: CommandOutcome): string | undefined {
  switch (outcome.kind) {
    case 'not-started':
      return outcome.message
    case 'killed':
      return outcome.reason
    case 'exited':
      if (outcome.exitCode === 0) return undefined
      return firstLine(outcome.stderr) ?? `exit code ${outcome.exitCode}`
  }
}

/** What it means that a query did not give what was asked for. */
export function unanswered(query: string, outcome: CommandOutcome): Unknown {
  if (outcome.kind === 'killed' && outcome.cause === 'timeout') return unknown('timeout', `${query}: ${outcome.reason}`)
  return unknown('not-observable', `${query}: ${failureOf(outcome) ?? 'it printed nothing about the unit'}`)
}

function firstLine(text: string): string | undefined {
  return text.split('\n').find((line) => line.trim() !== '')
}
