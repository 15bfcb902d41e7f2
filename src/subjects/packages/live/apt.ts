import { join } from 'node:path'
import type { ApplyOutcome } from '../../../model/decision.ts'
import { known, type Reading } from '../../../model/observation.ts'
import type { PackageOperations, PackageOrder, PackageRequest } from '../packages.ts'
import { createCandidates, newestChange, type Versions } from './candidates.ts'
import { openDpkgDatabase } from './dpkg-database.ts'
import { type ForgetfulDatabase, joinDatabase } from './forgetful-database.ts'
import type { Operate } from './operate.ts'
import { askTransaction, parseAptSimulation } from './transaction.ts'
import { openTools, type ToolOptions, type Tools } from './tools.ts'

/** What `apt-cache policy` says of one name. */
interface AptPolicy {
  /** With the architecture where it is a foreign one: `libc6:i386`. */
  readonly name: string
  /** What an installation would bring; undefined where nothing would be installed. */
  readonly candidate: string | undefined
}

/** Where apt and dpkg keep what they know, and how they are run. */
export interface AptOptions extends ToolOptions {
  readonly databaseDirectory?: string
  readonly listsDirectory?: string
}

const ANSWER_TIMEOUT_MS = 120_000

/** What scripts of packages write to standard error arrives there, not through a terminal in standard output. */
const NO_TERMINAL = ['-o', 'Dpkg::Use-Pty=0'] as const

/** Names are names: without this, one with a dot that is not in the index is taken for a pattern and matches others. */
const LITERAL_NAMES = ['-o', 'APT::Cmd::Pattern-Only=true'] as const

/** An audit writes nothing, so apt must not keep what it works out from the lists. */
const NO_CACHE_FILES = ['-o', 'Dir::Cache::pkgcache=', '-o', 'Dir::Cache::srcpkgcache='] as const

/** Simulating writes logs of the solver and planner. */
const NO_LOGS = ['-o', 'Dir::Log::Solver=/dev/null', '-o', 'Dir::Log::Planner=/dev/null'] as const

/** The packages that apt and dpkg manage. */
export function openAptDatabase(options: AptOptions = {}): ForgetfulDatabase {
  const { databaseDirectory = '/var/lib/dpkg', listsDirectory = '/var/lib/apt/lists' } = options
  const tools = openTools(options)
  const database = openDpkgDatabase(databaseDirectory)
  const candidates = createCandidates(
    (names) => askPolicy(tools, names, () => database.nativeArchitecture()),
    // Every update works in the directory of partial downloads, even one that finds nothing new.
    () => newestChange([listsDirectory, join(listsDirectory, 'partial')]),
  )
  return joinDatabase({
    installed: database,
    candidates,
    findManager: () => tools.find('apt-get'),
    async transaction(order) {
      const argv = [
        'apt-get',
        ...LITERAL_NAMES,
        ...NO_CACHE_FILES,
        ...NO_LOGS,
        '--simulate',
        ...argumentsOf(order),
      ] as const
      const answer = await askTransaction(tools, argv, [0])
      return answer.kind === 'unknown' ? answer : known(parseAptSimulation(answer.value))
    },
  })
}

/** What apt-get is told to do. */
function argumentsOf(order: PackageOrder): readonly string[] {
  if (order.kind === 'remove') return ['remove', '-q', '-y', '--', ...order.ids]
  const { kind, name, version } = order
  const options = kind === 'downgrade' ? ['--allow-downgrades'] : []
  return ['install', '-q', '-y', ...options, '--', version === undefined ? name : `${name}=${version}`]
}

async function askPolicy(
  tools: Tools,
  names: readonly string[],
  nativeArchitecture: () => string | undefined,
): Promise<Reading<Versions>> {
  const argv = ['apt-cache', ...LITERAL_NAMES, ...NO_CACHE_FILES, 'policy', '--', ...names] as const
  const answer = await tools.ask(argv, ANSWER_TIMEOUT_MS)
  if (answer.kind === 'unknown') return answer
  const candidates = new Map(parseAptPolicy(answer.value).map(({ name, candidate }) => [name, candidate]))
  const native = new Set([nativeArchitecture(), 'native', 'any'])
  return known(
    new Map(
      names.flatMap((name) => {
        const [base = '', architecture] = name.split(':')
        // apt leaves out the machine's own architecture.
        const candidate = candidates.get(name) ?? (native.has(architecture) ? candidates.get(base) : undefined)
        return candidate === undefined ? [] : [[name, candidate]]
      }),
    ),
  )
}

/** What a fix may do with apt. No configuration file that was changed on the machine is overwritten, as with CCM. */
export function createAptOperations(options: AptOptions, operate: Operate): PackageOperations {
  const tools = openTools({
    ...options,
    environment: { DEBIAN_FRONTEND: 'noninteractive', APT_LISTCHANGES_FRONTEND: 'none', ...options.environment },
  })
  const aptGet = (args: readonly string[], signal: AbortSignal): Promise<ApplyOutcome> =>
    operate(tools, {
      argv: ['apt-get', ...LITERAL_NAMES, ...NO_TERMINAL, ...args],
      signal,
      isLocked: ({ stderr }) => /^E: Could not get lock /m.test(stderr),
    })
  const install = async (request: PackageRequest, options: readonly string[]): Promise<ApplyOutcome> => {
    const { name, version, keepsOthers = false, signal } = request
    const unknownName = await missingFromIndex(tools, name)
    if (unknownName !== undefined) return unknownName
    const wanted = version === undefined ? name : `${name}=${version}`
    return aptGet(
      [
        'install',
        '-y',
        '-q',
        '-o',
        'DPkg::Options::=--force-confold',
        ...options,
        ...(keepsOthers ? ['--no-remove'] : []),
        '--',
        wanted,
      ],
      signal,
    )
  }
  return {
    install: (request) => install(request, []),
    downgrade: (request) => install(request, ['--allow-downgrades']),
    remove: (ids, signal) => aptGet(['remove', '-q', '-y', '--', ...ids], signal),
    purge: (ids, signal) => aptGet(['purge', '-q', '-y', '--', ...ids], signal),
  }
}

/** apt reads the end of a name it does not know as an order: `telnetd-` would remove telnetd. */
async function missingFromIndex(tools: Tools, name: string): Promise<ApplyOutcome | undefined> {
  const argv = ['apt-cache', ...LITERAL_NAMES, 'policy', '--', name] as const
  const answer = await tools.ask(argv, ANSWER_TIMEOUT_MS)
  if (answer.kind === 'unknown') return { kind: 'failed', message: answer.detail }
  if (parseAptPolicy(answer.value).length > 0) return undefined
  return { kind: 'failed', message: `the package index does not contain ${name}; run apt-get update to refresh it` }
}

/**
 * Parses the answer of `apt-cache policy` in the language C: a line with the name, and below it `Candidate:` with a version or
 * `(none)`. Names that are not in the index are missing from the answer.
 */
export function parseAptPolicy(text: string): readonly AptPolicy[] {
  const policies: AptPolicy[] = []
  let name: string | undefined
  for (const line of text.split('\n')) {
    const header = /^(\S.*):$/.exec(line)?.[1]
    if (header !== undefined) name = header
    const candidate = /^ {2}Candidate: (.+)$/.exec(line)?.[1]
    if (candidate === undefined || name === undefined) continue
    policies.push({ name, candidate: candidate === '(none)' ? undefined : candidate })
    name = undefined
  }
  return policies
}
