import { parseRemote } from '../../remote/spec.ts'
import { targetOf } from '../options/target.ts'
import { offlineAs } from '../options/targets.ts'
import type { Io } from '../output/io.ts'
import { performScan } from './perform.ts'
import type { ScanRequest } from './request.ts'

/**
 * Scans the targets of the options, by default this machine, and returns the exit code. Throws an `OperatorError` for
 * errors that the operator can correct.
 */
export async function performOn(request: ScanRequest, io: Io): Promise<number> {
  const { options, targets } = request
  if (targets !== undefined) {
    const { performMany } = await import('./many.ts')
    return performMany({ ...request, targets }, io)
  }
  const [target] = options.target
  const remote = target === undefined ? undefined : parseRemote(target)
  if (target !== undefined && remote !== undefined) {
    const { atOnePlace } = await import('./one-place.ts')
    return performScan({ ...request, elsewhere: await atOnePlace(remote, target, { request, io }) }, io)
  }
  return performScan(
    target === undefined ? request : { ...request, target: offlineAs(await targetOf({ target }), options) },
    io,
  )
}
