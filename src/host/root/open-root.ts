import { existsSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { systemReason } from '../../model/system-reason.ts'
import type { Target } from '../target.ts'
import { errorCode } from '../live/system-error.ts'
import { rootedAccess } from './access.ts'
import { directorySource } from './directory-source.ts'
import { holdDirectories } from './held-directories.ts'
import { openRootPlace } from './root-place.ts'
import { openSystemAtRest } from './rooted-target.ts'

/** An offline target, or why it was refused. */
export type RootedTarget =
  { readonly kind: 'opened'; readonly target: Target } | { readonly kind: 'refused'; readonly message: string }

/** Opens the offline system below a directory, read-only. */
export function openRootedTarget(directory: string): RootedTarget {
  const root = rootOf(directory)
  if (typeof root !== 'string') return root
  const held = holdDirectories(() => openRootPlace(root))
  const source = directorySource(root, held)
  const access = rootedAccess(source)
  return { kind: 'opened', target: openSystemAtRest(source, { kind: 'root', path: root, access }) }
}

const SIGNS = ['etc', 'usr']

function rootOf(directory: string): string | Extract<RootedTarget, { kind: 'refused' }> {
  try {
    if (!statSync(directory).isDirectory()) return { kind: 'refused', message: `${directory} is not a directory` }
    const root = realpathSync(directory)
    if (root === '/') return { kind: 'refused', message: '/ is the root of this machine; omit --target to scan it' }
    // In an empty mount point, everything that must be absent would be compliant.
    if (SIGNS.some((name) => existsSync(join(root, name)))) return root
    return {
      kind: 'refused',
      message: `${directory} contains no system: neither etc nor usr exists; is its disk mounted?`,
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return { kind: 'refused', message: `cannot open ${directory}: ${systemReason(error)}` }
  }
}
