import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { Comparison } from '../../model/findings/compare.ts'
import { killTree } from '../../host/live/kill-tree.ts'

/** Maximum run time of a command, in milliseconds: the next scan waits for it. */
const LONGEST_MS = 60_000

/** Time left to the command after the watch is stopped, in milliseconds: containers get ten seconds in all. */
const GRACE_MS = 8000

/** A command of the operator with its limits. */
export interface ChangeCommand {
  /** Command line for the shell. */
  readonly line: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * True if a run found another state than the previous one: new, resolved or changed drift, or another verdict of a
 * resource. A fixed resource that is then compliant is not a change.
 */
export function hasChanged({ counts, resources }: Comparison): boolean {
  const drift = counts.new + counts.changed + counts.resolved + counts.incomparable
  return drift > 0 || resources.some(({ before, after }) => before !== 'fixed' || after !== 'compliant')
}

/**
 * Runs the command in a shell with this text on standard input. Resolves to the reason of a failure, or undefined;
 * never rejects because of the command. At its timeout, or soon after an abort, its process tree is killed.
 */
export async function runChangeCommand(
  { line, timeoutMs, signal }: ChangeCommand,
  input: string,
): Promise<string | undefined> {
  const child = spawn('/bin/sh', ['-c', line], { detached: true, stdio: ['pipe', 'inherit', 'inherit'] })
  const limitMs = Math.min(timeoutMs, LONGEST_MS)
  const over = new AbortController()
  const end = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, name) =>
      resolve(code === 0 ? undefined : code === null ? `ended by ${name}` : `exit ${code}`),
    )
  })
  // A command may ignore its input.
  child.stdin.on('error', () => undefined).end(input)
  const late = setTimeout(limitMs, `did not end within ${limitMs / 1000} s`, { signal: over.signal })
  const stopped = (signal.aborted ? Promise.resolve() : once(signal, 'abort', { signal: over.signal }))
    .then(() => setTimeout(GRACE_MS, undefined, { signal: over.signal }))
    .then(() => 'still running when the watch ended')
  const cut = Promise.race([late, stopped]).then((reason) => {
    killTree(child)
    return reason
  })
  try {
    return await Promise.race([end, cut.catch(() => end)])
  } finally {
    over.abort()
  }
}
