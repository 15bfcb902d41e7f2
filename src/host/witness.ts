import type { Account } from './command.ts'

/** The output of a program that dumps its own configuration. */
export interface Testimony {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** How a program is run. */
export interface Manner {
  /** The user that runs it; that of this process if undefined. */
  readonly user?: Account
  /**
   * Whether it runs in namespaces of its own, without a network, on a copy of all files that it may change: for a program
   * that leaves traces even if it only dumps its configuration. Needs root.
   */
  readonly sandboxed?: boolean
}

/** Runs system programs that dump their effective configuration, without side effects. */
export interface Witnesses {
  /**
   * The output of a program. Undefined if it is missing, if a user other than root and the running one can replace it,
   * if it cannot be run in this manner, or if it did not exit by itself. Cached by command line until `forget`.
   */
  ask(argv: readonly [program: string, ...args: string[]], manner?: Manner): Promise<Testimony | undefined>
  forget(): void
}
