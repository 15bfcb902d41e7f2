import { type Unknown, unknown } from '../../model/observation.ts'
import type { CommandOutcome } from '../command.ts'
import { runCommand } from '../live/run-command.ts'
import { findSystemProgram, SYSTEM_PATH } from '../live/system-programs.ts'

/** Environment of systemd's programs: untranslated messages, and nothing of this process. */
const ENVIRONMENT = { PATH: SYSTEM_PATH, LC_ALL: 'C', SYSTEMD_COLORS: '0', SYSTEMD_PAGER: '' }

export interface ProgramLimits {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly maxOutputBytes?: number
}

export function runProgram(argv: readonly [string, ...string[]], limits: ProgramLimits): Promise<CommandOutcome> {
  return runCommand({ argv, workingDirectory: '/', environment: ENVIRONMENT, ...limits })
}

/** Whether systemd is installed, even if it is not running. */
export function hasSystemctl(): boolean {
  return findSystemProgram('systemctl') !== undefined
}

/** The failure of a program in one line; undefined if it succeeded. */
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

/** The `Unknown` of a failed query. */
export function unansweredQuery(query: string, outcome: CommandOutcome): Unknown {
  if (outcome.kind === 'killed' && outcome.cause === 'timeout') return unknown('timeout', `${query}: ${outcome.reason}`)
  return unknown('not-observable', `${query}: ${failureOf(outcome) ?? 'no output for the unit'}`)
}

function firstLine(text: string): string | undefined {
  return text.split('\n').find((line) => line.trim() !== '')
}
