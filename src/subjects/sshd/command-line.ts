import { known, type Reading, unknown } from '../../model/observation.ts'
import { type CommandWord, readServiceCommand } from '../../settings/service-command.ts'
import { readUnit } from '../../settings/service-unit.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import type { Statement } from './config.ts'
import { keywordNamed } from './keywords.ts'
import { parseSshdLine } from './line.ts'

/** Settings from the command line of the service. */
export interface CommandLine {
  /** Options with precedence over the files. */
  readonly options: readonly Statement[]
  /** Main configuration file, if it is not the default one. */
  readonly main?: string
}

const UNITS = ['ssh.service', 'sshd.service'] as const

/** The unit that runs the server: `ssh.service` on Debian, elsewhere `sshd.service`. Undefined if absent. */
export function unitOf(files: ConfigFiles): string | undefined {
  return UNITS.find((name) => {
    const unit = readUnit(files, name, { section: 'Service', others: UNITS })
    return unit.kind === 'known' && unit.value !== undefined
  })
}

/** Options of sshd in its unit, including variables from environment files. */
export function readCommandLine(files: ConfigFiles): Reading<CommandLine> {
  for (const name of UNITS) {
    const words = readServiceCommand(files, name, UNITS)
    if (words.kind === 'unknown') return words
    if (words.value !== undefined) return readOptions(words.value)
  }
  return known({ options: [] })
}

/** The options of sshd(8) that take a value. */
const WITH_VALUE = 'bcCEfghkopu'

/** Options with an equivalent keyword. */
const KEYWORD_OF: Readonly<Record<string, string>> = { g: 'LoginGraceTime', p: 'Port', h: 'HostKey' }

function readOptions(words: readonly CommandWord[]): Reading<CommandLine> {
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

function statement({ file, line }: CommandWord, text: string): Statement {
  const parsed = parseSshdLine(text)
  if (parsed.kind !== 'statement') return { file, line, keyword: text, words: [], text, blocks: [] }
  return { file, line, keyword: keywordNamed(parsed.keyword), words: parsed.words, text: parsed.text, blocks: [] }
}
