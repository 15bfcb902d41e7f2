import { EXIT } from '../model/gate.ts'
import type { RemoteJob } from './job.ts'
import { type RemoteResult, runJob } from './run-job.ts'
import type { RemoteSpec } from './spec.ts'

/** Receives the output of a remote command, which is untrusted. */
export interface RemoteStreams {
  /** When aborted, with a signal name as the reason, the remote command ends. */
  readonly signal: AbortSignal
  readonly print: (text: string) => Promise<void>
  readonly say: (text: string) => void
}

/** Runs a command with the remote driftgate and returns its exit code. Throws an `OperatorError` as `runJob` does. */
export function runThere(
  spec: RemoteSpec,
  job: RemoteJob,
  { signal, print, say }: RemoteStreams,
): Promise<RemoteResult<number>> {
  return runJob(spec, job, {
    signal,
    async hear(line) {
      const said = JSON.parse(line) as Partial<Record<'print' | 'say' | 'exit', unknown>> | null
      if (typeof said?.['print'] === 'string') await print(said['print'])
      else if (typeof said?.['say'] === 'string') say(said['say'])
      else return exitCodeOf(said?.['exit'])
      return undefined
    },
  })
}

function exitCodeOf(code: unknown): number {
  if (Number.isInteger(code) && Number(code) >= EXIT.ok && Number(code) < 256) return Number(code)
  throw new SyntaxError('a line without content')
}
