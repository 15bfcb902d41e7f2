import type { Reading, Unknown } from '../../model/observation.ts'

/** Running process. Zombies are excluded. */
export interface Process {
  readonly pid: number
  readonly parentPid: number
  /** Kernel threads have no executable. */
  readonly isKernelThread: boolean
  /** Name in the kernel: the first 15 bytes of the program or script name, unless the process has changed it. */
  readonly command: string
  /** Arguments in process memory, which the process can overwrite; empty for kernel threads. */
  readonly arguments: readonly string[]
  /** Executable; `null` if missing. */
  readonly executable: Reading<Executable | null>
  readonly realUid: number
  readonly effectiveUid: number
  /** Unit of the system's service manager, such as `ssh.service`; `null` without a unit. */
  readonly unit: Reading<string | null>
  /** Start time in clock ticks since boot: with the pid it identifies a process. */
  readonly startTicks: number
}

export interface Executable {
  readonly path: string
  /** Whether the file was deleted or replaced after the process started. */
  readonly isDeleted: boolean
}

/** Snapshot of all processes, by pid. */
export interface ProcessList {
  readonly processes: readonly Process[]
  /** Why there may be hidden processes. An unlisted process is proved absent only if this is undefined. */
  readonly unseen?: Unknown
}

/** The processes of a target, read-only. */
export interface Processes {
  /** All processes. Cached until `forget`. */
  list(): Reading<ProcessList>
}
