/** What the commands of a policy see of their surroundings, as in CCM; nothing of the user who runs the scan. */
export const POLICY_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/usr/local/sbin',
  LANG: 'C',
  LC_ALL: 'C',
}

/** A command to run: no shell, so every argument arrives as it is. */
export interface Command {
  /** A program without a slash is looked up in the PATH of the command's environment. */
  readonly argv: readonly [program: string, ...args: string[]]
  readonly workingDirectory: string
  /** All variables that the command sees; those of this process where it is absent. */
  readonly environment?: Readonly<Record<string, string>>
  /** After this time the command and everything it started is ended; unlimited where absent. */
  readonly timeoutMs?: number
  /** How much is kept of what it writes, each of the outputs for itself; 64 KiB where it is absent. */
  readonly maxOutputBytes?: number
  /** Whether it goes on to its own end when this process ends before it; otherwise all it started ends with us. */
  readonly outlivesUs?: boolean
  /** Aborting it ends the command as the timeout does. */
  readonly signal: AbortSignal
  /** Of a command that changes the machine: how that is reverted. Unknown where it is absent. */
  readonly undo?: CommandUndo
}

/** A command without what belongs to the process that runs it. */
export type StoredCommand = Pick<Command, 'argv' | 'workingDirectory' | 'environment' | 'timeoutMs'>

/** How what a command changes is taken back. */
export type CommandUndo =
  /**
   * It only makes effective what lies in files, so it, or this one, runs again once they are put back. One that makes files of files says
   * at which paths it `writes`, and runs again only where these could not be put back themselves.
   */
  | { readonly kind: 'again'; readonly command: StoredCommand; readonly writes?: readonly string[] }
  /** By another command. */
  | { readonly kind: 'command'; readonly command: StoredCommand }
  /** It changes nothing but what is at these paths. */
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'impossible'; readonly reason: string }

/**
 * What a command wrote, decoded as UTF-8. Of a lot only the beginning and the end are there, with a line between them
 * that says how many bytes were left out.
 */
export interface CommandOutput {
  readonly stdout: string
  readonly stderr: string
  /** Both, in the order in which they arrived. */
  readonly output: string
}

/** How a command ended. Any exit code is a value. */
export type CommandOutcome =
  | ({ readonly kind: 'exited'; readonly exitCode: number } & CommandOutput)
  /** It was ended by a signal: for its timeout, because the run was interrupted, or one that came from elsewhere. */
  | ({
      readonly kind: 'killed'
      readonly cause: 'timeout' | 'interruption' | 'signal'
      readonly reason: string
    } & CommandOutput)
  | {
      readonly kind: 'not-started'
      readonly message: string
      /** Set where nothing is run because what is looked at does not run, as in an `Unknown`. */
      readonly needs?: 'running-system'
    }
