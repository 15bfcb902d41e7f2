import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { answeringPath } from '../../host/live/hanging.ts'

/** Private directories that live as long as one piece of work. */
export interface TemporaryDirectories {
  /** Makes a directory that only the running user can enter, and returns its path, which holds no link. */
  readonly create: () => string
  /** Removes all of them with what they hold. Never rejects: what resists is tried again when the process ends. */
  readonly remove: () => Promise<void>
}

/**
 * Starts a set of temporary directories. Directories that are left when the process ends, by itself or by a signal without
 * another handler, are removed then; only SIGKILL leaves something behind.
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

/** The directories of this process that exist. */
const living = new Set<string>()

function watchTheEnd(): void {
  process.on('exit', removeLiving)
  for (const name of FATAL_SIGNALS) process.on(name, endBySignal)
}

function forgetTheEnd(): void {
  process.off('exit', removeLiving)
  for (const name of FATAL_SIGNALS) process.off(name, endBySignal)
}

/** Listening keeps a signal from ending the process, so without another listener this does it. */
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
