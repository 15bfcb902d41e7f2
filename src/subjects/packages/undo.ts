import { known, type Reading, unknown } from '../../model/observation.ts'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { PackageOperations } from './packages.ts'
import type { Target } from '../../host/target.ts'
import type { UndoHandler } from '../../host/undo-handler.ts'
import { PACKAGES } from './subject.ts'

/** What is installed: the name of each installation, as its manager takes it, with its version; empty where only its configuration is left. */
type PackagesState = Readonly<Record<string, string>>

const TIMEOUT_MS = 120_000

/** How each package manager lists what is installed: name, version, and state where there are others than installed. */
const LISTINGS = {
  apt: ['dpkg-query', '-W', '-f', '${binary:Package}\\t${Version}\\t${db:Status-Status}\\n'],
  dnf: ['rpm', '-qa', '--qf', '%{NAME}.%{ARCH}\\t%|EPOCH?{%{EPOCH}:}:{}|%{VERSION}-%{RELEASE}\\tinstalled\\n'],
} as const satisfies Record<string, readonly [string, ...string[]]>

/** Everything a package manager has installed. What came along with a package leaves with it, and the other way round. */
export const packages: UndoHandler<PackagesState> = {
  look: (target, name, signal) => listPackages(target, managerOf(name), signal),
  describe: (state) => `${Object.values(state).filter((version) => version !== '').length} packages`,
  // Packages that others have installed or removed since are not among those that the fix has changed.
  conflict({ before, after, now }) {
    const other = differingNames(before, after ?? now).filter((name) => now[name] !== (after ?? now)[name])
    return other.length === 0
      ? undefined
      : other
          .map((name) => `${name}: ${versionOf(now, name)} now, ${versionOf(after ?? now, name)} after the fix`)
          .join('; ')
  },
  merges: true,
  async putBack(name, { before, after, now }, { remediator, signal }) {
    const operations = remediator.open(PACKAGES)[managerOf(name)]
    const changed = differingNames(before, after ?? now).filter((each) => now[each] !== before[each])
    const wanted = changed.filter((each) => (before[each] ?? '') !== '')
    for (const each of wanted) {
      const outcome = await installVersion(
        operations,
        { name: each, version: before[each] ?? '', isThere: (now[each] ?? '') !== '' },
        signal,
      )
      if (outcome.kind === 'failed') return outcome
    }
    const [first, ...rest] = changed.filter((each) => (before[each] ?? '') === '')
    if (first === undefined) return { kind: 'done' }
    const ids = [first, ...rest] as const
    // What was not there at all leaves no configuration behind either.
    const isNew = ids.every((each) => before[each] === undefined)
    return isNew ? operations.purge([...ids], signal) : operations.remove([...ids], signal)
  },
}

interface Desired {
  readonly name: string
  readonly version: string
  readonly isThere: boolean
}

/** An older version than the one that is there is a downgrade, whichever of the two it is; both take it. */
function installVersion(
  operations: PackageOperations,
  { name, version, isThere }: Desired,
  signal: AbortSignal,
): Promise<ApplyOutcome> {
  return isThere ? operations.downgrade({ name, version, signal }) : operations.install({ name, version, signal })
}

function differingNames(left: PackagesState, right: PackagesState): readonly string[] {
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].filter((name) => left[name] !== right[name])
}

function versionOf(state: PackagesState, name: string): string {
  const version = state[name]
  return version === undefined ? 'not installed' : version === '' ? 'only configuration' : version
}

function managerOf(name: string): keyof typeof LISTINGS {
  return name === 'dnf' ? 'dnf' : 'apt'
}

async function listPackages(
  target: Target,
  manager: keyof typeof LISTINGS,
  signal: AbortSignal,
): Promise<Reading<PackagesState>> {
  const argv = LISTINGS[manager]
  const outcome = await target.run({
    argv,
    workingDirectory: '/',
    environment: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: 64 * 1024 * 1024,
    signal,
  })
  if (outcome.kind === 'not-started') return unknown('not-observable', outcome.message)
  if (outcome.kind !== 'exited' || outcome.exitCode !== 0) {
    return unknown('not-observable', `${argv[0]} did not list the packages: ${outcome.output.trim()}`)
  }
  const lines = outcome.stdout.split('\n').filter((line) => line !== '')
  return known(
    Object.fromEntries(
      lines.flatMap((line) => {
        const [name = '', version = '', state = ''] = line.split('\t')
        if (state === 'not-installed') return []
        return [[name, state === 'config-files' ? '' : version]]
      }),
    ),
  )
}
