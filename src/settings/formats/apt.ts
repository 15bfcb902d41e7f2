import { known, type Reading, unknown } from '../../model/observation.ts'
import { ANY_KEY, type Assignment } from '../assignment.ts'
import { withBlanksOfC } from '../blanks.ts'
import type { Format } from './format.ts'
import { lineFormat } from './lines.ts'

/** The syntax a fix writes and edits: one assignment per line. */
const lines = lineFormat({
  name: 'apt',
  assignment: /^(?<lead>\s*)(?<key>[\w:.+-]+)(?<between>\s+)(?<value>"[^"]*"|[^\s";{}]+)(?<tail>\s*;\s*)$/,
  comment: /^\s*(?:\/\/|#)/,
  write: (value) => (value.includes('"') ? undefined : `"${value}"`),
  between: ' ',
})

/** The configuration of apt: keys with values or nested blocks, each terminated by a semicolon. @see apt.conf(5) */
export const apt: Format = {
  ...lines,
  parse: parseApt,
  set(text, place, values) {
    // Adds the semicolons that apt requires.
    const edited = lines.set(text, place, values)
    if (edited.kind === 'refused') return edited
    return { kind: 'edited', text: edited.text.replace(/^([\w:.+-]+ "[^"\n]*")$/gm, '$1;') }
  },
}

const TOKEN = withBlanksOfC(
  /\s+|\/\/[^\n]*|\/\*[^]*?\*\/|#(?:clear|include)\b[^;]*;|#[^\n]*|"[^"]*"|[{};]|[^\s"{};]+/gy,
)

function parseApt(text: string, file: string): Reading<readonly Assignment[]> {
  const assignments: Assignment[] = []
  const scopes: string[] = []
  let words: string[] = []
  let line = 1
  let start = 1
  let end = 0
  const keyOf = (word: string): string => [...scopes, word].filter((part) => part !== '').join('::')
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^#(?:clear|include)/.test(token)) {
      assignments.push({
        section: '',
        key: ANY_KEY,
        value: '',
        file,
        line,
        unclear: `the effect of ${token} is unknown`,
      })
    } else if (token === '{') {
      if (words.length > 1) assignments.push(assignmentOf(words, { keyOf, file, line: start }))
      scopes.push(words[0] ?? '')
      words = []
    } else if (token === '}') {
      if (words.length > 0 || scopes.pop() === undefined) break
    } else if (token === ';') {
      if (words.length > 0) assignments.push(assignmentOf(words, { keyOf, file, line: start }))
      words = []
    } else if (!/^(?:[ \t\n\v\f\r]|\/\/|\/\*|#)/.test(token)) {
      if (words.length === 0) start = line
      words.push(token)
    }
    line += token.split('\n').length - 1
    end += token.length
  }
  if (end === text.length && words.length === 0 && scopes.length === 0) return known(assignments)
  return unknown('invalid', `${file}:${line}: invalid apt configuration`)
}

interface Place {
  readonly keyOf: (word: string) => string
  readonly file: string
  readonly line: number
}

/** A word without a value is an item of the list that the block represents. */
function assignmentOf([first = '', ...rest]: readonly string[], { keyOf, file, line }: Place): Assignment {
  const isItem = rest.length === 0
  const value = isItem ? first : rest.join(' ')
  return {
    section: '',
    key: isItem ? `${keyOf('')}::` : keyOf(first),
    value: value.replace(/^"(.*)"$/s, '$1'),
    file,
    line,
  }
}
