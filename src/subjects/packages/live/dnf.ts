import { join } from 'node:path'
import type { ApplyOutcome } from '../../../model/decision.ts'
import { known, type Reading, unknown } from '../../../model/observation.ts'
import { compareRpmVersions } from '../../../model/versions/rpm.ts'
import type { PackageOperations, PackageRequest } from '../packages.ts'
import { listNames } from '../../../host/live/list-directory.ts'
import { errorCode } from '../../../host/live/system-error.ts'
import { createCandidates, newestChange, type Versions } from './candidates.ts'
import { type ForgetfulDatabase, joinDatabase } from './forgetful-database.ts'
import type { Operate } from './operate.ts'
import { openRpmDatabase, type RpmOptions } from './rpm-database.ts'
import { askTransaction, parseDnfTable } from './transaction.ts'
import { endOf, openTools, type ToolOptions, type Tools } from './tools.ts'

/** Where dnf and rpm keep what they know, and how they are run. */
export interface DnfOptions extends ToolOptions, RpmOptions {
  /** Where dnf keeps the lists of its repositories, one directory each. */
  readonly cacheDirectories?: readonly string[]
  /** What dnf is told before everything else. */
  readonly dnfArguments?: readonly string[]
}

const CACHE_DIRECTORIES = ['/var/cache/libdnf5', '/var/cache/dnf']

const ANSWER_TIMEOUT_MS = 300_000

// dnf and its successor both turn the escapes into characters; only the successor needs the line feed.
const QUERY_FORMAT = '%{name}\\t%{epoch}\\t%{version}\\t%{release}\\t%{arch}\\n'

/** What dnf exits with when another one is at work and it may not wait. */
const LOCKED_EXIT_CODE = 200

/** The packages that dnf and rpm manage. */
export function openDnfDatabase(options: DnfOptions = {}): ForgetfulDatabase {
  const { cacheDirectories = CACHE_DIRECTORIES, dnfArguments = [] } = options
  const tools = openTools(options)
  const database = openRpmDatabase(tools, options)
  const candidates = createCandidates(
    (names) => askRepositories(tools, dnfArguments, names),
    () => newestChange(cacheDirectories.flatMap(repositories)),
  )
  return joinDatabase({
    installed: database,
    candidates,
    findManager: () => tools.find('dnf'),
    async transaction(order) {
      const spec = order.kind === 'remove' ? [...new Set(order.ids)] : [packageSpec(order)]
      // With the lists that are there; it ends with 1 once it was not to go on.
      const options = ['-C', '--assumeno', '--setopt=exit_on_lock=True'] as const
      const argv = ['dnf', ...dnfArguments, ...options, order.kind, ...spec] as const
      const answer = await askTransaction(tools, argv, [0, 1])
      if (answer.kind === 'unknown') return answer
      const changes = parseDnfTable(answer.value)
      if (changes.length > 0) return known(changes)
      return unknown('not-observable', `dnf does not say what it would do${endOf(answer.value)}`)
    },
  })
}

function repositories(directory: string): readonly string[] {
  try {
    return listNames(directory).map((name) => join(directory, name, 'repodata'))
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return []
  }
}

/** Asks the lists that are there; nothing is fetched from the network. */
async function askRepositories(
  tools: Tools,
  dnfArguments: readonly string[],
  names: readonly string[],
): Promise<Reading<Versions>> {
  const specs = names.map((name) => name.replace(':', '.'))
  const query = ['repoquery', '--latest-limit=1', '--queryformat', QUERY_FORMAT, ...specs]
  const answer = await tools.ask(['dnf', ...dnfArguments, '-q', '-C', ...query], ANSWER_TIMEOUT_MS)
  return answer.kind === 'unknown' ? answer : parseCandidates(answer.value, names)
}

/** The newest version of each name, of any architecture unless the name says it. */
function parseCandidates(text: string, names: readonly string[]): Reading<Versions> {
  const newest = new Map<string, string>()
  const offer = (name: string, version: string): void => {
    const other = newest.get(name)
    if (other === undefined || compareRpmVersions(other, version) < 0) newest.set(name, version)
  }
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [name, epoch, version, release, architecture, ...rest] = line.split('\t')
    if (!name || !epoch || !version || !release || !architecture || rest.length > 0) {
      return unknown('not-observable', `dnf: ${JSON.stringify(line)} does not describe a package`)
    }
    const full = `${epoch === '0' ? '' : `${epoch}:`}${version}-${release}`
    offer(name, full)
    offer(`${name}.${architecture}`, full)
  }
  return known(
    new Map(
      names.flatMap((name) => {
        const version = newest.get(name.replace(':', '.'))
        return version === undefined ? [] : [[name, version]]
      }),
    ),
  )
}

/** What a fix may do with dnf. */
export function createDnfOperations(options: DnfOptions, operate: Operate): PackageOperations {
  const tools = openTools(options)
  const { dnfArguments = [] } = options
  const dnf = (args: readonly string[], signal: AbortSignal): Promise<ApplyOutcome> =>
    operate(tools, {
      argv: ['dnf', ...dnfArguments, '--setopt=exit_on_lock=True', ...args],
      signal,
      isLocked: ({ exitCode }) => exitCode === LOCKED_EXIT_CODE,
    })
  return {
    install: (request) => dnf(['install', '-y', packageSpec(request)], request.signal),
    downgrade: (request) => dnf(['downgrade', '-y', packageSpec(request)], request.signal),
    remove: (ids, signal) => dnf(['remove', '-y', ...new Set(ids)], signal),
    purge: (ids, signal) => dnf(['remove', '-y', ...new Set(ids)], signal),
  }
}

/** A package as dnf names it: `name[-[epoch:]version[-release]][.architecture]`. */
function packageSpec({ name, version }: Pick<PackageRequest, 'name' | 'version'>): string {
  const [base = '', architecture] = name.split(':')
  if (version === undefined) return name.replace(':', '.')
  if (architecture === undefined) return `${base}-${version}`
  // Before an architecture dnf wants to see a release.
  return `${base}-${version}${version.includes('-') ? '' : '-*'}.${architecture}`
}
