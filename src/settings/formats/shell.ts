import { ANY_KEY, type Assignment } from '../assignment.ts'
import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

/**
 * Assignments of a shell, as files in /etc/default have them. Any other line may have any effect, and a value
 * that the shell would have to compute is not clear.
 */
export const shell: Format = lineFormat({
  name: 'shell',
  assignment:
    /^(?<lead>\s*(?:export\s+)?)(?<key>[A-Za-z_]\w*)(?<between>=)(?<value>"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|\$\([^()]*\)|[^\s;&|<>()`'"]*)(?<tail>\s+#.*|\s*)$/,
  comment: /^\s*#/,
  continued: (line) => (isContinued(line) ? line.slice(0, -1) : undefined),
  opaque: {
    // A quote that is not closed, a here-document, a continued line, and what ends the reading.
    pattern:
      /^\s*[^#\s][^#]*(?:<<|\\$)|^\s*(?:export\s+)?\w+=(?:[^'"#\s]|"(?:[^"\\]|\\.)*"|'[^']*')*(?:"(?:[^"\\]|\\.)*|'[^']*)$|^\s*(?:exit|return|exec)\b/,
    reason: 'what follows here may be something else than it looks like to a shell',
  },
  strange: 'this is no assignment, and what a shell makes of it is not known',
  read: (written) => unquoted(written) ?? { unclear: `what a shell makes of ${written} is not known` },
  write: quoted,
  between: '=',
})

/** A comment is not continued, and between single quotes a backslash is one. */
function isContinued(line: string): boolean {
  const [bare = ''] = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split('"')
  return /^[^']*$/.test(line) && !/(?:^|\s)#/.test(bare) && /(?<!\\)(?:\\\\)*\\$/.test(line)
}

/** The same assignments, with the values that a shell makes of variables which those before them have set. */
export function withVariables(assignments: readonly Assignment[]): readonly Assignment[] {
  const variables = new Map<string, string>()
  return assignments.map((assignment) => {
    const { unclear, ...clear } = assignment
    if (clear.key === ANY_KEY) variables.clear()
    const value = unclear === undefined ? clear.value : unquoted(clear.value, variables)
    if (value === undefined || clear.key === ANY_KEY) variables.delete(clear.key)
    else variables.set(clear.key, value)
    return value === undefined || clear.key === ANY_KEY ? assignment : { ...clear, value }
  })
}

/** What a shell makes of a word; undefined where it would have to compute something. */
function unquoted(word: string, variables?: ReadonlyMap<string, string>): string | undefined {
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

/** In single quotes where double ones would not keep it as it is. */
function quoted(value: string): string | undefined {
  if (/^[\w@%+:,./-]+$/.test(value)) return value
  if (!/[$`"\\]/.test(value)) return `"${value}"`
  return value.includes("'") ? undefined : `'${value}'`
}
