import { ANY_KEY, type Assignment } from '../assignment.ts'
import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

/** Shell assignments, as in /etc/default. Other lines may have any effect, and a computed value is unclear. */
export const shell: Format = lineFormat({
  name: 'shell',
  assignment:
    /^(?<lead>\s*(?:export\s+)?)(?<key>[A-Za-z_]\w*)(?<between>=)(?<value>"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|\$\([^()]*\)|[^\s;&|<>()`'"]*)(?<tail>\s+#.*|\s*)$/,
  comment: /^\s*#/,
  continued: (line) => (isContinued(line) ? line.slice(0, -1) : undefined),
  opaque: {
    // An unclosed quote, a here-document, a continued line, or a command that ends the script.
    pattern:
      /^\s*[^#\s][^#]*(?:<<|\\$)|^\s*(?:export\s+)?\w+=(?:[^'"#\s]|"(?:[^"\\]|\\.)*"|'[^']*')*(?:"(?:[^"\\]|\\.)*|'[^']*)$|^\s*(?:exit|return|exec)\b/,
    reason: 'what follows here may be something else than it looks like to a shell',
  },
  strange: 'this is no assignment, and what a shell makes of it is not known',
  read: (written) => unquoted(written) ?? { unclear: `what a shell makes of ${written} is not known` },
  write: quoted,
  between: '=',
})

/** A comment does not continue, and in single quotes a backslash is literal. */
function isContinued(line: string): boolean {
  const [bare = ''] = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').split('"')
  return /^[^']*$/.test(line) && !/(?:^|\s)#/.test(bare) && /(?<!\\)(?:\\\\)*\\$/.test(line)
}

/** Expands variables that earlier assignments have set. */
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

/** The value of a shell word; undefined if it would have to be computed. */
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

/** Quotes a value for a shell, with single quotes if double ones would change it; undefined if neither works. */
function quoted(value: string): string | undefined {
  if (/^[\w@%+:,./-]+$/.test(value)) return value
  if (!/[$`"\\]/.test(value)) return `"${value}"`
  return value.includes("'") ? undefined : `'${value}'`
}
