import { hash } from 'node:crypto'
import { EXIT, summarize } from '../../model/gate.ts'
import type { ErrorReason } from '../../model/observation.ts'
import type { ResourceResult, Run, RunMode } from '../../model/run.ts'
import { notPerformed, type Scanned } from '../../engine/run.ts'
import type { ChosenTarget } from '../options/target.ts'

interface Why {
  readonly reason: ErrorReason
  readonly message: string
}

/** Result for a target; `not-seen` tells why it was not scanned. */
export type TargetScan = { readonly kind: 'performed'; readonly run: Run } | ({ readonly kind: 'not-seen' } & Why)

/** Run of a target; if it was not scanned or nothing could be evaluated, a result of its own says so. */
export function runOfLook(look: TargetScan, target: ChosenTarget, mode: RunMode): Run {
  if (look.kind === 'performed' && look.run.policies.length > 0) return look.run
  const frame = look.kind === 'performed' ? look.run : notPerformed(scannedOf(target), mode, [])
  const why = look.kind === 'performed' ? { reason: 'invalid' as const, message: frame.exit.reasons.join('; ') } : look
  const { reason, message } = why
  const result = resultOf(target, why)
  const sha256 = hash('sha256', target.spec.text, 'hex')
  const policy = { id: 'target', source: target.position.file, sha256, resources: [result], controls: [] }
  const found = { ...frame, policies: [policy], summary: summarize([result]) }
  if (look.kind === 'performed') return found
  const { problems: _none, ...rest } = found
  return { ...rest, exit: { code: EXIT.undecided, reasons: [`${reason}: ${message}`] } }
}

/**
 * Run to store in the history. For a target that was not scanned, it is a run that was not performed, which neither
 * confirms nor resolves earlier findings.
 */
export function runToKeep(look: TargetScan, target: ChosenTarget, run: Run): Run {
  if (look.kind === 'performed') return run
  return notPerformed(scannedOf(target), run.run.mode, [{ message: look.message, severity: 'error' }])
}

/** Report data of a target that could not be reached. */
export function scannedOf({ spec, name }: Pick<ChosenTarget, 'spec' | 'name'>): Scanned {
  return { kind: spec.kind, system: { hostname: name, os: { id: '', version: '' } } }
}

function resultOf({ position }: ChosenTarget, { reason, message }: Why): ResourceResult {
  return {
    id: 'target#scan',
    type: 'target',
    name: 'scan',
    verdict: 'error',
    drift: [],
    actions: [],
    reason,
    errors: [message],
    message,
    // Its state is unknown.
    severity: 'critical',
    controls: [],
    source: position,
    durationMs: 0,
  }
}
