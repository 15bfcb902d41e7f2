import type { Reading, Unknown } from '../../model/observation.ts'

/** A process that runs. Zombies do not count. */
export interface Process {
  readonly pid: number
  readonly parentPid: number
  /** Whether it is a thread of the kernel itself, which has no program. */
  readonly isKernelThread: boolean
  /** What the kernel calls it: the first 15 bytes of the name of its program or script, or what it has called itself. */
  readonly command: string
  /** What it was started with, or what it has written over that; empty for threads of the kernel. */
  readonly arguments: readonly string[]
  /** The program that it runs; `null` if missing. */
  readonly executable: Reading<Executable | null>
  readonly realUid: number
  readonly effectiveUid: number
  /** The unit of the system's service manager that it belongs to, such as `ssh.service`; `null` where it belongs to none. */
  readonly unit: Reading<string | null>
  /** When it was started, in ticks of the kernel's clock since the system was: with the pid it tells processes apart. */
  readonly startTicks: number
}

/** The file that a process runs. */
export interface Executable {
  readonly path: string
  /** Whether it is no longer there, or another file by now: the process runs what was replaced or removed. */
  readonly isDeleted: boolean
}

/** All processes at one time, by their pids. */
export interface ProcessList {
  readonly processes: readonly Process[]
  /** Why there may be others that cannot be seen, where there may be. What is not listed is proved absent only without it. */
  readonly unseen?: Unknown
}

/** The processes of a target, read-only. */
export interface Processes {
  /** All of them. Read once, and again after `forget`. */
  list(): Reading<ProcessList>
}
