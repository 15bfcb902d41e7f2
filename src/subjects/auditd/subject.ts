import type { ApplyOutcome } from '../../model/decision.ts'
import { known } from '../../model/observation.ts'
import { systemCommand, keptPaths } from '../../host/keeping.ts'
import { readingOf } from '../../host/live/machine-reading.ts'
import { needsRunningSystem, refusedAtRest } from '../../host/offline.ts'
import type { WritableSubject } from '../../host/remediator.ts'
import type { ReadableSubject } from '../../host/target.ts'
import type { AuditControl, AuditState, AuditSystem } from './auditd.ts'
import { openAudit, openAuditOf } from './live/audit.ts'
import { createAuditControl } from './live/control.ts'
import type { AuditLayer } from './rules/layers.ts'

const AUGENRULES = ['/usr/sbin/augenrules', '/sbin/augenrules']

/** The output of augenrules(8), and its previous output. */
const COMPILED = '/etc/audit/audit.rules'
const PREVIOUS = `${COMPILED}.prev`

/** Audit rules: in the kernel, as augenrules compiles them, and as auditctl 3.0 reads rules.d. */
export const AUDITD: ReadableSubject<AuditSystem> & WritableSubject<AuditControl> = {
  name: 'auditd',
  read: {
    live: ({ probe, names }) => openAudit({ probe, ...names }),
    atRest(host) {
      const files = readingOf(host.startFiles)
      return openAuditOf({
        probe: host.probe,
        userId: (name) => host.names.userId(name),
        groupId: (name) => host.names.groupId(name),
        files,
        kernel: async () => needsRunningSystem('the audit rules of the kernel'),
        canCompile: () => AUGENRULES.some((path) => files.stat(path).kind === 'present'),
      })
    },
    answering: (audit, { read }) => ({
      state: async (rules, signal) => read('audit', () => audit.state(rules, signal), NO_AUDIT),
    }),
  },
  write: {
    live: (journal) => createAuditControl(journal),
    atRest: () => ({ change: refusedAtRest('audit rules') }),
    keeping: (audit, { keep }) => ({
      change(change, signal) {
        const sources = change.file === undefined ? [] : [change.file.path]
        const work = (): Promise<ApplyOutcome> => audit.change(change, signal)
        return keep(
          { ...keptPaths([...sources, COMPILED, PREVIOUS]), again: systemCommand(['augenrules']), unlessBack: true },
          () => (change.load ? keep({ again: systemCommand(['auditctl', '-R', COMPILED]) }, work) : work()),
        )
      },
    }),
  },
}

const NO_RULES: AuditLayer = { entries: [], settings: new Map() }

/** A host without audit rules or rules files. */
export const NO_AUDIT: AuditState = {
  loaded: known({ layer: NO_RULES, enabled: 0 }),
  compiled: known(NO_RULES),
  stored: known({ layer: NO_RULES, leading: 'spaces' }),
  syscalls: { native: 'b64', numberOf: () => undefined, isForeign: () => false, isNew: () => false },
  resolve: (rule) => ({ kind: 'rule', rule }),
  canCompile: false,
}
