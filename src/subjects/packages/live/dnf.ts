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

/** Data and programs of dnf and rpm. */
export interface DnfOptions extends ToolOptions, RpmOptions {
  /** Directories of the repository metadata, one subdirectory per repository. */
  readonly cacheDirectories?: readonly string[]
  /** Arguments before all others. */
  readonly dnfArguments?: readonly string[]
}

const CACHE_DIRECTORIES = ['/var/cache/libdnf5', '/var/cache/dnf']

const ANSWER_TIMEOUT_MS = 300_000

// dnf and its successor both turn the escapes into characters; only the successor needs the line feed.
const QUERY_FORMAT = '%{name}\\t%{epoch}\\t%{version}\\t%{release}\\t%{arch}\\n'

/** Exit status of dnf if another instance is running and it may not wait. */
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
      // Uses the cached metadata; exits with 1 because of --assumeno.
      const options = ['-C', '--assumeno', '--setopt=exit_on_lock=True'] as const
      const argv = ['dnf', ...dnfArguments, ...options, order.kind, ...spec] as const
      const answer = await askTransaction(tools, argv, [0, 1])
      if (answer.kind === 'unknown') return answer
      const changes = parseDnfTable(answer.value)
      if (changes.length > 0) return known(changes)
      return unknown('not-observable', `dnf lists no changes${endOf(answer.value)}`)
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

/** Queries the cached metadata, without network access. */
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

/** The newest version of each name, of any architecture unless the name has one. */
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

/** Package spec for dnf: `name[-[epoch:]version[-release]][.architecture]`. */
function packageSpec({ name, version }: Pick<PackageRequest, 'name' | 'version'>): string {
  const [base = '', architecture] = name.split(':')
  if (version === undefined) return name.replace(':', '.')
  if (architecture === undefined) return `${base}-${version}`
  // dnf requires a release before an architecture.
  return `${base}-${version}${version.includes('-') ? '' : '-*'}.${architecture}`
}
