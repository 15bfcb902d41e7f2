import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { killTree } from './kill-tree.ts'

/** How long work may take to end once it was told to: containers get ten seconds in all. In milliseconds. */
const LONGEST_GRACE_MS = 8000

/** How long what was killed is waited for: a process that the system holds on to dies when the system lets go. */
export const BURIAL_MS = 1000

/** How a child process ended, or why it never started. */
export type ChildEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'killed'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not-started'; readonly reason: string }

/** Resolves when a child has ended. Never rejects. To be called as soon as it was started. */
export function endOf(child: ChildProcess): Promise<ChildEnd> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ kind: 'not-started', reason: message }))
    child.once('exit', (exitCode, signal) => {
      if (signal === null) resolve({ kind: 'exited', exitCode: exitCode ?? 1 })
      else resolve({ kind: 'killed', signal })
    })
  })
}

/** What comes first: the end, the time (`cut`), or the signal (`stopped`). */
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
 * Tells the leader of a process group to end, and kills it with all it started if it does not within `graceMs`, eight
 * seconds at most. Gives whether it is gone: what hangs in the system outlives being killed.
 */
export async function endChild(child: ChildProcess, end: Promise<ChildEnd>, graceMs: number): Promise<boolean> {
  child.kill('SIGTERM')
  if ((await raceWith(end, Math.min(LONGEST_GRACE_MS, graceMs))) === 'ended') return true
  killTree(child)
  return (await raceWith(end, BURIAL_MS)) === 'ended'
}
