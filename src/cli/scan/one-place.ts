import type { RunStart } from '../../model/run.ts'
import type { RemoteSpec } from '../../remote/spec.ts'
import { namedTarget } from '../options/targets.ts'
import type { Io } from '../output/io.ts'
import { scanRemote, scanJob } from './elsewhere.ts'
import { runOfLook, runToKeep, scannedOf } from './look.ts'
import type { Elsewhere, ScanRequest } from './request.ts'

/**
 * Prepares the scan of a single remote target. If it is unreachable, the run has a result for it, as among several
 * targets. Throws an `OperatorError` if something cannot be sent.
 */
export async function atOnePlace(
  spec: RemoteSpec,
  text: string,
  { request, io }: { readonly request: ScanRequest; readonly io: Io },
): Promise<Elsewhere> {
  const target = namedTarget(text)
  const { options } = request
  const job = await scanJob(request, io)
  return {
    scanned: scannedOf(target),
    async perform(watch) {
      let started: RunStart | undefined
      const onStart = (start: RunStart): Promise<void> | void => {
        started = start
        return watch.onStart?.(start)
      }
      const look = await scanRemote(spec, target, { job, options, watch: { ...watch, onStart }, io })
      if (look.kind === 'performed') return { run: look.run }
      const run = runOfLook(look, target, options.fix ? 'fix' : 'audit')
      // If the connection was lost midway, live reports have already started.
      if (started === undefined) await watch.onStart?.(run)
      for (const { id, resources } of run.policies) for (const result of resources) await watch.onResult?.(id, result)
      return { run, kept: runToKeep(look, target, run) }
    },
  }
}
