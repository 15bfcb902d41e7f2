import { defined } from '../../model/defined.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { RISKS } from '../../model/risk.ts'
import { anyExists, isInProgram } from '../../settings/reading.ts'
import type { Assignment } from '../../settings/assignment.ts'
import { type ConfigFiles, type KeyRules, OWN_HEAD, type Surface, type Writing } from '../../settings/surface.ts'
import { isAfter, refusalOf, toAssignments } from './assignments.ts'
import { BUILD_WORDS, readBuild } from './build.ts'
import { readCommandLine, unitOf } from './command-line.ts'
import { readSshdConfig } from './config.ts'
import { findKeyword, type Keyword, keywordNamed } from './keywords.ts'
import { parseConnection, resolveFor } from './resolve.ts'
import { withSocketPorts } from './socket.ts'
import { canonicalOf, type SshdBuild } from './value.ts'
import { askServer } from './witness.ts'
import type { ValueOrder } from '../../model/acceptance.ts'
import { byNumber, listsOf } from '../../settings/values.ts'
import { sshdFormat } from './format.ts'
import { parseSshdLine } from './line.ts'

/** Sorted before all other files in its directory. */
const OWN_FILE = '/etc/ssh/sshd_config.d/00-driftgate.conf'

const INCLUDED = new Set(['/etc/ssh/sshd_config.d/*.conf', 'sshd_config.d/*.conf'])

/**
 * Validates a configuration with sshd. A missing privilege separation directory or host key is not a fault of the
 * configuration: sshd checks for them after it has parsed everything.
 */
const CHECK = `said=$(/usr/sbin/sshd -t -f "$1" 2>&1) || case $said in
*"privilege separation directory"*|*"no hostkeys available"*) ;;
*) printf '%s\\n' "$said"; exit 1 ;;
esac`

/** Index of `rate` in MaxStartups. */
const RATE = 1

const LISTS = listsOf(/,/, ',')

/** `at_most` means a subset of these algorithms, in any order; `at_least` means all of them. */
const ALGORITHMS: ValueOrder<string> = {
  ...LISTS,
  lower(value, bound) {
    const allowed = bound.split(',')
    const names = value.split(',')
    const kept = names.filter((name) => allowed.includes(name))
    if (kept.length === names.length) return value
    return kept.length === 0 ? bound : kept.join(',')
  },
  raise: (value, bound) => LISTS.include?.(value, bound.split(',')) ?? bound,
}

const SERVER = '/usr/sbin/sshd'
const MAIN = '/etc/ssh/sshd_config'

/** Versions with known defaults. */
const FIRST: readonly [number, number] = [8, 0]
const LAST: readonly [number, number] = [10, 2]

/** The OpenSSH server. */
export const sshd: Surface = {
  name: 'sshd',
  summary:
    'The command line of the service, or of the service that a socket starts for each connection, then `/etc/ssh/sshd_config` with its includes in order. The first value wins; a value in a matching `Match` block overrides it. An unset keyword has the default of the installed version. `Port` has the ports of `ssh.socket` or `sshd.socket` if it starts with the system. A fix writes `/etc/ssh/sshd_config.d/00-driftgate.conf` if the main file begins by including that directory, otherwise it edits the top of the main file.',
  risk: RISKS.ssh,
  installed: (files) => anyExists(files, [SERVER]),
  keyOf(text) {
    const keyword = findKeyword(keywordNamed(text))
    return keyword === undefined ? { problem: 'is not an sshd_config keyword' } : { section: '', key: keyword.name }
  },
  rulesOf: ({ key }, files) => rulesOf(key, files),
  matchProblem: (match) => {
    return parseConnection(match) === undefined
      ? 'match must name a connection, such as user=bob,addr=10.0.0.1'
      : undefined
  },
  read,
  resolve: (assignments, rules, { match }) => resolveFor(assignments, rules, parseConnection(match ?? '') ?? {}),
  writes: (files) => writingFor(files, MAIN),
  witness: askServer,
  activation: (files) => ({ kind: 'reload', unit: unitOf(files) ?? 'sshd.service' }),
}

function rulesOf(key: string, files: ConfigFiles | undefined): KeyRules {
  const keyword = findKeyword(key.toLowerCase()) ?? { name: key, kind: 'text' }
  const build = files === undefined ? undefined : buildOf(files)
  const builtIn = build?.kind === 'known' ? unsetValue(build.value, keyword) : undefined
  const isSwitch = keyword.kind === 'choice' && /^(?:yes|no)$/.test(keyword.unset ?? '')
  return {
    order: orderOf(keyword),
    wins: keyword.adds === true ? 'all' : 'first',
    ...(isSwitch && { switch: ['yes', 'no'] as const }),
    ...defined({ default: builtIn }),
  }
}

function read(files: ConfigFiles): Reading<readonly Assignment[]> {
  const build = buildOf(files)
  if (build.kind === 'unknown') return build
  const line = readCommandLine(files)
  if (line.kind === 'unknown') return line
  const { options, main = MAIN } = line.value
  const config = readSshdConfig(files, main)
  if (config.kind === 'unknown') return config
  if (config.value === null) return unknown('invalid', `${main} does not exist, so sshd does not start`)
  const statements = [...options, ...config.value.statements]
  const { version } = build.value
  const refusal = refusalOf(statements, build.value, {
    isKeyword: (name) => version === undefined || hasKeyword(files, name),
    isAlgorithm: (name) => version === undefined || isInProgram(files, SERVER, name),
  })
  if (refusal !== undefined) return refusal
  const effective = withSocketPorts(files, statements)
  return effective.kind === 'unknown' ? effective : known(toAssignments(effective.value, build.value))
}

/** Whether the installed server has a keyword that is not in the table. */
function hasKeyword(files: ConfigFiles, name: string): boolean {
  const texts = files.textsIn(SERVER, [name])
  if (!/^[a-z][a-z\d]+$/.test(name)) return false
  if (texts.kind === 'unknown' || texts.value === null) return true
  // The linker stores this one as the end of another one.
  return texts.value.includes(name) || (name === 'rsaauthentication' && texts.value.length > 0)
}

/** The configuration files with all included files, the main file first, and the directories of the included ones. */
export function readSshdFiles(files: ConfigFiles): Reading<readonly string[]> {
  const line = readCommandLine(files)
  if (line.kind === 'unknown') return line
  const config = readSshdConfig(files, line.value.main ?? MAIN)
  if (config.kind === 'unknown') return config
  const { files: read = [], directories = [] } = config.value ?? {}
  return known([...read, ...directories])
}

function buildOf(files: ConfigFiles): Reading<SshdBuild> {
  const program = files.textsIn(SERVER, BUILD_WORDS)
  if (program.kind === 'unknown') return program
  return known(program.value === null ? { algorithms: {} } : readBuild(program.value))
}

/** Default of a keyword in the installed server; undefined if unknown. */
function unsetValue({ version, algorithms }: SshdBuild, { name, kind, unset, since }: Keyword): string | undefined {
  if (kind === 'algorithms') return algorithms[name.toLowerCase()]
  const isKnown = version !== undefined && !isAfter(FIRST, version) && !isAfter(version, LAST)
  return isKnown && (since === undefined || !isAfter(since, version)) ? unset : undefined
}

/** Value order of a keyword, for any spelling. */
function orderOf(keyword: Keyword): ValueOrder<string> {
  switch (keyword.kind) {
    case 'integer':
    case 'seconds':
      return byNumber((text) => {
        const value = canonicalOf(keyword, text)
        if (value === '0' && keyword.zeroIsNever === true) return Number.POSITIVE_INFINITY
        return value === undefined ? undefined : Number(value)
      })
    case 'triple':
      return tripleOrder(keyword)
    case 'algorithms':
      return ALGORITHMS
    case 'words':
      return listsOf(/ +/, ' ')
    default:
      return { equals: (left, right) => canonicalOf(keyword, left) === canonicalOf(keyword, right) }
  }
}

/** Compares each number of `start:rate:full`: a larger one is laxer, except for `rate`. */
function tripleOrder(keyword: Keyword): ValueOrder<string> {
  const each = (value: string, bound: string, isRaised: boolean): string => {
    const [numbers, limits] = [value, bound].map((text) => canonicalOf(keyword, text)?.split(':').map(Number))
    if (numbers === undefined || limits === undefined) return bound
    return numbers
      .map((number, index) => ((index === RATE) === isRaised ? Math.min : Math.max)(number, limits[index] ?? number))
      .join(':')
  }
  return {
    equals: (left, right) => canonicalOf(keyword, left) === canonicalOf(keyword, right),
    raise: (value, bound) => each(value, bound, true),
    lower: (value, bound) => each(value, bound, false),
  }
}

/** The file whose lines have precedence: ours if the main file begins with an Include of its directory, else the main file. */
export function writingFor(files: ConfigFiles, main: string): Writing {
  const text = files.text(main)
  const lines = text.kind === 'known' && text.value !== null ? text.value.split('\n').map(parseSshdLine) : []
  const first = lines.find(({ kind }) => kind !== 'empty')
  const isOurs =
    first?.kind === 'statement' && first.keyword === 'include' && first.words.some((word) => INCLUDED.has(word))
  if (!isOurs) {
    return { file: main, format: sshdFormat, mode: 0o600, check: (candidate) => ['sh', '-c', CHECK, 'sh', candidate] }
  }
  // Validated as it will be read: before all other files.
  const both = `printf 'Include "%s"\\nInclude "%s"\\n' "$1" "$2" | { set -- /dev/stdin\n${CHECK}\n}`
  return {
    file: OWN_FILE,
    format: sshdFormat,
    head: OWN_HEAD,
    mode: 0o600,
    check: (candidate) => ['sh', '-c', both, 'sh', candidate, main],
  }
}
