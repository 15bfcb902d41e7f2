import { known, type Reading, unknown } from '../../model/observation.ts'
import { ANY_KEY, type Assignment } from '../assignment.ts'
import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

const lines: Format = lineFormat({
  name: 'shell',
  assignment:
    /^(?<lead>[ \t]*(?:export[ \t]+)?)(?<key>[A-Za-z_]\w*)(?<between>=)(?<value>"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|\$\([^()]*\)|[^ \t;&|<>()`'"]*)(?<tail>[ \t]+#.*|[ \t]*)$/,
  comment: /^[ \t]*#/,
  continued: (line) => (isContinued(line) ? line.slice(0, -1) : undefined),
  opaque: {
    // An unclosed quote, a here-document, a continued line, or a command that ends the script.
    pattern:
      /^[ \t]*[^# \t][^#]*(?:<<|\\$)|^[ \t]*(?:export[ \t]+)?\w+=(?:[^'"# \t]|"(?:[^"\\]|\\.)*"|'[^']*')*(?:"(?:[^"\\]|\\.)*|'[^']*)$|^[ \t]*(?:exit|return|exec)\b/,
    reason: 'a shell may parse the following text differently',
  },
  strange: 'not an assignment, so its effect in a shell is unknown',
  read: (written) => unquoteWord(written) ?? { unclear: `the expansion of ${written} in a shell is unknown` },
  write: quoteValue,
  between: '=',
})

/** Shell assignments, as in /etc/default. Other lines may have any effect, and a computed value is unclear. */
export const shell: Format = {
  ...lines,
  parse(text, file) {
    // The backslash is a part of the last word.
    return /(?<!\\)(?:\\\\)*\\$/.test(text)
      ? unknown('invalid', `${file} ends in a backslash`)
      : lines.parse(text, file)
  },
}

/** A comment does not continue, and in single quotes a backslash is literal. */
function isContinued(line: string): boolean {
  const [bare = ''] = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split('"')
  return /^[^']*$/.test(line) && !/(?:^|[ \t])#/.test(bare) && /(?<!\\)(?:\\\\)*\\$/.test(line)
}

/** Expands variables that earlier assignments have set. */
export function withVariables(assignments: readonly Assignment[]): readonly Assignment[] {
  const variables = new Map<string, string>()
  return assignments.map((assignment) => {
    const { unclear, ...clear } = assignment
    if (clear.key === ANY_KEY) variables.clear()
    const value = unclear === undefined ? clear.value : unquoteWord(clear.value, variables)
    if (value === undefined || clear.key === ANY_KEY) variables.delete(clear.key)
    else variables.set(clear.key, value)
    return value === undefined || clear.key === ANY_KEY ? assignment : { ...clear, value }
  })
}

/** The value of a shell word; undefined if it would have to be computed. */
function unquoteWord(word: string, variables?: ReadonlyMap<string, string>): string | undefined {
  const [, single] = /^'([^']*)'$/.exec(word) ?? []
  if (single !== undefined) return single
  const [, double] = /^"((?:[^"\\]|\\.)*)"$/s.exec(word) ?? []
  if (double === undefined && !/^[\w@%+=:,./${}#-]*$/.test(word)) return undefined
  const text = double ?? word
  let isClear = true
  const value = text.replace(
    /\\([$`"\\])|\$(?:\{(\w+)\}|(\w+))|[$`]/g,
    (token, escaped: string | undefined, braced: string | undefined, bare: string | undefined) => {
      if (escaped !== undefined) return escaped
      const value = variables?.get(braced ?? bare ?? '')
      if (value === undefined) isClear = false
      return value ?? token
    },
  )
  return isClear ? value : undefined
}

/** Quotes a value for a shell, with single quotes if double ones would change it; undefined if neither works. */
function quoteValue(value: string): string | undefined {
  if (/^[\w@%+:,./-]+$/.test(value)) return value
  if (!/[$`"\\]/.test(value)) return `"${value}"`
  return value.includes("'") ? undefined : `'${value}'`
}

export interface ShellFile {
  readonly file: string
  readonly text: string
}

/**
 * The value of a variable after a shell has read the files in this order; unknown if a line at or behind its assignment may do
 * more than assign.
 */
export function variableAfter(files: readonly ShellFile[], name: string): Reading<string | undefined> {
  const found: Assignment[] = []
  for (const { file, text } of files) {
    const read = shell.parse(text, file)
    if (read.kind === 'unknown') return read
    found.push(...read.value)
  }
  const last = withVariables(found).findLast(({ key }) => key === name || key === ANY_KEY)
  return last?.unclear === undefined
    ? known(last?.value)
    : unknown('invalid', `${last.file}:${last.line}: ${last.unclear}`)
}
