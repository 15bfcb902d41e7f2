import { known, type Reading } from '../../model/observation.ts'
import { readServiceCommand, type ShortOption, shortOptions } from '../../settings/service-command.ts'
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

/** The options of sshd(8) that take a value. */
const WITH_VALUE = 'bcCEfghkopu'

/** Options with an equivalent keyword. */
const KEYWORD_OF: Readonly<Record<string, string>> = { g: 'LoginGraceTime', p: 'Port', h: 'HostKey' }

/** Options of sshd in its unit, including variables from environment files. */
export function readCommandLine(files: ConfigFiles): Reading<CommandLine> {
  const words = readServiceCommand(files, UNITS)
  const given = words.kind === 'unknown' ? words : shortOptions(words.value, WITH_VALUE)
  if (given.kind === 'unknown') return given
  const options = given.value.flatMap((option) => {
    const text = statementOf(option)
    return text === undefined ? [] : [statement(option, text)]
  })
  const main = given.value.findLast(({ letter }) => letter === 'f')?.value
  return known(main === undefined ? { options } : { options, main })
}

/** The line of sshd_config that means the same; undefined without such a line. */
function statementOf({ letter, value = '' }: ShortOption): string | undefined {
  if (letter === 'q') return 'LogLevel QUIET'
  if (letter === 'o') return value
  const keyword = KEYWORD_OF[letter]
  return keyword === undefined ? undefined : `${keyword} ${value}`
}

function statement({ file, line }: ShortOption, text: string): Statement {
  const parsed = parseSshdLine(text)
  if (parsed.kind !== 'statement') return { file, line, keyword: text, words: [], text, blocks: [] }
  return { file, line, keyword: keywordNamed(parsed.keyword), words: parsed.words, text: parsed.text, blocks: [] }
}
