import { withBlanksOfC } from '../../settings/blanks.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { Edited, EditPlace, Format } from '../../settings/formats/format.ts'
import type { Assignment } from '../../settings/assignment.ts'
import { findKeyword, keywordNamed } from './keywords.ts'
import { parseSshdLine, type SshdLine } from './line.ts'

type NameOf = (written: string) => string

/**
 * `Keyword value` or `Keyword=value`. New lines are for all users, so they precede every block and every Include. `nameOf` gives
 * the spelling of the manual.
 */
export function sshFormat(name: string, nameOf: NameOf): Format {
  return {
    name,
    hasSections: false,
    parse: (text, file) => parse(text, file, nameOf),
    set: (text, place, values) => setLines(text, place, values, nameOf),
    remove: (text, { isSame }) => {
      const { lines, own } = scan(text, isSame, nameOf)
      return { kind: 'edited', text: lines.filter((_, index) => !own.includes(index)).join('\n') }
    },
  }
}

export const serverFormat: Format = sshFormat('sshd', (written) => findKeyword(keywordNamed(written))?.name ?? written)

function parse(text: string, file: string, nameOf: NameOf): Reading<readonly Assignment[]> {
  const assignments: Assignment[] = []
  for (const [index, written] of text.split('\n').entries()) {
    const line = parseSshdLine(written)
    if (line.kind === 'invalid') return unknown('invalid', `${file}:${index + 1}: ${line.problem}`)
    if (line.kind === 'statement') {
      assignments.push({ section: '', key: nameOf(line.keyword), value: line.words.join(' '), file, line: index + 1 })
    }
  }
  return known(assignments)
}

/** Changes a line that precedes every block and every Include; otherwise inserts a line at the start. */
function setLines(text: string, place: EditPlace, values: readonly string[], nameOf: NameOf): Edited {
  if (values.some((value) => withBlanksOfC(/[\n\r\0"\\#]|^\s*$/).test(value))) {
    return { kind: 'refused', reason: `${JSON.stringify(values)} cannot be written to this file` }
  }
  const { lines, own, end } = scan(text, place.isSame, nameOf)
  const written = values.map((value) => `${place.key} ${value}`)
  const [first, ...others] = own
  if (first === undefined) {
    const at = Math.min(end, afterComments(lines))
    return { kind: 'edited', text: lines.toSpliced(at, 0, ...written).join('\n') }
  }
  const gone = place.which === 'all' ? others : []
  const kept = lines.flatMap((line, index) => (index === first ? written : gone.includes(index) ? [] : [line]))
  return { kind: 'edited', text: kept.join('\n') }
}

/** The lines of a key before every block and every Include, and where those begin. */
function scan(
  text: string,
  isSame: EditPlace['isSame'],
  nameOf: NameOf,
): { readonly lines: readonly string[]; readonly own: readonly number[]; readonly end: number } {
  const lines = text === '' ? [''] : text.replace(/(?<!\n)$/, '\n').split('\n')
  const parsed = lines.map(parseSshdLine)
  const found = parsed.findIndex((line) => line.kind === 'statement' && /^(host|match|include)$/.test(line.keyword))
  const end = found === -1 ? lines.length : found
  const isOwn = (line: SshdLine): boolean => {
    return line.kind === 'statement' && isSame({ section: '', key: nameOf(line.keyword) })
  }
  const own = parsed.flatMap((line, index) => (index < end && isOwn(line) ? [index] : []))
  return { lines, own, end }
}

/** Behind the comments at the top, which are about the file. */
function afterComments(lines: readonly string[]): number {
  const at = lines.findIndex((line) => !line.startsWith('#'))
  return at === -1 ? lines.length : at
}
