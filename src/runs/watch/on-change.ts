import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { Comparison } from '../../model/findings/compare.ts'
import { killTree } from '../../host/live/kill-tree.ts'

/** The longest a command may take, in milliseconds: the next scan waits for it. */
const LONGEST_MS = 60_000

/** How much longer it may take once the watch is told to end: containers get ten seconds in all. In milliseconds. */
const GRACE_MS = 8000

/** A command of the operator, and what bounds it. */
export interface ChangeCommand {
  /** A line for the shell. */
  readonly line: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Whether one run found another state than the run before: drift that came, went or has other values, or a resource with
 * another verdict. What a fix has just repaired is compliant in the next run, and that is no change.
 */
export function hasChanged({ counts, resources }: Comparison): boolean {
  const drift = counts.new + counts.changed + counts.resolved + counts.incomparable
  return drift > 0 || resources.some(({ before, after }) => before !== 'fixed' || after !== 'compliant')
}

/**
 * Runs the command in a shell with this text on its standard input. Resolves to why it did not succeed, or to undefined;
 * never rejects for what the command does. At its timeout, or soon after the signal is aborted, all of
 * it is killed.
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
  // A command that does not read its input does not fail.
  child.stdin.on('error', () => undefined).end(input)
  const late = setTimeout(limitMs, `no end after ${limitMs / 1000} s`, { signal: over.signal })
  const stopped = (signal.aborted ? Promise.resolve() : once(signal, 'abort', { signal: over.signal }))
    .then(() => setTimeout(GRACE_MS, undefined, { signal: over.signal }))
    .then(() => 'no end although the watch ends')
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
