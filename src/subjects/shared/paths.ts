import { dirname } from 'node:path'
import type { Obstacle } from '../../model/decision.ts'
import { type Observation, present } from '../../model/observation.ts'
import type { FileKind, FileStat, Target } from '../../host/target.ts'

export const KIND_WORDS: Readonly<Record<FileKind, string>> = {
  file: 'file',
  directory: 'directory',
  symlink: 'symlink',
  fifo: 'fifo',
  socket: 'socket',
  'block-device': 'block device',
  'character-device': 'character device',
}

/** Value of `ensure` for a file kind: a file is `present`. */
export function ensureWord(kind: FileKind): string {
  return kind === 'file' ? 'present' : KIND_WORDS[kind]
}

export function conflict(path: string, kind: FileKind, wanted: string): string {
  return `${path} exists as a ${KIND_WORDS[kind]}; cannot manage it as ${wanted}`
}

/** Resolved path, and whether it is a link. */
export interface Sight {
  readonly stat: FileStat
  readonly throughLink: boolean
}

/** Resolves a path; a dangling link is reported as itself. */
export function look(target: Target, path: string): Observation<Sight> {
  const direct = target.files.lstat(path)
  if (direct.kind !== 'present') return direct
  if (direct.state.kind !== 'symlink') return present({ stat: direct.state, throughLink: false })
  const followed = target.files.stat(path)
  if (followed.kind === 'unknown') return followed
  const dangling = followed.kind === 'absent'
  return present({ stat: dangling ? direct.state : followed.state, throughLink: !dangling })
}

/** Obstacles to creating a file: its parent directory must exist. */
export function parentObstacles(target: Target, path: string): readonly Obstacle[] {
  const parent = dirname(path)
  const seen = target.files.stat(parent)
  if (seen.kind === 'unknown') return [{ reason: seen.detail }]
  if (seen.kind === 'absent') return [{ reason: `${parent} is not a directory: it does not exist`, missing: parent }]
  return seen.state.kind === 'directory' ? [] : [{ reason: `${parent} is not a directory` }]
}

/** Obstacles to creating a directory with its parents: the nearest existing parent must be a directory. */
export function directoryObstacles(target: Target, directory: string): readonly Obstacle[] {
  for (let path = directory; ; path = dirname(path)) {
    const seen = target.files.stat(path)
    if (seen.kind === 'unknown') return [{ reason: seen.detail }]
    if (seen.kind === 'present')
      return seen.state.kind === 'directory' ? [] : [{ reason: `${path} is not a directory` }]
    if (path === '/') return []
  }
}

/** The path and its parent directories, except the root. */
export function withParents(path: string): readonly string[] {
  const paths = [path]
  for (let each = dirname(path); each !== dirname(each); each = dirname(each)) paths.push(each)
  return paths
}
