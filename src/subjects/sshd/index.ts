import { defined } from '../../model/defined.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import { RISKS } from '../../model/risk.ts'
import type { Assignment } from '../../settings/assignment.ts'
import { anyExists, isInProgram, isThere } from '../../settings/reading.ts'
import { isEnabledUnit, readUnit } from '../../settings/service-unit.ts'
import type { ConfigFiles, KeyRules, Surface } from '../../settings/surface.ts'
import { refusalOf, toAssignments } from './assignments.ts'
import { buildOf, hasKeyword, unsetValue } from './build.ts'
import { refusedCombination } from './combinations.ts'
import { readCommandLine, unitOf } from './command-line.ts'
import { filesOf, readSshdConfig, type Statement } from './config.ts'
import { findKeyword, keywordNamed } from './keywords.ts'
import { orderOf } from './orders.ts'
import { parseConnection, resolveFor } from './resolve.ts'
import { askServer } from './witness.ts'
import { SERVER_DESTINATION, writingFor } from './writes.ts'

const SERVER = '/usr/sbin/sshd'
const MAIN = '/etc/ssh/sshd_config'

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
  writes: (files) => writingFor(files, SERVER_DESTINATION),
  witness: askServer,
  activation: (files) => ({ kind: 'reload', unit: unitOf(files) ?? 'sshd.service' }),
}

function rulesOf(key: string, files: ConfigFiles | undefined): KeyRules {
  const keyword = findKeyword(key.toLowerCase()) ?? { name: key, kind: 'text' }
  const build = files === undefined ? undefined : buildOf(files, SERVER)
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
  const build = buildOf(files, SERVER)
  if (build.kind === 'unknown') return build
  const line = readCommandLine(files)
  if (line.kind === 'unknown') return line
  const { options, main = MAIN } = line.value
  const config = readSshdConfig(files, main)
  if (config.kind === 'unknown') return config
  if (config.value === null) return unknown('invalid', `${main} does not exist, so sshd does not start`)
  const statements = [...options, ...config.value.statements]
  const refusal = refusalOf(statements, {
    consequence: 'sshd does not start',
    build: build.value,
    find: findKeyword,
    isKeyword: (name) => build.value.version === undefined || hasKeyword(files, SERVER, name),
    isAlgorithm: (name) => isInProgram(files, SERVER, name),
  })
  const problem = refusal ?? refusedCombination(statements, build.value)
  if (problem !== undefined) return problem
  const effective = withSocketPorts(files, statements)
  return effective.kind === 'unknown' ? effective : known(toAssignments(effective.value, build.value))
}

/** The configuration files with all included files, the main file first, and the directories of the included ones. */
export function readSshdFiles(files: ConfigFiles): Reading<readonly string[]> {
  const line = readCommandLine(files)
  if (line.kind === 'unknown') return line
  return filesOf(readSshdConfig(files, line.value.main ?? MAIN))
}

const SOCKETS = ['ssh.socket', 'sshd.socket'] as const

/** Makes the addresses of the socket from `Port` and `ListenAddress`. @see sshd-socket-generator(8) */
const GENERATOR = '/systemd/system-generators/sshd-socket-generator'

/**
 * The statements with the ports of a socket that starts with the system instead of their own: sshd takes its sockets over
 * and opens none. With a generator the socket has both.
 */
function withSocketPorts(files: ConfigFiles, statements: readonly Statement[]): Reading<readonly Statement[]> {
  // It replaces the address of the package only by others.
  const isGenerated =
    ['/lib', '/usr/lib'].some((directory) => isThere(files, `${directory}${GENERATOR}`)) &&
    statements.some(({ keyword }) => keyword === 'port' || keyword === 'listenaddress')
  const ports: Statement[] = []
  for (const name of SOCKETS) {
    const enabled = isEnabledUnit(files, name)
    if (enabled.kind === 'unknown') return enabled
    const unit = enabled.value ? readUnit(files, name, { section: 'Socket' }) : known([])
    if (unit.kind === 'unknown') return unit
    for (const { key, value, file, line } of unit.value ?? []) {
      const [, port] = /^(?:[^/@]*:)?(\d+)$/.exec(value) ?? []
      if (key !== 'ListenStream' || port === undefined || value.startsWith('vsock:')) continue
      if (isGenerated && !file.startsWith('/etc/')) continue
      ports.push({ file, line, keyword: 'port', words: [port], text: port, blocks: [] })
    }
  }
  if (ports.length === 0) return known(statements)
  const others = statements.filter(({ keyword, text }) =>
    keyword === 'port' ? isGenerated && ports.every((each) => each.text !== text) : true,
  )
  return known([...ports.filter(({ text }, at) => ports.findIndex((each) => each.text === text) === at), ...others])
}
