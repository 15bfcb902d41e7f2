import { type ChildProcess, spawn } from 'node:child_process'
import process from 'node:process'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { Run } from '../../model/run.ts'
import { type ChildEnd, endChild, endOf, raceWith } from '../../host/live/child-end.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { killTree } from '../../host/live/kill-tree.ts'
import { parseReport } from '../../report/stored/read-report.ts'

/** Time to wait for output of a scan that a child process holds open, in milliseconds. */
const OUTPUT_GRACE_MS = 500

/** A scan in its own process. */
export interface ScanCommand {
  readonly argv: readonly [program: string, ...words: string[]]
  readonly timeoutMs: number
  /** Stops the scan. */
  readonly signal: AbortSignal
}

/**
 * Outcome of a scan. `cut` exceeded its timeout and `stopped` was stopped by the signal; both may have a partial
 * report. `failed` has no report.
 */
export type ScanOutcome =
  | { readonly kind: 'done'; readonly exitCode: number; readonly run: Run }
  | { readonly kind: 'cut' | 'stopped'; readonly run?: Run }
  | { readonly kind: 'failed'; readonly reason: string }

export interface ChildScan {
  /** Resolves when the scan has ended or was abandoned. Never rejects because of the scan. */
  readonly outcome: Promise<ScanOutcome>
  /** False while its process exists. A process hanging in the kernel survives SIGKILL. */
  readonly isGone: () => boolean
}

/**
 * Starts a scan that writes its JSON report to standard output. At its timeout or an abort it is stopped, and killed
 * with its children if it does not exit.
 */
export function startScan({ argv: [program, ...words], timeoutMs, signal }: ScanCommand): ChildScan {
  const child = spawn(program, words, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  // The exit of this process ends the scan.
  const killWithUs = (): void => killTree(child)
  process.once('exit', killWithUs)
  let isGone = false
  const output = collect(child.stdout)
  const end = endOf(child).finally(() => {
    isGone = true
    process.off('exit', killWithUs)
  })
  return { outcome: waitForScan(child, { end, output, timeoutMs, signal }), isGone: () => isGone }
}

interface Expectation extends Omit<ScanCommand, 'argv'> {
  readonly end: Promise<ChildEnd>
  readonly output: () => Promise<Buffer>
}

async function waitForScan(child: ChildProcess, { end, output, timeoutMs, signal }: Expectation): Promise<ScanOutcome> {
  const early = await raceWith(end, timeoutMs, signal)
  if (early === 'ended') return outcomeOf(await end, await output())
  if (!(await endChild(child, end, timeoutMs))) return { kind: early }
  const settled = await outcomeOf(await end, await output())
  return 'run' in settled && settled.run !== undefined ? { kind: early, run: settled.run } : { kind: early }
}

function collect(stream: Readable): () => Promise<Buffer> {
  const chunks: Buffer[] = []
  const closed = new Promise<void>((resolve) => {
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.once('close', resolve)
  })
  return async () => {
    await Promise.race([closed, setTimeout(OUTPUT_GRACE_MS, undefined, { ref: false })])
    stream.destroy()
    return Buffer.concat(chunks)
  }
}

async function outcomeOf(end: ChildEnd, output: Buffer): Promise<ScanOutcome> {
  if (end.kind === 'not-started') return { kind: 'failed', reason: end.reason }
  if (end.kind === 'killed') return { kind: 'failed', reason: `ended by ${end.signal}` }
  // The scan has reported its error on standard error.
  if (output.length === 0) return { kind: 'failed', reason: `exit ${end.exitCode}` }
  try {
    return { kind: 'done', exitCode: end.exitCode, run: await parseReport(output, 'of the scan') }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { kind: 'failed', reason: `exit ${end.exitCode}: ${error.message}` }
  }
}
