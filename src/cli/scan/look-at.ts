import { OperatorError } from '../../model/operator-error.ts'
import { notPerformed } from '../../engine/run.ts'
import type { RemoteJob } from '../../remote/job.ts'
import { parseRemote, type RemoteSpec } from '../../remote/spec.ts'
import { type ChosenTarget, openSpec } from '../options/target.ts'
import { offlineAs } from '../options/targets.ts'
import type { Io } from '../output/io.ts'
import type { TargetScan } from './look.ts'
import type { ScanRequest } from './request.ts'
import { type Means, scanHere } from './scan-here.ts'

interface Looking {
  readonly means: Means
  /** Job for remote targets; absent without any. */
  readonly job: RemoteJob | undefined
  readonly io: Io
}

/** Scans one of several targets. Its errors do not affect the others. */
export async function scanTarget(target: ChosenTarget, request: ScanRequest, looking: Looking): Promise<TargetScan> {
  if (target.refused !== undefined) return { kind: 'not-seen', reason: 'unreachable', message: target.refused }
  const remote = parseRemote(target.spec.text)
  return remote === undefined ? lookFromHere(target, request, looking) : lookFar(remote, target, request, looking)
}

async function lookFromHere(
  { spec, name, data }: ChosenTarget,
  request: ScanRequest,
  { means, io }: Looking,
): Promise<TargetScan> {
  const opened = await openSpec(spec)
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

/** Among several targets, an unreachable connection program counts as an unreachable target. */
async function lookFar(
  remote: RemoteSpec,
  target: ChosenTarget,
  { options }: ScanRequest,
  { means: { watch }, job, io }: Looking,
): Promise<TargetScan> {
  if (job === undefined) throw new Error('missing payload for a remote target')
  const { scanRemote } = await import('./elsewhere.ts')
  try {
    return await scanRemote(remote, target, { job, options, watch, io })
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { kind: 'not-seen', reason: 'unreachable', message: error.message }
  }
}
