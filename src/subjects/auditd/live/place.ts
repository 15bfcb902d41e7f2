import { SYSTEM_PATH } from '../../../host/live/system-programs.ts'

/** The machine whose audit rules are meant. */
export interface AuditPlace {
  /** What stands before every path; nothing on this machine. */
  readonly root: string
  /** Where auditctl and augenrules are looked for. */
  readonly searchPath: string
}

/** The machine that this process runs on. */
export const THIS_MACHINE: AuditPlace = { root: '', searchPath: SYSTEM_PATH }

/** What auditd loads when it starts. */
export const COMPILED_FILE = '/etc/audit/audit.rules'

/** What augenrules makes it of. */
export const SOURCES = '/etc/audit/rules.d'
