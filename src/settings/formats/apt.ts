import { known, type Reading, unknown } from '../../model/observation.ts'
import { ANY_KEY, type Assignment } from '../assignment.ts'
import { parseAptStatements } from './apt-statements.ts'
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

function parseApt(text: string, file: string): Reading<readonly Assignment[]> {
  const nul = text.split('\n').findIndex((line) => line.includes('\0'))
  if (nul >= 0) return unknown('invalid', `${file}:${nul + 1}: a NUL byte ends the line for apt`)
  const read = parseAptStatements(text)
  if ('problem' in read) return unknown('invalid', `${file}:${read.line}: apt rejects ${read.problem}`)
  // apt rejects all of its configuration where it cannot read what is included.
  const included = read.statements.find(({ key, isCommand }) => isCommand && key.toLowerCase() === '#include')
  if (included !== undefined) {
    const detail = `${file}:${included.line}: includes ${included.value}, which driftgate does not read`
    return unknown('not-observable', detail)
  }
  return known(
    read.statements.map(({ key, value, line, isCommand }) => ({
      section: '',
      file,
      line,
      ...(isCommand
        ? { key: ANY_KEY, value: '', unclear: `the effect of ${key} ${value} is unknown` }
        : { key, value }),
    })),
  )
}
