/** Environment of the commands of a policy, as in CCM; independent of the user who runs the scan. */
export const POLICY_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/usr/local/sbin',
  LANG: 'C',
  LC_ALL: 'C',
}

/** A user by number, with the primary group. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

/** A command to run without a shell, so arguments are passed unchanged. */
export interface Command {
  /** A program without a slash is looked up in the PATH of the command's environment. */
  readonly argv: readonly [program: string, ...args: string[]]
  readonly workingDirectory: string
  /** The user that runs it, without supplementary groups; that of this process if undefined. */
  readonly user?: Account
  /** The whole environment; that of this process if undefined. */
  readonly environment?: Readonly<Record<string, string>>
  /** Timeout after which the command and its descendants are killed; unlimited if undefined. */
  readonly timeoutMs?: number
  /** Maximum number of bytes kept of each output; 64 KiB if undefined. */
  readonly maxOutputBytes?: number
  /** Whether the command continues if this process ends; otherwise its whole process tree is killed. */
  readonly outlivesUs?: boolean
  /** Aborting it kills the command as the timeout does. */
  readonly signal: AbortSignal
  /** How the change of a command is reverted; unknown if undefined. */
  readonly undo?: CommandUndo
}

/** A command without the parts that depend on this process. */
export type StoredCommand = Pick<Command, 'argv' | 'workingDirectory' | 'environment' | 'timeoutMs'>

/** How the change of a command is reverted. */
export type CommandUndo =
  /**
   * The command only applies file contents, so it (or `command`) runs again after the files are restored. A command
   * that generates files lists their paths in `writes`, and runs again only if these could not be restored.
   */
  | { readonly kind: 'again'; readonly command: StoredCommand; readonly writes?: readonly string[] }
  /** Another command reverts it. */
  | { readonly kind: 'command'; readonly command: StoredCommand }
  /** Only the files at these paths change. */
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'impossible'; readonly reason: string }

/** The output of a command, decoded as UTF-8. Long output is cut in the middle, with a line that counts the omitted bytes. */
export interface CommandOutput {
  readonly stdout: string
  readonly stderr: string
  /** Both streams, in order of arrival. */
  readonly output: string
}

/** How a command ended. Any exit code is a value. */
export type CommandOutcome =
  | ({ readonly kind: 'exited'; readonly exitCode: number } & CommandOutput)
  /** Killed by a signal: because of its timeout, an interruption of the run, or an external signal. */
  | ({
      readonly kind: 'killed'
      readonly cause: 'timeout' | 'interruption' | 'signal'
      readonly reason: string
    } & CommandOutput)
  | {
      readonly kind: 'not-started'
      readonly message: string
      /** Set if the command cannot run because the target is not a running system, as in an `Unknown`. */
      readonly needs?: 'running-system'
    }
