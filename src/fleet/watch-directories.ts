import { type FSWatcher, watch as watchDirectory } from 'node:fs'
import { errorCode } from '../host/live/system-error.ts'

/** Directories with change notifications. */
export interface WatchedDirectories {
  /** Directories that have changed since the last call. */
  readonly hints: () => readonly string[]
  /** Sets the directories to watch. */
  readonly keep: (directories: Iterable<string>) => void
  readonly watch: (hint: () => void) => () => void
}

/** Errors at the limit of watches. */
const ENOUGH = ['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']

/**
 * Watches nothing until hints are requested. Directories that cannot be watched give no hints, which is harmless:
 * everything is read periodically, since network shares do not report changes by others.
 */
export function watchDirectories(): WatchedDirectories {
  const changed = new Set<string>()
  const watchers = new Map<string, FSWatcher>()
  let hint: (() => void) | undefined

  function end(directory: string): void {
    watchers.get(directory)?.close()
    watchers.delete(directory)
  }

  function begin(directory: string): 'more' | 'enough' {
    try {
      const watcher = watchDirectory(directory, { persistent: false }, () => {
        changed.add(directory)
        hint?.()
      })
      watcher.on('error', () => end(directory))
      watchers.set(directory, watcher)
      return 'more'
    } catch (error) {
      const code = errorCode(error)
      if (code === undefined) throw error
      return ENOUGH.includes(code) ? 'enough' : 'more'
    }
  }

  return {
    hints: () => {
      const found = [...changed].toSorted((left, right) => left.length - right.length)
      changed.clear()
      return found
    },
    keep: (directories) => {
      if (hint === undefined) return
      const wanted = new Set(directories)
      for (const directory of watchers.keys()) if (!wanted.has(directory)) end(directory)
      let isNew = false
      for (const directory of wanted) {
        if (watchers.has(directory)) continue
        if (begin(directory) === 'enough') break
        // Changes between the read and the watch are not reported.
        changed.add(directory)
        isNew = true
      }
      if (isNew) hint()
    },
    watch: (wanted) => {
      hint = wanted
      return () => {
        hint = undefined
        for (const directory of watchers.keys()) end(directory)
      }
    },
  }
}
