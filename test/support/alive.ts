import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** Whether a process runs. What has ended but was not yet collected by its parent does not. */
export function isAlive(pid: number | string): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return false
    throw error
  }
}

/** Resolves once the process does not run any more: what was killed takes a moment to be gone. */
export async function hasEnded(pid: number | string): Promise<true> {
  while (isAlive(pid)) await setTimeout(10)
  return true
}
