import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

/**
 * Assignments of a shell, as files in /etc/default have them. A line that is anything else may do whatever it likes, and a value
 * that the shell would have to compute is not clear.
 */
export const shell: Format = lineFormat({
  name: 'shell',
  assignment:
    /^(?<lead>\s*(?:export\s+)?)(?<key>[A-Za-z_]\w*)(?<between>=)(?<value>"(?:[^"\\]|\\.)*"|'[^']*'|[^\s#;'"]*|.*?)(?<tail>\s*(?:#.*)?)$/,
  comment: /^\s*#/,
  strange: 'this is no assignment, and what a shell makes of it is not known',
  read: (written) => unquoted(written) ?? { unclear: `what a shell makes of ${written} is not known` },
  write: quoted,
  between: '=',
})

/** What a shell makes of a word; undefined where it would have to compute something. `variables` are those that are known. */
export function unquoted(word: string, variables?: ReadonlyMap<string, string>): string | undefined {
  const [, single] = /^'([^']*)'$/.exec(word) ?? []
  if (single !== undefined) return single
  const [, double] = /^"((?:[^"\\]|\\.)*)"$/s.exec(word) ?? []
  if (double === undefined && !/^[\w@%+=:,./${}-]*$/.test(word)) return undefined
  const text = double ?? word
  let isClear = !text.includes('`')
  const value = text.replace(
    /\\([$`"\\])|\$(?:\{(\w+)\}|(\w+))|\$/g,
    (token, escaped: string | undefined, braced: string | undefined, bare: string | undefined) => {
      if (escaped !== undefined) return escaped
      const name = braced ?? bare
      if (variables === undefined || name === undefined) isClear = false
      return variables?.get(name ?? '') ?? token.slice(token.length)
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
