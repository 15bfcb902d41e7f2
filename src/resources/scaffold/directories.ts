import { basename, dirname, join, relative } from 'node:path'
import type { Unknown } from '../../core/observation.ts'
import type { Target } from '../../target/target.ts'
import { conflict } from '../shared/paths.ts'

/** What is where a directory of the scaffold belongs. `real` is its place relative to the target, links resolved. */
type DirectorySight =
  | { readonly kind: 'directory'; readonly real: string }
  | { readonly kind: 'missing' }
  /** Something that is no directory, or a link that leads out of the target. */
  | { readonly kind: 'refused'; readonly reason: string }
  | Unknown

/** Looks at a directory by its path relative to the target; the empty path is the target itself. */
export type LookAtDirectory = (path: string) => DirectorySight

/**
 * Looks at directories below a target that exists, each of them once. A link to a directory is as good as a directory as
 * long as it stays inside the target.
 */
export function createDirectoryLook(target: Target, root: string): LookAtDirectory {
  const seen = new Map<string, DirectorySight>([['', { kind: 'directory', real: '' }]])
  const look: LookAtDirectory = (path) => {
    const known = seen.get(path)
    if (known !== undefined) return known
    const above = look(parentOf(path))
    const sight = above.kind === 'directory' ? lookBelow(target, root, path, above.real) : above
    seen.set(path, sight)
    return sight
  }
  return look
}

/** The directory that a relative path is in; empty for what lies in the target itself. */
export function parentOf(path: string): string {
  const parent = dirname(path)
  return parent === '.' ? '' : parent
}

function lookBelow(target: Target, root: string, path: string, realParent: string): DirectorySight {
  const full = join(root, path)
  const found = target.lstat(full)
  if (found.kind === 'unknown') return found
  if (found.kind === 'absent') return { kind: 'missing' }
  const { kind } = found.state
  if (kind === 'directory') return { kind, real: join(realParent, basename(path)) }
  return kind === 'symlink' ? lookThrough(target, root, full) : refused(conflict(full, kind, 'a directory'))
}

function lookThrough(target: Target, root: string, link: string): DirectorySight {
  const realRoot = target.realPath(root)
  const real = target.realPath(link)
  const found = target.stat(link)
  if (realRoot.kind === 'unknown') return realRoot
  if (real.kind === 'unknown') return real
  if (found.kind === 'unknown') return found
  if (realRoot.value === null || real.value === null || found.kind === 'absent') {
    return refused(`${link} is a symbolic link that leads nowhere`)
  }
  if (found.state.kind !== 'directory') return refused(conflict(link, found.state.kind, 'a directory'))
  const place = relative(realRoot.value, real.value)
  if (place === '..' || place.startsWith('../')) {
    return refused(`${link} is a symbolic link that leads out of ${root}`)
  }
  return { kind: 'directory', real: place }
}

function refused(reason: string): DirectorySight {
  return { kind: 'refused', reason }
}
