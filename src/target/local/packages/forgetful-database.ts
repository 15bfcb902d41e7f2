import type { PackageDatabase } from '../../packages.ts'

/** A database that keeps what it has read until it is told to look again. */
export interface ForgetfulDatabase extends PackageDatabase {
  forget(): void
}
