/** Connection to a target: a local program that runs a remote command with its three streams. */
export interface Carrier {
  /** Target name for messages. */
  readonly name: string
  /** Local command line that runs the remote command. Throws an `OperatorError` if the program is missing. */
  readonly commandLine: (command: readonly [string, ...string[]]) => readonly [string, ...string[]]
  /** Explains the last output of the program, if known, as the end of a sentence about the target. */
  readonly explain: (said: string) => string | undefined
}
