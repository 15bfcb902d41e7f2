import { known, type Reading, unknown } from '../../model/observation.ts'
import { isStartOf, readServiceCommand, type ShortOption, shortOptions } from '../../settings/service-command.ts'
import { otherServices, readUnit } from '../../settings/service-unit.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import { DIRECTORIES, YES } from '../../settings/systemd.ts'
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

/** The units of each connection, which a socket starts. */
const INSTANCES = ['ssh@.service', 'sshd@.service'] as const

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

/** Options of sshd in the unit that serves connections, including variables from environment files. */
export function readCommandLine(files: ConfigFiles): Reading<CommandLine> {
  const instance = readInstance(files)
  if (instance.kind === 'unknown') return instance
  const own = readLine(files, UNITS)
  if (own.kind === 'unknown') return own
  const second = findSecond(files, own.value)
  if (second !== undefined)
    return unknown('not-observable', `${second} starts another sshd, whose options driftgate does not read`)
  if (instance.value === undefined) return own
  const served = readLine(files, [instance.value])
  if (served.kind === 'unknown' || !isSame(own.value, served.value)) {
    const isStarted = isWantedBy(files, 'multi-user.target', UNITS)
    if (isStarted.kind === 'unknown') return isStarted
    if (isStarted.value)
      return unknown('not-observable', `${instance.value} and ${UNITS.join(' or ')} start sshd with different options`)
  }
  return served
}

/** Another enabled service that starts a server with other options. */
function findSecond(files: ConfigFiles, own: CommandLine): string | undefined {
  return otherServices(files, [...UNITS, ...INSTANCES], isStartOf(['sshd'])).find((name) => {
    const line = readLine(files, [name])
    return line.kind === 'unknown' || !isSame(line.value, own)
  })
}

function isSame(left: CommandLine, right: CommandLine): boolean {
  const [one, other] = [left, right].map(({ options, main }) => [
    main,
    ...options.map(({ keyword, text }) => [keyword, text]),
  ])
  return JSON.stringify(one) === JSON.stringify(other)
}

/** The unit of each connection, if a socket starts a server for it. @see systemd.socket(5), Accept= */
function readInstance(files: ConfigFiles): Reading<string | undefined> {
  for (const name of ['sshd', 'ssh']) {
    const socket = readUnit(files, `${name}.socket`, { section: 'Socket' })
    if (socket.kind === 'unknown') return socket
    const accept = socket.value?.findLast(({ key }) => key === 'Accept')?.value
    if (accept === undefined || !YES.test(accept)) continue
    const isStarted = isWantedBy(files, 'sockets.target', [`${name}.socket`])
    if (isStarted.kind === 'unknown') return isStarted
    if (isStarted.value) return known(`${name}@.service`)
  }
  return known(undefined)
}

function isWantedBy(files: ConfigFiles, target: string, units: readonly string[]): Reading<boolean> {
  for (const directory of DIRECTORIES) {
    const names = files.names(`${directory}/systemd/system/${target}.wants`)
    if (names.kind === 'unknown') return names
    if (names.value?.some((name) => units.includes(name)) === true) return known(true)
  }
  return known(false)
}

function readLine(files: ConfigFiles, units: readonly string[]): Reading<CommandLine> {
  const words = readServiceCommand(files, units, ['sshd'])
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
