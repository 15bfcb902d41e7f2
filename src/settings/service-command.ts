import { trimBlanksOfC, withBlanksOfC } from './blanks.ts'
import { known, type Reading, unknown } from '../model/observation.ts'
import { splitWords } from '../model/shell-split.ts'
import type { Assignment } from './assignment.ts'
import { expandGlob } from './glob.ts'
import { otherServices, programOf, readUnit, type UnitLine, type UnitSource } from './service-unit.ts'
import type { ConfigFiles } from './surface.ts'

/** An assignment of an environment file, with its line. */
interface EnvironmentLine {
  readonly name: string
  readonly value: string
  readonly line: number
}

const QUOTED = /'[^']*'?|"(?:[^"\\]|\\[^])*"?/

/** A comment, an assignment or another line; quoted and escaped line ends are within the value. */
const STATEMENT = withBlanksOfC(
  new RegExp(
    String.raw`[#;].*|(?<name>[^\s=#;][^=\r\n]*)=[ \t]*(?<quoted>(?:(?:${QUOTED.source})[ \t]*)*)(?<plain>(?:\\[^]|[^\\\r\n])*)|\S.*`,
    'g',
  ),
)

/** A word of a command line or a variable, with its source line. */
export interface CommandWord extends Pick<Assignment, 'file' | 'line'> {
  readonly text: string
}

/**
 * The arguments of a service's program, including variables from environment files. The names are those of its unit on
 * different systems, and the first that has a command counts; an empty list without a command. The last `ExecStart` is used.
 * The arguments are unknown if it runs none of the `programs`: another one, such as a script, starts them with its own.
 */
export function readServiceCommand(
  files: UnitSource,
  names: readonly string[],
  programs: readonly string[],
): Reading<readonly CommandWord[]> {
  for (const name of names) {
    const unit = readUnit(files, name, { section: 'Service', others: names })
    if (unit.kind === 'unknown') return unit
    const start = unit.value?.findLast(({ key }) => key === 'ExecStart')
    if (unit.value === undefined || start === undefined) continue
    const variables = readVariables(files, unit.value)
    if (variables.kind === 'unknown') return variables
    const words = expand(start, variables.value)
    if (words.kind === 'unknown') return words
    const at = words.value.findIndex(({ text }) => programs.includes(nameOf(text)))
    if (at < 0)
      return unknown(
        'not-observable',
        `${start.file}:${start.line}: the options of ${programs[0]} are not on the command line`,
      )
    return known(words.value.slice(at + 1))
  }
  return known([])
}

/** A variable in the environment of a service; undefined if it is not set. */
export function readServiceVariable(files: ConfigFiles, unit: string, name: string): Reading<string | undefined> {
  const lines = readUnit(files, unit, { section: 'Service' })
  if (lines.kind === 'unknown') return lines
  const variables = readVariables(files, lines.value ?? [])
  return variables.kind === 'unknown' ? variables : known(variables.value.get(name)?.text)
}

/** As `readServiceCommand`, but unknown if another service that starts with the system runs the program with other arguments. */
export function readOnlyCommand(
  files: ConfigFiles,
  names: readonly string[],
  programs: readonly string[],
): Reading<readonly CommandWord[]> {
  const own = readServiceCommand(files, names, programs)
  if (own.kind === 'unknown') return own
  const textOf = (words: readonly CommandWord[]): string => JSON.stringify(words.map(({ text }) => text))
  const other = otherServices(files, names, isStartOf(programs)).find((name) => {
    const words = readServiceCommand(files, [name], programs)
    return words.kind === 'unknown' || textOf(words.value) !== textOf(own.value)
  })
  if (other === undefined) return own
  return unknown('not-observable', `${other} starts another ${programs[0]}, whose options driftgate does not read`)
}

export function isStartOf(programs: readonly string[]): (line: UnitLine) => boolean {
  return ({ key, value }) => key === 'ExecStart' && programs.includes(programOf(value))
}

/** The name of the program at a path; text with blanks, such as a script, stays whole. */
function nameOf(text: string): string {
  return text.replace(withBlanksOfC(/^\S*\//), '')
}

export interface ShortOption extends Pick<CommandWord, 'file' | 'line'> {
  /** Empty for an operand, which is its own value. */
  readonly letter: string
  /** Undefined for options without one. */
  readonly value?: string
}

/** Parses short options as getopt(3) does, wherever they are; `withValue` has the letters that take a value. */
export function shortOptions(words: readonly CommandWord[], withValue: string): Reading<readonly ShortOption[]> {
  const options: ShortOption[] = []
  const rest = [...words]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const { text, file, line } = word
    if (!text.startsWith('-')) {
      options.push({ letter: '', value: text, file, line })
      continue
    }
    for (let at = 1; at < text.length; at++) {
      const letter = text.charAt(at)
      if (!withValue.includes(letter)) {
        options.push({ letter, file, line })
        continue
      }
      const value = at + 1 < text.length ? text.slice(at + 1) : rest.shift()?.text
      if (value === undefined) return unknown('invalid', `${file}:${line}: -${letter} has no value`)
      options.push({ letter, value, file, line })
      break
    }
  }
  return known(options)
}

/** Later variables override earlier ones, and those of files override those of the unit. */
function readVariables(files: UnitSource, unit: readonly UnitLine[]): Reading<ReadonlyMap<string, CommandWord>> {
  const variables = new Map<string, CommandWord>()
  for (const line of unit.filter(({ key }) => key === 'Environment')) {
    const words = splitWords(line.value)
    if (!words.ok) return unknown('invalid', `${line.file}:${line.line}: ${words.problem}`)
    for (const word of words.words) assign(variables, word, line)
  }
  for (const { value } of unit.filter(({ key }) => key === 'EnvironmentFile')) {
    const paths = expandGlob(files, value.replace(/^-/, ''))
    if (paths.kind === 'unknown') return paths
    for (const path of paths.value) {
      const text = files.text(path)
      if (text.kind === 'unknown') return text
      for (const each of parseEnvironmentFile(text.value ?? ''))
        variables.set(each.name, { text: each.value, file: path, line: each.line })
    }
  }
  return known(variables)
}

function assign(
  variables: Map<string, CommandWord>,
  text: string,
  { file, line }: Pick<Assignment, 'file' | 'line'>,
): void {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name !== undefined) variables.set(name, { file, line, text: value })
}

/** Expands variables as systemd does: `$NAME` alone is split into words, `${NAME}` within a word is inserted unchanged. */
function expand(
  { value, file, line }: UnitLine,
  variables: ReadonlyMap<string, CommandWord>,
): Reading<readonly CommandWord[]> {
  const split = splitWords(value.replace(/^[@\-:+!|]+/, ''))
  if (!split.ok) return unknown('invalid', `${file}:${line}: ${split.problem}`)
  const words: CommandWord[] = []
  for (const text of split.words) {
    const [, name] = /^\$([A-Za-z_]\w*)$/.exec(text) ?? []
    if (name === undefined) {
      words.push({
        file,
        line,
        text: text.replace(/\$\{(\w+)\}/g, (_, each: string) => variables.get(each)?.text ?? ''),
      })
      continue
    }
    const variable = variables.get(name)
    const inner = splitWords(variable?.text ?? '')
    if (!inner.ok) return unknown('invalid', `${variable?.file ?? file}: ${name}: ${inner.problem}`)
    words.push(
      ...inner.words.map((each) => ({ file: variable?.file ?? file, line: variable?.line ?? line, text: each })),
    )
  }
  return known(words)
}

/** Parses a file of `EnvironmentFile=`. Quotes count only before the unquoted part of a value. @see systemd.exec(5) */
export function parseEnvironmentFile(text: string): readonly EnvironmentLine[] {
  const lines: EnvironmentLine[] = []
  let line = 1
  let end = 0
  for (const match of text.matchAll(STATEMENT)) {
    line += text.slice(end, match.index).split('\n').length - 1
    end = match.index
    const { name, quoted = '', plain = '' } = match.groups ?? {}
    if (name === undefined || !/^[A-Za-z_]\w*[ \t]*$/.test(name)) continue
    const pieces = quoted.match(new RegExp(QUOTED, 'g')) ?? []
    lines.push({ name: trimBlanksOfC(name), value: pieces.map(unquote).join('') + unescape(plain), line })
  }
  return lines
}

function unquote(piece: string): string {
  const inner = piece.slice(1, piece.length > 1 && piece.endsWith(piece.charAt(0)) ? -1 : undefined)
  if (piece.startsWith("'")) return inner
  return inner.replace(/\\([^])/g, (written, letter: string) => {
    if (letter === '\n') return ''
    return '"\\`$'.includes(letter) ? letter : written
  })
}

function unescape(plain: string): string {
  const letters = plain.match(/\\[^]|[^]/g) ?? []
  while (/^[ \t]$/.test(letters.at(-1) ?? '')) letters.pop()
  return letters.map((each) => (each === '\\\n' ? '' : each.replace(/^\\(?=[^])/, ''))).join('')
}
