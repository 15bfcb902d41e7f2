import type { Account } from './command.ts'

/** The output of a program that dumps its own configuration. */
export interface Testimony {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs system programs that dump their effective configuration, without side effects. */
export interface Witnesses {
  /**
   * The output of a program. Undefined if it is missing, if a user other than root and the running one can replace it,
   * if this process cannot run it as `user`, or if it did not exit by itself. Cached by command line until `forget`.
   */
  ask(argv: readonly [program: string, ...args: string[]], user?: Account): Promise<Testimony | undefined>
  forget(): void
}
