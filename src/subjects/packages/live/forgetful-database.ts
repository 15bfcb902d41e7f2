import type { PackageDatabase } from '../packages.ts'
import type { Candidates } from './candidates.ts'

/** A database that keeps what it has read until it is told to look again. */
export interface ForgetfulDatabase extends PackageDatabase {
  forget(): void
}

export interface DatabaseParts {
  readonly installed: Pick<PackageDatabase, 'exists' | 'find'> & { forget(): void }
  readonly candidates: Candidates
  /** Looks for the program that changes packages. */
  readonly findManager: () => string | undefined
  readonly transaction: PackageDatabase['transaction']
}

/** Joins the parts; whether they are there at all is looked up once, not for every resource. */
export function joinDatabase({ installed, candidates, findManager, transaction }: DatabaseParts): ForgetfulDatabase {
  let exists: boolean | undefined
  let manager: { readonly path: string | undefined } | undefined
  return {
    exists: () => (exists ??= installed.exists()),
    manager: () => (manager ??= { path: findManager() }).path,
    find: (name) => installed.find(name),
    expect: (names) => candidates.expect(names),
    candidate: (name) => candidates.of(name),
    isNamed: (name) => candidates.isExpected(name),
    transaction,
    forget() {
      exists = undefined
      manager = undefined
      installed.forget()
      candidates.forget()
    },
  }
}
