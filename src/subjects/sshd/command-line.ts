import { known, type Reading, unknown } from '../../model/observation.ts'
import { splitWords } from '../../model/shell-split.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import type { Place, Statement } from './config.ts'
import { keywordNamed } from './keywords.ts'
import { parseSshdLine } from './line.ts'
import { readUnit, type UnitLine } from './unit.ts'

/** What the command line of the service says. */
export interface CommandLine {
  /** What counts before the files do. */
  readonly options: readonly Statement[]
  /** The configuration that it names in place of the usual one. */
  readonly main?: string
}

const UNITS = ['ssh.service', 'sshd.service'] as const

/** A word of the command line, with where it is written. */
interface Word extends Place {
  readonly text: string
}

/** The unit that runs the server: `ssh.service` on Debian, elsewhere `sshd.service`. Undefined if absent. */
export function unitOf(files: ConfigFiles): string | undefined {
  return UNITS.find((name) => {
    const unit = readUnit(files, name, UNITS)
    return unit.kind === 'known' && unit.value !== undefined
  })
}

/** What the service manager starts sshd with: the options of the unit, and of the variables that it takes from files. */
export function readCommandLine(files: ConfigFiles): Reading<CommandLine> {
  for (const name of UNITS) {
    const unit = readUnit(files, name, UNITS)
    if (unit.kind === 'unknown') return unit
    const start = unit.value?.findLast(({ key }) => key === 'ExecStart')
    if (unit.value === undefined || start === undefined) continue
    const variables = readVariables(files, unit.value)
    if (variables.kind === 'unknown') return variables
    const words = expand(start, variables.value)
    return words.kind === 'unknown' ? words : readOptions(words.value.slice(1))
  }
  return known({ options: [] })
}

/** Later ones win, and those of files win over those of the unit. */
function readVariables(files: ConfigFiles, unit: readonly UnitLine[]): Reading<ReadonlyMap<string, Word>> {
  const variables = new Map<string, Word>()
  for (const line of unit.filter(({ key }) => key === 'Environment')) {
    const words = splitWords(line.value)
    if (!words.ok) return unknown('invalid', `${line.file}:${line.line}: ${words.problem}`)
    for (const word of words.words) assign(variables, word, line)
  }
  for (const { value } of unit.filter(({ key }) => key === 'EnvironmentFile')) {
    const path = value.replace(/^-/, '')
    const text = files.text(path)
    if (text.kind === 'unknown') return text
    for (const [index, line] of (text.value ?? '').split('\n').entries()) {
      if (/^\s*([#;]|$)/.test(line)) continue
      const words = splitWords(line.replace(/=(?=\s*$)/, "=''"))
      const place = { file: path, line: index + 1 }
      if (!words.ok) return unknown('invalid', `${path}:${index + 1}: ${words.problem}`)
      const [, name, rest = ''] = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line) ?? []
      // Without quotes a value goes on to the end of the line.
      if (name !== undefined)
        assign(
          variables,
          `${name}=${/["'\\]/.test(rest) ? words.words.join(' ').slice(name.length + 1) : rest.trim()}`,
          place,
        )
    }
  }
  return known(variables)
}

function assign(variables: Map<string, Word>, text: string, { file, line }: Place): void {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name !== undefined) variables.set(name, { file, line, text: value })
}

/** As systemd does it: `$NAME` alone becomes the words of the value, `${NAME}` within a word the value as it is. */
function expand({ value, file, line }: UnitLine, variables: ReadonlyMap<string, Word>): Reading<readonly Word[]> {
  const split = splitWords(value.replace(/^[@\-:+!|]+/, ''))
  if (!split.ok) return unknown('invalid', `${file}:${line}: ${split.problem}`)
  const words: Word[] = []
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

/** The options of sshd(8) that take a value. */
const WITH_VALUE = 'bcCEfghkopu'

/** Those that set what a keyword sets. */
const KEYWORD_OF: Readonly<Record<string, string>> = { g: 'LoginGraceTime', p: 'Port', h: 'HostKey' }

function readOptions(words: readonly Word[]): Reading<CommandLine> {
  const options: Statement[] = []
  let main: string | undefined
  for (let index = 0; index < words.length; index++) {
    const word = words[index]
    if (word === undefined || !word.text.startsWith('-')) break
    for (let at = 1; at < word.text.length; at++) {
      const letter = word.text.charAt(at)
      if (letter === 'q') options.push(statement(word, 'LogLevel QUIET'))
      if (!WITH_VALUE.includes(letter)) continue
      const isAttached = at + 1 < word.text.length
      const value = isAttached ? word.text.slice(at + 1) : words[(index += 1)]?.text
      if (value === undefined) return unknown('invalid', `${word.file}:${word.line}: -${letter} has no value`)
      const keyword = KEYWORD_OF[letter]
      if (letter === 'f') main = value
      else if (letter === 'o') options.push(statement(word, value))
      else if (keyword !== undefined) options.push(statement(word, `${keyword} ${value}`))
      break
    }
  }
  return known(main === undefined ? { options } : { options, main })
}

function statement({ file, line }: Word, text: string): Statement {
  const parsed = parseSshdLine(text)
  if (parsed.kind !== 'statement') return { file, line, keyword: text, words: [], text, blocks: [] }
  return { file, line, keyword: keywordNamed(parsed.keyword), words: parsed.words, text: parsed.text, blocks: [] }
}
