import { splitWords } from '../../core/shell-split.ts'
import { createProvider, type ExecProvider, type Interpretation } from './provider.ts'

/** Splits commands into words as a shell does and runs them without one: nothing is expanded, piped or redirected. */
export const posix: ExecProvider = createProvider('posix', interpret)

function interpret(line: string): Interpretation {
  const split = splitWords(line)
  if (!split.ok) return { ok: false, problem: split.problem }
  const [program, ...args] = split.words
  return program === undefined ? { ok: false, problem: undefined } : { ok: true, argv: [program, ...args] }
}
