import { defined } from '../../model/defined.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { isBlank, trimBlanksOfC, withBlanksOfC } from '../blanks.ts'
import { splitMark } from '../../model/line-form.ts'
import { ANY_KEY, type Assignment, type KeyName } from '../assignment.ts'
import type { Edited, EditPlace, Format } from './format.ts'

export interface LineSyntax {
  readonly name: string
  /** An assignment: the groups `lead`, `key`, `between`, `value` and `tail` make up the whole line. */
  readonly assignment: RegExp
  /** A comment line. Empty lines need not match. */
  readonly comment: RegExp
  /** A section header with the group `section`. Without it, the format has no sections. */
  readonly section?: RegExp
  /** The implied section of a format without section headers. */
  readonly onlySection?: string
  /** For a line that continues in the next one, its part of the joined line; otherwise undefined. */
  readonly continued?: (line: string) => string | undefined
  /** Whether a byte order mark is ignored. */
  readonly ignoresMark?: boolean
  /** Whether indentation of a continuation line is dropped. */
  readonly dropsIndent?: boolean
  /** Decodes a key with escapes. */
  readonly readKey?: (written: string) => string
  /** Whether a line that starts with a space continues the previous one. */
  readonly foldsSpaced?: boolean
  /** Syntax that prevents line-based parsing, with the reason. */
  readonly opaque?: { readonly pattern: RegExp; readonly reason: string }
  /** How many bytes of a line the program reads at once: it takes the rest of a longer one for another line. */
  readonly longest?: number
  /** Why the meaning of other lines is unknown; if undefined, they are ignored. */
  readonly strange?: string
  /** Whether comments between the parts of a continued line are skipped. */
  readonly commentsWithin?: boolean
  /** The value as the program reads it. */
  readonly read?: (written: string) => string | { readonly unclear: string }
  /** The source text of a value; undefined if it cannot be written. */
  readonly write?: (value: string) => string | undefined
  /** Whether a key without a value is written without a separator. */
  readonly bare?: boolean
  /** The separator of key and value in a new line. */
  readonly between: string
}

interface LogicalLine {
  /** Index of the first line. */
  readonly start: number
  readonly count: number
  readonly text: string
}

interface Found extends LogicalLine, KeyName {
  readonly groups: Readonly<Record<'lead' | 'key' | 'between' | 'value' | 'tail', string>>
}

/** Makes a line-based format. */
export function lineFormat(written: LineSyntax): Format {
  const syntax = {
    ...written,
    assignment: ofLine(written.assignment),
    comment: ofLine(written.comment),
    ...defined({
      section: written.section && ofLine(written.section),
      opaque: written.opaque && { ...written.opaque, pattern: withBlanksOfC(written.opaque.pattern) },
    }),
  }
  return {
    name: syntax.name,
    hasSections: syntax.section !== undefined,
    parse: (text, file) => parse(syntax, text, file),
    set: (text, place, values) => setLines(syntax, { text, place, values }),
    remove: (text, place) => removeLines(syntax, text, place),
  }
}

/** A pattern of a line, of which any character but a newline is a part: a carriage return or U+2028 ends none in C. */
function ofLine(pattern: RegExp): RegExp {
  const { source, flags } = withBlanksOfC(pattern)
  return new RegExp(source, flags.includes('s') ? flags : `${flags}s`)
}

/** The number of a line, and why a program that reads lines of C takes others than these; undefined without such a line. */
export function mangledLine(text: string, longest = Number.POSITIVE_INFINITY): string | undefined {
  const hasNul = text.includes('\0')
  if (!hasNul && text.length * 4 <= longest) return undefined
  const lines = text.split('\n')
  const nul = lines.findIndex((line) => line.includes('\0'))
  if (nul >= 0) return `${nul + 1}: a NUL byte ends the line for some programs`
  const long = lines.findIndex((line) => line.length * 4 > longest && Buffer.byteLength(line) > longest)
  return long < 0 ? undefined : `${long + 1}: the program splits a line of more than ${longest} bytes`
}

function parse(syntax: LineSyntax, text: string, file: string): Reading<readonly Assignment[]> {
  const mangled = mangledLine(text, syntax.longest)
  if (mangled !== undefined) return unknown('invalid', `${file}:${mangled}`)
  const { opaque } = syntax
  const broken = opaque && logicalLines(syntax, text.split('\n')).find((each) => opaque.pattern.test(each.text))
  if (broken !== undefined) return unknown('invalid', `${file}:${broken.start + 1}: ${opaque?.reason}`)
  return known(scan(syntax, text).assignments.map((found) => assignmentOf(syntax, found, file)))
}

function assignmentOf({ read, strange }: LineSyntax, { section, key, start, groups }: Found, file: string): Assignment {
  if (key === ANY_KEY && strange !== undefined)
    return { section, key, value: '', file, line: start + 1, unclear: strange }
  const value = read === undefined ? groups.value : read(groups.value)
  const at = { section, key, value: groups.value, file, line: start + 1 }
  return typeof value === 'string' ? { ...at, value } : { ...at, unclear: value.unclear }
}

interface Scanned {
  readonly lines: readonly string[]
  readonly assignments: readonly Found[]
  /** Index of the last line with content of each section. */
  readonly ends: ReadonlyMap<string, number>
}

function scan(syntax: LineSyntax, text: string): Scanned {
  const lines = (syntax.ignoresMark === true ? splitMark(text)[1] : text).split('\n')
  const assignments: Found[] = []
  const ends = new Map<string, number>()
  let section = syntax.onlySection ?? ''
  for (const line of logicalLines(syntax, lines)) {
    if (isBlank(line.text)) continue
    const head = syntax.comment.test(line.text) ? undefined : syntax.section?.exec(line.text)?.groups?.['section']
    if (head !== undefined) section = head
    ends.set(section, line.start + line.count - 1)
    if (head !== undefined || syntax.comment.test(line.text)) continue
    const groups = syntax.assignment.exec(line.text)?.groups
    if (groups === undefined) {
      if (syntax.strange !== undefined)
        assignments.push({ ...line, section, key: ANY_KEY, groups: { ...BARE, key: '', value: line.text } })
      continue
    }
    const { lead = '', key = '', between = '', value = '', tail = '' } = groups
    assignments.push({
      ...line,
      section,
      key: syntax.readKey?.(key) ?? key,
      groups: { lead, key, between, value, tail },
    })
  }
  return { lines, assignments, ends }
}

function logicalLines(
  { continued, comment, commentsWithin, dropsIndent, foldsSpaced }: LineSyntax,
  lines: readonly string[],
): LogicalLine[] {
  const logical: LogicalLine[] = []
  for (let start = 0; start < lines.length;) {
    let text = ''
    let next = start
    for (;;) {
      const own = lines[next] ?? ''
      const line = dropsIndent === true && next > start ? own.replace(/^[ \t\f]+/, '') : own
      next += 1
      if (text !== '' && commentsWithin === true && comment.test(line)) continue
      const part = comment.test(line) ? undefined : continued?.(line)
      text += part ?? line
      if (part === undefined || next >= lines.length) break
    }
    const saysNothing = (line = ''): boolean => isBlank(line) || comment.test(line)
    while (foldsSpaced === true && !saysNothing(text)) {
      let more = next
      while (more < lines.length && saysNothing(lines[more])) more += 1
      if (!/^[ \t\v\f\r]/.test(lines[more] ?? '')) break
      text += lines[more] ?? ''
      next = more + 1
    }
    logical.push({ start, count: next - start, text })
    start = next
  }
  return logical
}

interface Change {
  readonly text: string
  readonly place: EditPlace
  readonly values: readonly string[]
}

function setLines(syntax: LineSyntax, { text, place, values }: Change): Edited {
  const written = values.map((value) =>
    /[\n\r\0]/.test(value) ? undefined : (syntax.write?.(value) ?? plainValue(syntax, value)),
  )
  const impossible = written.indexOf(undefined)
  if (impossible >= 0) {
    const value = JSON.stringify(values[impossible])
    return { kind: 'refused', reason: `${value} cannot be written in the format ${syntax.name}` }
  }
  const { lines, assignments, ends } = scan(syntax, text)
  const same = assignments.filter(place.isSame)
  const [found] = place.which === 'last' ? same.slice(-1) : same
  const fresh = written.map((value = '') => lineOf(syntax, found?.groups ?? { ...BARE, key: place.key }, value))
  if (found !== undefined) {
    const replaced = place.which === 'all' ? same : [found]
    return toEdited(dropLines(syntax, lines, replaced, { at: found.start, fresh }))
  }
  const end = ends.get(place.section)
  if (end !== undefined) return toEdited(lines.toSpliced(end + 1, 0, ...fresh))
  // Assignments without a section go before the first section.
  if (place.section === '' && ends.size > 0) return toEdited([...fresh, '', ...lines])
  const isEmpty = trimBlanksOfC(text) === ''
  const kept = isEmpty ? [] : text.replace(/\n$/, '').split('\n')
  const head =
    place.section === '' || syntax.section === undefined ? [] : [...(isEmpty ? [] : ['']), `[${place.section}]`]
  return toEdited([...kept, ...head, ...fresh, ''])
}

function plainValue({ write }: LineSyntax, value: string): string | undefined {
  return write === undefined ? value : undefined
}

const BARE = { lead: '', between: '', tail: '' }

function lineOf(
  syntax: LineSyntax,
  { lead, key, between, tail }: Omit<Found['groups'], 'value'>,
  value: string,
): string {
  return `${lead}${key}${between === '' && (value !== '' || syntax.bare !== true) ? syntax.between : between}${value}${tail}`
}

function removeLines(syntax: LineSyntax, text: string, { isSame }: EditPlace): Edited {
  const { lines, assignments } = scan(syntax, text)
  return toEdited(dropLines(syntax, lines, assignments.filter(isSame)))
}

/** The lines without `gone`, and with fresh ones at an index. Comments and empty lines within a continued line stay. */
function dropLines(
  { comment }: LineSyntax,
  lines: readonly string[],
  gone: readonly LogicalLine[],
  { at, fresh }: { readonly at?: number; readonly fresh: readonly string[] } = { fresh: [] },
): readonly string[] {
  const indexes = new Set(gone.flatMap(({ start, count }) => Array.from({ length: count }, (_, more) => start + more)))
  return lines.flatMap((line, index) => {
    const kept = indexes.has(index) && trimBlanksOfC(line) !== '' && !comment.test(line) ? [] : [line]
    return index === at ? [...fresh, ...kept] : kept
  })
}

/** Terminates the last line. */
function toEdited(lines: readonly string[]): Edited {
  const text = lines.join('\n')
  return { kind: 'edited', text: text === '' || text.endsWith('\n') ? text : `${text}\n` }
}
