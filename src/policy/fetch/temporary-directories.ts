import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { answeringPath } from '../../host/live/hanging.ts'

/** Private temporary directories with a common lifetime. */
export interface TemporaryDirectories {
  /** Creates a directory with mode 0700 and returns its path without links. */
  readonly create: () => string
  /** Removes all directories with their content. Never rejects: failures are retried when the process ends. */
  readonly remove: () => Promise<void>
}

/**
 * Makes a set of temporary directories. Remaining ones are removed when the process ends, by itself or by a signal
 * without another handler; only SIGKILL leaves them behind.
 */
export function createTemporaryDirectories(): TemporaryDirectories {
  const own = new Set<string>()
  return {
    create() {
      if (living.size === 0) watchTheEnd()
      const path = mkdtempSync(join(realpathSync(answeringPath(tmpdir())), 'driftgate-'))
      own.add(path)
      living.add(path)
      return path
    },
    async remove() {
      for (const path of own) {
        own.delete(path)
        if (await isRemoved(path)) living.delete(path)
      }
      if (living.size === 0) forgetTheEnd()
    },
  }
}

const FATAL_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

/** The existing directories of this process. */
const living = new Set<string>()

function watchTheEnd(): void {
  process.on('exit', removeLiving)
  for (const name of FATAL_SIGNALS) process.on(name, endBySignal)
}

function forgetTheEnd(): void {
  process.off('exit', removeLiving)
  for (const name of FATAL_SIGNALS) process.off(name, endBySignal)
}

/** A listener prevents the default action of a signal, so this ends the process if it is the only listener. */
function endBySignal(name: NodeJS.Signals): void {
  if (process.listenerCount(name) > 1) return
  removeLiving()
  forgetTheEnd()
  process.kill(process.pid, name)
}

function removeLiving(): void {
  for (const path of living) {
    try {
      rmSync(path, { recursive: true, force: true })
    } catch {
      // The process is ending, so errors cannot be reported.
    }
  }
  living.clear()
}

async function isRemoved(path: string): Promise<boolean> {
  try {
    await rm(path, { recursive: true, force: true })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
