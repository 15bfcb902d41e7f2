import { SYSTEM_PATH } from '../../../host/live/system-programs.ts'

export interface AuditPlace {
  /** Prefix of every path; empty on this machine. */
  readonly root: string
  readonly searchPath: string
}

/** The machine that this process runs on. */
export const THIS_MACHINE: AuditPlace = { root: '', searchPath: SYSTEM_PATH }

/** The file that auditd loads when it starts. */
export const COMPILED_FILE = '/etc/audit/audit.rules'

/** The directory of sources for augenrules. */
export const SOURCES = '/etc/audit/rules.d'
