import type { ApplyOutcome } from '../../model/decision.ts'
import type { Observation, Reading } from '../../model/observation.ts'
import type { StoredSysctl } from './sysctl-conf.ts'

/** The parameters of the kernel, read-only. Paths are below /proc/sys. */
export interface KernelParameters {
  /** What a parameter is now, without the end of its line. Absent only where the kernel is proved to lack the parameter. */
  read(path: string): Observation<string>
  /** The network interfaces that have settings of their own. */
  interfaces(family: 'ipv4' | 'ipv6'): Reading<readonly string[]>
  /** What sets parameters when the system starts. Read once, and again after `forget`. */
  stored(): Reading<StoredSysctl>
  forget(): void
}

/** What a fix may do to parameters of the kernel. */
export interface KernelParameterControl {
  /** Gives a parameter a value now, until the system starts again. What the kernel resets with it keeps its value. */
  set(path: string, value: string): Promise<ApplyOutcome>
}
