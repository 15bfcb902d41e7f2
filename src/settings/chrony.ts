import { dropInsIn } from '../host/paths-in.ts'
import { trimBlanksOfC } from './blanks.ts'
import { known, type Reading, type Unknown, unknown, mapReading } from '../model/observation.ts'
import type { Assignment } from './assignment.ts'
import { assignmentsIn, effectiveOf, valueOf } from './effective.ts'
import { isSource, whyRefused } from './chrony-directives.ts'
import { lineFormat } from './formats/lines.ts'
import { expandGlob } from './glob.ts'
import { anyExists, isThere, parseAll } from './reading.ts'
import { readOnlyCommand, type ShortOption, shortOptions } from './service-command.ts'
import type { Testimony } from '../host/witness.ts'
import { type ConfigFiles, type WitnessAnswer, type KeyRules, SILENT, type Surface } from './surface.ts'
import { listsOf, NUMBERS, VALUES } from './values.ts'

const MAINS = ['/etc/chrony/chrony.conf', '/etc/chrony.conf'] as const
const PROGRAM = '/usr/sbin/chronyd'

/** How deep files may include others, as chronyd has it. */
const DEEPEST = 10

const format = lineFormat({
  name: 'chrony',
  assignment: /^(?<lead>\s*)(?<key>[^\s!;#%]\S*)(?<between>\s*)(?<value>.*?)(?<tail>\s*)$/,
  comment: /^\s*[!;#%]/,
  read: (value) => value.replace(/[ \t\v\f\r]+/g, ' '),
  longest: 2047,
  bare: true,
  between: ' ',
})

const LINES = listsOf(/, /, ', ')

/** Servers by their lines: each has options of its own, and one that is to be there may have any. */
const LISTED: KeyRules = {
  order: {
    ...LINES,
    include(value, items) {
      const isThere = (item: string): boolean =>
        value.split(', ').some((line) => line === item || line.startsWith(`${item} `))
      return (
        LINES.include?.(
          value,
          items.filter((item) => !isThere(item)),
        ) ?? value
      )
    },
  },
  wins: 'all',
  between: ', ',
}

/** chronyd only monitors a source with the first option, and does not contact one with the other. @see chrony.conf(5) */
const SOURCES: KeyRules = { ...LISTED, default: '', takes: (value) => !/ (?:noselect|offline)(?: |$)/i.test(value) }

const NUMBER: KeyRules = { order: NUMBERS, wins: 'last' }

const OTHER: KeyRules = { order: VALUES, wins: 'last' }

/** The account to which chronyd switches by itself: that of the package. */
function userRules(files: ConfigFiles | undefined): KeyRules {
  return files === undefined ? OTHER : { ...OTHER, default: mainOf(files) === MAINS[0] ? '_chrony' : 'chrony' }
}

const KEYS: Readonly<Record<string, KeyRules>> = {
  server: SOURCES,
  pool: SOURCES,
  peer: SOURCES,
  allow: LISTED,
  deny: LISTED,
  cmdport: { ...NUMBER, default: '323' },
  port: { ...NUMBER, default: '123' },
  minsources: { ...NUMBER, default: '1' },
  maxupdateskew: { ...NUMBER, default: '1000' },
  initstepslew: { ...OTHER, default: '' },
  rtcsync: { order: VALUES, wins: 'last', isFlag: true },
}

/** The time daemon chrony. */
export const chrony: Surface = {
  name: 'chrony',
  summary:
    '`/etc/chrony/chrony.conf` or `/etc/chrony.conf`, with the files of `include`, `confdir` and `sourcedir` in order. Values of `server`, `pool`, `peer`, `allow` and `deny` accumulate, separated by `, `; for other directives the last line wins. `includes` compares servers without their options. Servers with `noselect` or `offline` do not count. A fix edits the main file and restarts chronyd.',
  installed: (files) => anyExists(files, [...MAINS, PROGRAM]),
  keyOf: (text) =>
    /^[a-z0-9]+$/i.test(text) ? { section: '', key: text } : { problem: 'must be a directive such as pool' },
  sameKey: (left, right) => left.key.toLowerCase() === right.key.toLowerCase(),
  rulesOf: ({ key }, files) => KEYS[key.toLowerCase()] ?? (key.toLowerCase() === 'user' ? userRules(files) : OTHER),
  read(files) {
    const command = commandOf(files)
    if (command.kind === 'unknown') return command
    const read = readFile(files, command.value.file, 0)
    return read.kind === 'unknown' ? read : known([...read.value, ...command.value.user])
  },
  witness: (_files, { key }) => [
    { commands: [[PROGRAM, '-p']], hear: ([answer]) => heardOf(answer, key.toLowerCase()) },
  ],
  writes: (files) => ({ file: mainOf(files), format, ...(isThere(files, PROGRAM) ? { check } : {}) }),
  // Debian, whose file has a directory of its own, names the unit after the package, others after the program.
  activation: (files) => ({ kind: 'restart', unit: mainOf(files) === MAINS[0] ? 'chrony.service' : 'chronyd.service' }),
}

/** The account of chronyd; nothing where it is not installed. */
export function readChronyUser(files: ConfigFiles): Reading<readonly string[]> {
  const installed = chrony.installed(files)
  if (installed.kind === 'unknown' || !installed.value) return installed.kind === 'unknown' ? installed : known([])
  const assignments = assignmentsIn(files, chrony)
  if (assignments.kind === 'unknown') return assignments
  const effective = effectiveOf(chrony, assignments.value, { section: '', key: 'user' })
  if (effective.kind === 'unknown') return effective
  return known([valueOf(effective.value[0], userRules(files)) ?? []].flat())
}

/** Ubuntu starts chronyd by a script that passes the options on. */
const PROGRAMS = ['chronyd', 'chronyd-starter.sh']

/** The options of chronyd(8) that take a value. */
const WITH_VALUE = 'fFlLPtu'

/** The file that the unit has chronyd read, and the account that it names, which counts over the file. @see chronyd(8), -f and -u */
function commandOf(files: ConfigFiles): Reading<{ readonly file: string; readonly user: readonly Assignment[] }> {
  const words = readOnlyCommand(files, ['chrony.service', 'chronyd.service'], PROGRAMS)
  const options = words.kind === 'unknown' ? words : shortOptions(words.value, WITH_VALUE)
  if (options.kind === 'unknown') return options
  const lastOf = (letter: string): ShortOption | undefined =>
    options.value.findLast((option) => option.letter === letter)
  const directive = lastOf('')
  if (directive !== undefined)
    return unknown(
      'not-observable',
      `${directive.file}:${directive.line}: chronyd has directives on its command line, so it reads no configuration file`,
    )
  const user = lastOf('u')
  const assigned =
    user === undefined ? [] : [{ section: '', key: 'user', value: user.value ?? '', file: user.file, line: user.line }]
  return known({ file: lastOf('f')?.value ?? mainOf(files), user: assigned })
}

/** Prints what it makes of the file, and starts nothing. */
function check(candidate: string): readonly [program: string, ...args: string[]] {
  return [PROGRAM, '-p', '-f', candidate]
}

function mainOf(files: ConfigFiles): string {
  return MAINS.find((path) => isThere(files, path)) ?? MAINS[0]
}

function readFile(files: ConfigFiles, path: string, depth: number): Reading<readonly Assignment[]> {
  if (depth > DEEPEST) return unknown('invalid', `${path}: includes are nested too deeply, so chronyd does not start`)
  const text = files.text(path)
  if (text.kind === 'unknown') return text
  if (text.value === null && depth > 0)
    return unknown('invalid', `${path} is included but does not exist, so chronyd does not start`)
  const parsed = format.parse(text.value ?? '', path)
  if (parsed.kind === 'unknown') return parsed
  const read: Assignment[] = []
  for (const assignment of parsed.value) {
    if (/(?:^| )[#!;%]/.test(assignment.value))
      return unknown(
        'invalid',
        `${path}:${assignment.line}: chronyd rejects a comment after a value and does not start`,
      )
    const refused = whyRefused(assignment.key, assignment.value)
    if (refused !== undefined)
      return unknown('invalid', `${path}:${assignment.line}: ${refused}, so chronyd does not start`)
    const included = includedBy(files, assignment)
    if (included.kind === 'unknown') return included
    if (included.value === undefined) read.push(assignment)
    const isOfSources = assignment.key.toLowerCase() === 'sourcedir'
    for (const each of included.value ?? []) {
      const below = isOfSources ? readSources(files, each) : readFile(files, each, depth + 1)
      if (below.kind === 'unknown') return below
      read.push(...below.value)
    }
  }
  return known(read)
}

/** Of such a file chronyd takes valid sources and passes over all else. */
function readSources(files: ConfigFiles, path: string): Reading<readonly Assignment[]> {
  return mapReading(parseAll(files, [path], format), (read) =>
    read.filter(({ key, value }) => isSource(key) && whyRefused(key, value) === undefined),
  )
}

/** The files that stand in place of a line; undefined where it names none. */
function includedBy(files: ConfigFiles, { key, value }: Assignment): Reading<readonly string[] | undefined> {
  switch (key.toLowerCase()) {
    case 'include':
      return filesMatching(files, value.startsWith('/') ? value : `/${value}`)
    case 'confdir':
      return dropInsIn(files, value.split(' '), (name) => name.endsWith('.conf'))
    case 'sourcedir':
      return dropInsIn(files, value.split(' '), (name) => name.endsWith('.sources'))
    default:
      return known(undefined)
  }
}

/** The files of a pattern; a service starts in `/`. */
function filesMatching(files: ConfigFiles, pattern: string): Reading<readonly string[]> {
  return whyUnsearched(files, pattern) ?? expandGlob(files, pattern)
}

/** chronyd does not start where the directory of a pattern is missing. */
function whyUnsearched(files: ConfigFiles, pattern: string): Unknown | undefined {
  const [, directory = ''] = /^(\/[^*?[]*)\/[^/]*[*?[]/.exec(pattern) ?? []
  if (directory === '') return undefined
  const names = files.names(directory)
  if (names.kind === 'unknown') return names
  return names.value === null ? unknown('invalid', `${directory} does not exist, so chronyd does not start`) : undefined
}

/** It prints the directives that it reads, a line each, those of included files among them and those of a sourcedir not. */
function heardOf({ exitCode, stdout, stderr }: Testimony, key: string): WitnessAnswer {
  if (exitCode !== 0) {
    // After the time, where it does not write to a system log.
    const [words] = /\bFatal error : .*$/m.exec(`${stderr}\n${stdout}`) ?? []
    return words === undefined ? SILENT : { kind: 'refused', words: `chronyd -p: ${words}` }
  }
  const lines = stdout.split('\n').map((line) => trimBlanksOfC(line).replace(/[ \t]+/g, ' '))
  const isNamed = (name: string): boolean => lines.some((line) => line.split(' ', 1)[0]?.toLowerCase() === name)
  const { wins, isFlag, between, takes = () => true } = KEYS[key] ?? { wins: 'last' }
  if (wins === 'all' && isNamed('sourcedir')) return SILENT
  if (isFlag === true) return { kind: 'said', value: String(isNamed(key)) }
  const values = lines
    .filter((line) => line.split(' ', 1)[0]?.toLowerCase() === key)
    .map((line) => line.slice(key.length + 1))
    .filter(takes)
  if (wins === 'all') return { kind: 'said', value: values.join(between ?? ' ') }
  const last = values.at(-1)
  return last === undefined ? SILENT : { kind: 'said', value: last }
}
