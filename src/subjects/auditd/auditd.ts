import type { ApplyOutcome } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'
import type { LeadingSpace, RulesFile } from './rules/augenrules.ts'
import type { AuditLayer, Resolved } from './rules/layers.ts'
import type { AuditRule } from './rules/rule.ts'
import type { Syscalls } from './rules/syscalls.ts'

/** The rules and settings in the running kernel. */
export interface LoadedAudit {
  readonly layer: AuditLayer
  /** 0: disabled; 2: locked until the next boot. */
  readonly enabled: number
}

/** The rules that the next boot loads. */
export interface StoredAudit {
  readonly layer: AuditLayer
  /** The files of rules.d in the load order of augenrules; absent without the directory. */
  readonly files?: readonly RulesFile[]
  readonly leading: LeadingSpace
}

export interface AuditState {
  readonly loaded: Reading<LoadedAudit>
  /** /etc/audit/audit.rules. */
  readonly compiled: Reading<AuditLayer>
  /** /etc/audit/rules.d as augenrules would compile it; if absent, the compiled file. */
  readonly stored: Reading<StoredAudit>
  readonly syscalls: Syscalls
  /** Resolves account names and paths of a rule on this host. */
  readonly resolve: (rule: AuditRule) => Resolved
  /** Whether augenrules is installed. */
  readonly canCompile: boolean
}

/** The audit system of a target, read-only. */
export interface AuditSystem {
  /** Reads all layers. `rules` lists the rules whose account names `resolve` must know. */
  state(rules: readonly AuditRule[], signal: AbortSignal): Promise<Reading<AuditState>>
}

export interface AuditChange {
  /** The drop-in of driftgate in rules.d; absent if it stays unchanged. */
  readonly file?: RulesFile
  /** Whether to load the rules into the kernel, or only to compile them. */
  readonly load: boolean
}

export interface AuditControl {
  /** Writes the drop-in, compiles and loads the rules. If loading fails, the previous files are restored. */
  change(change: AuditChange, signal: AbortSignal): Promise<ApplyOutcome>
}
