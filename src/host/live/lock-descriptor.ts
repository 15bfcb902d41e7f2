import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { findSystemProgram } from './system-programs.ts'

/** Exit code of flock, in util-linux and BusyBox, if another process holds the lock. @see flock(1) */
const TAKEN = 1

export type LockOutcome =
  { readonly kind: 'locked' } | { readonly kind: 'taken' } | { readonly kind: 'failed'; readonly message: string }

/**
 * Locks an open file for this process, without waiting. Node cannot call flock(2), but such a lock belongs to the open
 * file description: the program flock inherits the descriptor, locks it, and ends. The kernel releases the lock when
 * this process closes the file or ends.
 */
export async function lockDescriptor(
  fd: number,
  find: typeof findSystemProgram = findSystemProgram,
): Promise<LockOutcome> {
  const program = find('flock')
  if (program === undefined) {
    return { kind: 'failed', message: 'flock is not installed; install util-linux' }
  }
  const child = spawn(program, ['-n', '-x', '3'], { stdio: ['ignore', 'ignore', 'pipe', fd], env: {}, cwd: '/' })
  const [complaint, exitCode] = await Promise.all([
    child.stderr === null ? '' : text(child.stderr),
    new Promise<number | string>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('close', (code, signal) => resolve(code ?? signal ?? 'no exit code'))
    }),
  ])
  if (exitCode === 0) return { kind: 'locked' }
  if (exitCode === TAKEN && complaint === '') return { kind: 'taken' }
  return { kind: 'failed', message: `${program} ended with ${exitCode}: ${complaint.trim()}` }
}
