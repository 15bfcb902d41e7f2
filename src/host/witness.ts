/** What a program said when it was asked for its own configuration. */
export interface Testimony {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Programs of the system that say what they make of their configuration, and leave no trace of having been asked. */
export interface Witnesses {
  /**
   * What a program prints. Undefined where there is no such program, a user other than root and the running one can replace it, or it did not end
   * by itself. Asked once for the same words until `forget`.
   */
  ask(argv: readonly [program: string, ...args: string[]]): Promise<Testimony | undefined>
  forget(): void
}
