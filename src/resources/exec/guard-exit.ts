/** The first exit code by which a shell says that a signal ended what it ran: 128 and the number of the signal. */
const SHELL_SIGNAL_BASE = 128

/** Linux knows signals up to this number. */
const LAST_SIGNAL = 64

/** The exit code of a shell that could not read what it was given; grep and others use it for troubles of their own. */
export const SHELL_SYNTAX_EXIT = 2

/**
 * Why the exit code of a guard is no answer of the guard: what it names could not be run, or, where a shell ran it, was ended
 * by a signal. Undefined where the guard itself has answered.
 * @see POSIX.1-2017, Shell Command Language, 2.8.2 Exit Status for Commands
 */
export function whyNoAnswer(exitCode: number, runBy: 'shell' | 'words'): string | undefined {
  if (exitCode === 126) return 'exited with 126, a program of it cannot be run'
  if (exitCode === 127) return 'exited with 127, a program of it was not found'
  const signal = exitCode - SHELL_SIGNAL_BASE
  if (runBy === 'words' || signal < 1 || signal > LAST_SIGNAL) return undefined
  return `exited with ${exitCode}, a program of it was ended by signal ${signal}`
}
