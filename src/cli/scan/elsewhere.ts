import { scan } from '../../engine/local.ts'
import type { RemoteJob } from '../../remote/job.ts'
import { scanThere } from '../../remote/scan-there.ts'
import type { RemoteSpec } from '../../remote/spec.ts'
import { openOutputFile } from '../../host/live/output-file.ts'
import { escapeForTerminal } from '../../model/escape.ts'
import { jobOf, jobTo, type Place, sayingAll, throughWay } from '../remote-job.ts'
import { usageError } from '../errors.ts'
import { limitsOf } from '../options/input.ts'
import type { Io } from '../output/io.ts'
import type { TargetScan } from './look.ts'
import type { ScanRequest } from './request.ts'
import type { Watch } from './watch.ts'

/** The job that driftgate sends to all targets of a scan. Throws an `OperatorError` if something cannot be sent. */
export function scanJob(
  { sources, options, texts, isUntrusted }: ScanRequest,
  { stdin, say }: Pick<Io, 'stdin' | 'say'>,
): Promise<RemoteJob> {
  if (options.ask) throw usageError('--ask works on the local host only: use --only, --fix-severity or --plan', 'scan')
  const memory = isUntrusted ? limitsOf(sources, options)?.memoryMib : undefined
  return jobOf({
    command: 'scan',
    policies: sources,
    words: [],
    options,
    texts,
    memoryMib: memory,
    stdin,
    say: options.quiet ? () => undefined : say,
  })
}

interface Means {
  readonly job: RemoteJob
  readonly options: ScanRequest['options']
  readonly watch: Watch
  readonly io: Io
}

/** Scans a remote target. Throws an `OperatorError` for local errors. */
export async function scanRemote(
  spec: RemoteSpec,
  target: Place,
  { job, options, watch, io }: Means,
): Promise<TargetScan> {
  const { quiet, 'save-plan': savePlan } = options
  const planFile = savePlan === undefined ? undefined : openOutputFile(savePlan, { what: 'plan', mode: 0o600 })
  let plan: string | undefined
  try {
    const telling = { ...watch, say: sayingAll(io), onPlan: (text: string) => void (plan = text) }
    const found = await scanThere(throughWay(spec, target), jobTo(target, job, options), telling)
    if (plan !== undefined) await planFile?.commit(plan)
    if (plan !== undefined && !quiet) io.say(`driftgate: wrote ${escapeForTerminal(savePlan ?? '')}\n`)
    if (found.kind === 'heard') return { kind: 'performed', run: found.value }
    // An interruption is not a connection failure.
    if (watch.signal.aborted) return { kind: 'performed', run: await scan([], { signal: watch.signal }) }
    return { kind: 'not-seen', reason: 'unreachable', message: found.message }
  } finally {
    planFile?.discard()
  }
}
