import type { ApplyOutcome } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'
import type { LeadingSpace, RulesFile } from './rules/augenrules.ts'
import type { AuditLayer, Resolved } from './rules/layers.ts'
import type { AuditRule } from './rules/rule.ts'
import type { Syscalls } from './rules/syscalls.ts'

/** What the kernel was told since it started. */
export interface LoadedAudit {
  readonly layer: AuditLayer
  /** 0 where it records nothing, 2 where nothing can be changed before the next start. */
  readonly enabled: number
}

/** What the next start loads. */
export interface StoredAudit {
  readonly layer: AuditLayer
  /** The files of rules.d in the order in which augenrules reads them; absent where there is no such directory. */
  readonly files?: readonly RulesFile[]
  readonly leading: LeadingSpace
}

/** The audit rules of a machine in their three layers. */
export interface AuditState {
  /** Those of the kernel. */
  readonly loaded: Reading<LoadedAudit>
  /** /etc/audit/audit.rules. */
  readonly compiled: Reading<AuditLayer>
  /** /etc/audit/rules.d as augenrules would compile it; if absent, the compiled file. */
  readonly stored: Reading<StoredAudit>
  readonly syscalls: Syscalls
  /** What this machine makes of a rule. */
  readonly resolve: (rule: AuditRule) => Resolved
  /** Whether augenrules is installed. */
  readonly canCompile: boolean
}

/** The audit system of a target, read-only. */
export interface AuditSystem {
  /** All that is known; `rules` are those whose names of accounts have to be known as well. */
  state(rules: readonly AuditRule[], signal: AbortSignal): Promise<Reading<AuditState>>
}

/** What a fix does to audit rules. */
export interface AuditChange {
  /** Our own file of rules.d; left as it is where it is absent. */
  readonly file?: RulesFile
  /** Whether the kernel gets the rules, too, or only the compiled file. */
  readonly load: boolean
}

/** What a fix may do to audit rules. */
export interface AuditControl {
  /** Writes the file, compiles, and loads. Where the rules cannot be loaded, the file and what it replaced are put back. */
  change(change: AuditChange, signal: AbortSignal): Promise<ApplyOutcome>
}
