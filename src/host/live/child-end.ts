import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { killTree } from './kill-tree.ts'

/** Maximum grace period after SIGTERM, in milliseconds: containers have ten seconds in total. */
const LONGEST_GRACE_MS = 8000

/** Time to wait after SIGKILL, in milliseconds: a process blocked in the kernel dies later. */
export const BURIAL_MS = 1000

/** How a child process ended, or why it never started. */
export type ChildEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'killed'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not-started'; readonly reason: string }

/** Resolves when a child has ended. Never rejects. Call it immediately after the start. */
export function endOf(child: ChildProcess): Promise<ChildEnd> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ kind: 'not-started', reason: message }))
    child.once('exit', (exitCode, signal) => {
      if (signal === null) resolve({ kind: 'exited', exitCode: exitCode ?? 1 })
      else resolve({ kind: 'killed', signal })
    })
  })
}

/** Waits for the first of: end of the child, timeout (`cut`), abort (`stopped`). */
export async function raceWith(
  end: Promise<ChildEnd>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<'ended' | 'cut' | 'stopped'> {
  if (signal?.aborted === true) return 'stopped'
  const over = new AbortController()
  const ended = end.then(() => 'ended' as const)
  const cut = setTimeout(Math.min(timeoutMs, 2 ** 31 - 1), 'cut' as const, { signal: over.signal })
  const stopped =
    signal === undefined ? [] : [once(signal, 'abort', { signal: over.signal }).then(() => 'stopped' as const)]
  const others = [cut, ...stopped].map((each) => each.catch(() => 'ended' as const))
  try {
    return await Promise.race([ended, ...others])
  } finally {
    over.abort()
  }
}

/**
 * Sends SIGTERM to the leader of a process group, and kills the whole tree after `graceMs`, at most eight seconds.
 * Resolves to whether it is gone: a process blocked in the kernel survives SIGKILL.
 */
export async function endChild(child: ChildProcess, end: Promise<ChildEnd>, graceMs: number): Promise<boolean> {
  child.kill('SIGTERM')
  if ((await raceWith(end, Math.min(LONGEST_GRACE_MS, graceMs))) === 'ended') return true
  killTree(child)
  return (await raceWith(end, BURIAL_MS)) === 'ended'
}
