import { hash } from 'node:crypto'
import { assignmentsOf } from '../../data/assignment.ts'
import { EXIT, summarize } from '../../core/gate.ts'
import type { ErrorReason } from '../../core/observation.ts'
import { OperatorError } from '../../core/operator-error.ts'
import type { ResourceResult, Run, RunMode } from '../../core/run.ts'
import { notPerformed } from '../../engine/run.ts'
import { parseRemote, type RemoteSpec } from '../../remote/spec.ts'
import { type ChosenTarget, openTarget } from '../options/target.ts'
import { offlineAs } from '../options/targets.ts'
import type { Io } from '../output/io.ts'
import type { ScanRequest } from './request.ts'
import { type Means, scanHere } from './scan-here.ts'

interface Why {
  readonly reason: ErrorReason
  readonly message: string
}

/** What became of a look at a target; `not-seen` says why nobody looked at it. */
export type Look = { readonly kind: 'performed'; readonly run: Run } | ({ readonly kind: 'not-seen' } & Why)

/** Looks at one of several targets. Nothing that is wrong with it keeps the others from being looked at. */
export async function lookAt(
  { spec, name, data }: ChosenTarget,
  request: ScanRequest,
  { means, io }: { readonly means: Means; readonly io: Io },
): Promise<Look> {
  const remote = parseRemote(spec.text)
  if (remote !== undefined) return lookThere(remote, { ...request, data }, { means, io })
  const opened = await openTarget(spec)
  if (opened.kind === 'refused') return { kind: 'not-seen', reason: 'unreachable', message: opened.message }
  const target = offlineAs(opened.target, request.options)
  try {
    return { kind: 'performed', run: await scanHere({ ...request, target, name, data }, means, io) }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const { problems, message } = error
    const all = problems.length > 0 ? problems : [{ message, severity: 'error' } as const]
    return { kind: 'performed', run: notPerformed(target, request.options.fix ? 'fix' : 'audit', all) }
  }
}

/** Whatever keeps driftgate from getting there, or from being heard, is trouble with the place. */
async function lookThere(
  remote: RemoteSpec,
  request: ScanRequest,
  { means, io }: { readonly means: Means; readonly io: Io },
): Promise<Look> {
  const { options, data = [] } = request
  const { elsewhere } = await import('./elsewhere.ts')
  try {
    const alone = { ...request, options: { ...options, target: [], set: [...assignmentsOf(data), ...options.set] } }
    const perform = await elsewhere(remote, { request: alone, carry: options, io })
    return { kind: 'performed', run: await perform(means.watch) }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { kind: 'not-seen', reason: 'unreachable', message: error.message }
  }
}

/** The run of a look: of a target that nobody has seen, or for which nothing could be evaluated, it says so in a result of its own. */
export function runOfLook(look: Look, target: ChosenTarget, mode: RunMode): Run {
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
 * What a history keeps of a look. Nothing is known of a target that nobody has seen, as after any scan that was not performed:
 * what was found before is neither confirmed nor over.
 */
export function runToKeep(look: Look, target: ChosenTarget, run: Run): Run {
  if (look.kind === 'performed') return run
  return notPerformed(scannedOf(target), run.run.mode, [{ message: look.message, severity: 'error' }])
}

/** What a report can say of a target that could not even be asked for its name. */
function scannedOf({ spec, name }: ChosenTarget): Parameters<typeof notPerformed>[0] {
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
    // Nobody knows anything of it.
    severity: 'critical',
    controls: [],
    source: position,
    durationMs: 0,
  }
}
