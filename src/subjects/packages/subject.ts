import type { Keeper } from '../../host/keeping.ts'
import { needsRunningSystem, refusedAtRest } from '../../host/offline.ts'
import type { WritableSubject } from '../../host/remediator.ts'
import type { Answers, ReadableSubject } from '../../host/target.ts'
import { type AptOptions, createAptOperations, openAptDatabase } from './live/apt.ts'
import { createDnfOperations, type DnfOptions, openDnfDatabase } from './live/dnf.ts'
import { openDpkgDatabase } from './live/dpkg-database.ts'
import { createOperator, type Patience } from './live/operate.ts'
import { openRpmFiles } from './live/rpm-files.ts'
import type { PackageDatabase, PackageDatabases, PackageManagers, PackageOperations } from './packages.ts'

/** Where package managers keep their databases, if not in the usual places. */
export interface PackagePlaces {
  readonly apt?: AptOptions
  readonly dnf?: DnfOptions
}

export const PACKAGES: ReadableSubject<PackageDatabases> & WritableSubject<PackageManagers> = {
  name: 'packages',
  read: {
    live: () => openPackages(),
    atRest({ bulkFiles, probe }) {
      const dpkg = openDpkgDatabase('/var/lib/dpkg', bulkFiles)
      const rpm = openRpmFiles(bulkFiles, probe.machine)
      return withForget({ apt: packagesAtRest(dpkg), dnf: packagesAtRest(rpm) }, [dpkg, rpm])
    },
    answering: ({ apt, dnf }, answers) => ({ apt: withAnswers(apt, answers), dnf: withAnswers(dnf, answers) }),
  },
  write: {
    live: (_journal, { onWait }) => createPackageManagers({}, onWait === undefined ? {} : { onWait }),
    atRest: () => ({ apt: REFUSED, dnf: REFUSED }),
    keeping: ({ apt, dnf }, keeper) => ({ apt: withUndo('apt', apt, keeper), dnf: withUndo('dnf', dnf, keeper) }),
  },
}

export function openPackages(places: PackagePlaces = {}): PackageDatabases {
  const apt = openAptDatabase(places.apt)
  const dnf = openDnfDatabase(places.dnf)
  return withForget({ apt, dnf }, [apt, dnf])
}

/** The package managers of this machine, of which no two change packages at the same time. */
export function createPackageManagers({ apt = {}, dnf = {} }: PackagePlaces, patience: Patience): PackageManagers {
  const operate = createOperator(patience)
  return { apt: createAptOperations(apt, operate), dnf: createDnfOperations(dnf, operate) }
}

function withForget(
  databases: PackageDatabases,
  readers: readonly { forget(): void }[],
): PackageDatabases & { forget(): void } {
  return {
    ...databases,
    forget() {
      for (const reader of readers) reader.forget()
    },
  }
}

/** Which packages could be installed is nothing that files of the system tell for sure. */
function packagesAtRest(database: Pick<PackageDatabase, 'exists' | 'find'>): PackageDatabase {
  return {
    exists: () => database.exists(),
    find: (name) => database.find(name),
    manager: () => undefined,
    expect: () => undefined,
    candidate: async () => needsRunningSystem('the available packages'),
    isNamed: () => false,
    transaction: async () => needsRunningSystem('the changes by the package manager'),
  }
}

function withAnswers(database: PackageDatabase, { read }: Answers): PackageDatabase {
  return {
    exists: () => database.exists(),
    manager: () => database.manager(),
    expect: (names) => database.expect(names),
    find: (wanted) => read('packages', () => database.find(wanted), []),
    isNamed: (name) => database.isNamed(name),
    transaction: async (order) => read('packages', () => database.transaction(order), []),
    candidate: async (wanted) =>
      read('packages', () => database.candidate(wanted), { version: null, indexUpdated: undefined }),
  }
}

const REFUSED: PackageOperations = {
  install: refusedAtRest('packages'),
  downgrade: refusedAtRest('packages'),
  remove: refusedAtRest('packages'),
  purge: refusedAtRest('packages'),
}

function withUndo(name: keyof PackageManagers, operations: PackageOperations, { keep }: Keeper): PackageOperations {
  const all = { things: [{ kind: 'packages', name }] }
  return {
    install: (request) => keep(all, () => operations.install(request)),
    downgrade: (request) => keep(all, () => operations.downgrade(request)),
    remove: (ids, signal) => keep(all, () => operations.remove(ids, signal)),
    purge: (ids, signal) => keep(all, () => operations.purge(ids, signal)),
  }
}
