import { summarize } from '../model/gate.ts'
import type { Run, RunStart, RunTarget } from '../model/run.ts'
import type { ScanOptions } from '../engine/local.ts'
import type { DownloadProgress } from '../host/http/progress.ts'
import { checkReport } from '../report/stored/read-report.ts'
import type { Progress } from '../engine/progress.ts'
import type { Report } from './protocol.ts'

/** Receives events of a remote scan. */
export type RemoteWatch = Pick<ScanOptions, 'onStart' | 'onResult' | 'onProgress'> & {
  /** When aborted, with a signal name as the reason, the remote scan ends after its current resource. */
  readonly signal: AbortSignal
  readonly onDownload?: (progress: DownloadProgress) => void
  /** Reason why the scan waits before it audits again. */
  readonly onWait?: (message: string) => void
  /** Standard error output of the remote scanner, with line feeds; untrusted. */
  readonly say: (text: string) => void
  /** Receives the plan to save. */
  readonly onPlan?: (text: string) => void
}

/** Parses messages of the remote scanner. */
export interface Listener {
  /** Returns the claimed run of the last line; throws a `SyntaxError` for an invalid line. */
  readonly hear: (line: string) => Promise<unknown>
}

/** Creates a listener for a target; it validates everything that it passes on. */
export function createListener(place: Pick<RunTarget, 'kind' | 'name'>, watch: RemoteWatch): Listener {
  let skeleton: Run | undefined
  return {
    async hear(line) {
      const said = parseReport(line)
      if ('run' in said) return said.run
      if ('say' in said) watch.say(String(said.say))
      else if ('wait' in said) watch.onWait?.(String(said.wait))
      else if ('plan' in said) watch.onPlan?.(String(said.plan))
      else if ('progress' in said) watch.onProgress?.(progressOf(said.progress))
      else if ('download' in said) watch.onDownload?.(downloadOf(said.download))
      else if ('start' in said) {
        const start = { ...said.start, target: { ...said.start.target, ...place } }
        skeleton = await checkRun(emptyRun(start))
        await watch.onStart?.(start)
      } else if ('result' in said && skeleton !== undefined) {
        const [id, result] = said.result
        await checkRun({
          ...skeleton,
          policies: [{ id, source: '', sha256: NO_SHA256, resources: [result], controls: [] }],
        })
        await watch.onResult?.(id, result)
      }
      return undefined
    },
  }
}

function parseReport(line: string): Report {
  const said: unknown = JSON.parse(line)
  if (typeof said !== 'object' || said === null) throw new SyntaxError('a line is not an object')
  return said as Report
}

const NO_SHA256 = '0'.repeat(64)

/** A minimal report around the part to validate. */
function emptyRun(start: RunStart): unknown {
  return {
    ...start,
    run: { ...start.run, finishedAt: start.run.startedAt, durationMs: 0, interrupted: false },
    policies: [],
    summary: NOTHING,
    exit: { code: 0, reasons: [] },
  }
}

const NOTHING = summarize([])

function checkRun(run: unknown): Promise<Run> {
  return checkReport(run, 'that it makes')
}

function progressOf({ done, total, drifted, current }: Progress): Progress {
  return { done: Number(done), total: Number(total), drifted: Number(drifted), current: String(current) }
}

function downloadOf(progress: DownloadProgress): DownloadProgress {
  const { url, receivedBytes, totalBytes, bytesPerSecond } = progress
  return {
    url: String(url),
    receivedBytes: Number(receivedBytes),
    bytesPerSecond: Number(bytesPerSecond),
    ...(totalBytes !== undefined && { totalBytes: Number(totalBytes) }),
  }
}
