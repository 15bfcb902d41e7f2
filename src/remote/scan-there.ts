import { defined } from '../model/defined.ts'
import type { Run } from '../model/run.ts'
import { checkReport } from '../report/stored/read-report.ts'
import type { RemoteJob } from './job.ts'
import { type RemoteResult, runJob } from './run-job.ts'
import { createListener, type RemoteWatch } from './listener.ts'
import type { RemoteSpec } from './spec.ts'

export type { RemoteWatch } from './listener.ts'

/**
 * Scans a remote target and returns its complete run. Passes events to `watch`, whose signal interrupts the remote scan
 * in an orderly way. Remote messages are validated, and a scan without a final message is discarded. Throws an
 * `OperatorError` as `runJob` does.
 */
export function scanThere(spec: RemoteSpec, job: RemoteJob, watch: RemoteWatch): Promise<RemoteResult<Run>> {
  const place = { kind: spec.kind, ...defined({ name: job.payload.order.name }) }
  const listener = createListener(place, watch)
  return runJob(spec, job, {
    signal: watch.signal,
    async hear(line) {
      const run = await listener.hear(line)
      if (run === undefined) return undefined
      const checked = await checkReport(run, 'that it makes')
      return { ...checked, target: { ...checked.target, ...place } }
    },
  })
}
