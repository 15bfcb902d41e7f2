import { columnsOf } from '../../model/columns.ts'
import { quoteWord } from '../../model/shell-quote.ts'
import { splitWords } from '../../model/shell-split.ts'
import type { Requirement } from './requirements.ts'

/** What names the policy of one resource whose properties were given as words; they may be secret, so no command repeats them. */
export const COMMAND_LINE = 'command line'

/** Characters that a terminal does not show as they are, so that they cannot be copied. */
const NOT_PRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/**
 * The command that fixes what differs of a requirement, ready for a POSIX shell; undefined where none can be written: the
 * policy came from standard input, the command line or by address (what others wrote is not fixed unasked), a name cannot be a selector, or
 * the scan was given a value that the report does not know, because it may be secret. It fixes on the machine that was
 * scanned, in the directory that it was scanned from. Not escaped, and holds nothing that would have to be.
 */
export function fixCommandOf({ policy, control, id }: Requirement): string | undefined {
  const operand = operandOf(policy.source)
  const selector = selectorOf(id, control !== undefined)
  const { inputs = [] } = policy
  if (operand === undefined || selector === undefined || inputs.some(isWithheld)) return undefined
  const words = [operand, ...inputs, '--fix', '--only', selector]
  return `driftgate scan ${words.map(quoteWord).join(' ')}`
}

/**
 * A command line as lines of at most that many columns, as far as its words allow. A shell reads them as one: a user can copy
 * half of a line that was broken without a sign would run another command, here one that fixes more.
 */
export function foldCommand(command: string, width: number | undefined): readonly string[] {
  const split = splitWords(command)
  if (width === undefined || columnsOf(command) <= width || !split.ok) return [command]
  const lines: string[] = []
  let current = ''
  for (const word of split.words.map(quoteWord)) {
    const longer = current === '' ? word : `${current} ${word}`
    // Two columns for what says that the line goes on.
    if (current === '' || columnsOf(longer) + 2 <= width) current = longer
    else {
      lines.push(`${current} \\`)
      current = `  ${word}`
    }
  }
  return [...lines, current]
}

/** An option whose value is not told, or that cannot be copied. */
function isWithheld(input: string): boolean {
  return /^--[a-z-]+=$/.test(input) || NOT_PRINTABLE.test(input)
}

/** What names a policy on a command line. Of one in a bundle it is the bundle. */
function operandOf(source: string): string | undefined {
  const [file = ''] = source.split('!/')
  if (file === '' || file === '-' || file === COMMAND_LINE || /^https?:/i.test(file) || NOT_PRINTABLE.test(file))
    return undefined
  return file.startsWith('-') ? `./${file}` : file
}

/** The id as `--only` takes it: what separates selectors or stands for other characters in one names something else. */
function selectorOf(id: string, isControl: boolean): string | undefined {
  if (/[,*?]|^\s|\s$|^$|^-/.test(id) || NOT_PRINTABLE.test(id) || id.startsWith('tag:')) return undefined
  return isControl === id.includes('#') ? undefined : id
}
