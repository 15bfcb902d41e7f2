import { lstatSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { answeringPath } from '../../host/live/hanging.ts'

/** Why a policy may not use a file that it names; undefined where it may. Relative paths start from its directory. */
export type Confine = (path: string) => string | undefined

/**
 * Confines a policy that lies in `workingDirectory` to the files in a directory above it: neither its paths nor links on
 * their way may lead out.
 */
export function confineTo(directory: string, workingDirectory: string, isUntrusted = false): Confine {
  const root = realpathSync(directory)
  const place = isUntrusted ? "the policy's directory" : 'the bundle'
  const rule = isUntrusted ? 'to which --untrusted confines it' : 'whose policy may only use files beside it'
  return (path) => {
    const full = resolve(workingDirectory, path)
    if (!isWithin(directory, full)) return `leads out of ${place}, ${rule}`
    answeringPath(full)
    const real = realPathOf(full)
    if (real === undefined) return 'is behind a symbolic link that leads nowhere'
    return isWithin(root, real) ? undefined : `is behind a symbolic link that leads out of ${place}`
  }
}

function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}/`)
}

/** The path with its links followed, of what is missing the part that exists; undefined for a broken link. */
function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    if (isLink(path) || path === '/') return undefined
    return realPathOf(dirname(path))
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}
