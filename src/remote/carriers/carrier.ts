/** The way to a place: one program of this machine that runs a command there, with its three streams. */
export interface Carrier {
  /** What messages call the place. */
  readonly name: string
  /** The command line of this machine that runs a command there; throws an `OperatorError` where there is no way. */
  readonly commandLine: (command: readonly [string, ...string[]]) => readonly [string, ...string[]]
  /** What its program's last words mean, where that can be told: the end of a sentence about the place. */
  readonly explain: (said: string) => string | undefined
}
