import { lstatSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { answeringPath } from '../../host/live/hanging.ts'

/** Why a policy may not use a file; undefined if it may. Relative paths start from the policy's directory. */
export type Confine = (path: string) => string | undefined

/**
 * Confines a policy in `workingDirectory` to the files below `directory`: neither its paths nor links on them may lead
 * outside.
 */
export function confineTo(directory: string, workingDirectory: string, isUntrusted = false): Confine {
  const root = realpathSync(directory)
  const place = isUntrusted ? "the policy's directory" : 'the bundle'
  const rule = isUntrusted ? 'to which --untrusted confines it' : 'whose policy may only use files next to it'
  return (path) => {
    const full = resolve(workingDirectory, path)
    if (!isWithin(directory, full)) return `is outside ${place}, ${rule}`
    answeringPath(full)
    const real = realPathOf(full)
    if (real === undefined) return 'is below a dangling symbolic link'
    return isWithin(root, real) ? undefined : `is below a symbolic link to a path outside ${place}`
  }
}

function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}/`)
}

/** The path with links resolved as far as it exists; undefined for a dangling link. */
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
