import { columnsOf } from '../../model/columns.ts'
import type { PolicyResult } from '../../model/run.ts'
import { quoteWord } from '../../model/shell-quote.ts'
import { splitWords } from '../../model/shell-split.ts'
import type { Requirement } from './requirements.ts'

/** The source of a policy made from the command line; its properties may be secret, so no command repeats them. */
export const COMMAND_LINE = 'command line'

/** Characters that a terminal does not show, so that they cannot be copied. */
const NOT_PRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/**
 * The command that fixes the drift of a requirement, quoted for a POSIX shell. Undefined if there cannot be one: the
 * policy came from standard input, the command line or a URL (remote policies are not fixed unasked), a name is not a
 * valid selector, or a possibly secret option is missing in the report. It must run on the scanned machine, in the
 * directory of the scan. Contains no characters that need escaping.
 */
export function fixCommandOf({ policy, control, id }: Requirement): string | undefined {
  const scan = scanCommandOf(policy)
  const selector = selectorOf(id, control !== undefined)
  if (scan === undefined || selector === undefined) return undefined
  return `${scan} --fix --only ${quoteWord(selector)}`
}

/** The command that scans with a policy again, quoted for a POSIX shell. Undefined as for `fixCommandOf`. */
export function scanCommandOf({ source, inputs = [] }: PolicyResult): string | undefined {
  const operand = operandOf(source)
  if (operand === undefined || inputs.some(isWithheld)) return undefined
  return `driftgate scan ${[operand, ...inputs].map(quoteWord).join(' ')}`
}

/**
 * Wraps a command line to a width, as far as its words allow, with a backslash at each break: half of a line broken
 * without one would be another valid command, here one that fixes more.
 */
export function foldCommand(command: string, width: number | undefined): readonly string[] {
  const split = splitWords(command)
  if (width === undefined || columnsOf(command) <= width || !split.ok) return [command]
  const lines: string[] = []
  let current = ''
  for (const word of split.words.map(quoteWord)) {
    const longer = current === '' ? word : `${current} ${word}`
    // Two columns for the trailing backslash.
    if (current === '' || columnsOf(longer) + 2 <= width) current = longer
    else {
      lines.push(`${current} \\`)
      current = `  ${word}`
    }
  }
  return [...lines, current]
}

/** An option whose value is withheld or cannot be copied. */
function isWithheld(input: string): boolean {
  return /^--[a-z-]+=$/.test(input) || NOT_PRINTABLE.test(input)
}

/** The operand of a policy on the command line; for a file in a bundle, the bundle. */
function operandOf(source: string): string | undefined {
  const [file = ''] = source.split('!/')
  if (file === '' || file === '-' || file === COMMAND_LINE || /^https?:/i.test(file) || NOT_PRINTABLE.test(file))
    return undefined
  return file.startsWith('-') ? `./${file}` : file
}

/** The id as a selector for `--only`; undefined if it contains separators or wildcards, which would select something else. */
function selectorOf(id: string, isControl: boolean): string | undefined {
  if (/[,*?]|^\s|\s$|^$|^-/.test(id) || NOT_PRINTABLE.test(id) || id.startsWith('tag:')) return undefined
  return isControl === id.includes('#') ? undefined : id
}
