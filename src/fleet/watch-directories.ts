import { type FSWatcher, watch as watchDirectory } from 'node:fs'
import { errorCode } from '../host/live/system-error.ts'

/** Directories of which the system says when something changes in them. */
export interface WatchedDirectories {
  /** Those in which something has changed since this was asked before. */
  readonly hints: () => readonly string[]
  /** Which directories are to be watched from now on. */
  readonly keep: (directories: Iterable<string>) => void
  readonly watch: (hint: () => void) => () => void
}

/** What the system answers when it watches as much as it will. */
const ENOUGH = ['ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM']

/**
 * Watches nothing until hints are wanted. What cannot be watched gives none, which is no trouble: shares tell nothing of
 * what others write either, so everything is looked at from time to time.
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
        // What came between the look at it and this is not told.
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
