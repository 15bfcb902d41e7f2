import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { countOf } from '../../../model/count-of.ts'
import { formatMode } from '../../../model/mode.ts'
import { known, type Reading } from '../../../model/observation.ts'
import type { FileStat, Target } from '../../../host/target.ts'
import type { UndoHandler } from '../../../host/undo-handler.ts'

/** State of a path, recursive for a directory. */
type PathState = { readonly kind: 'absent' } | PresentState

interface PresentState {
  readonly kind: FileStat['kind']
  readonly uid: number
  readonly gid: number
  readonly mode: number
  /**
   * For a file, the size in bytes and the sha256 of its content; for a directory, the number of entries below it and a
   * sha256 of all of them.
   */
  readonly size?: number
  readonly sha256?: string
  /** Hard links of a file in the same directory; other links are not searched. */
  readonly names?: readonly string[]
  /** Target of a symbolic link. */
  readonly leadsTo?: string
}

/** Handler for files, links and trees, restored from their backups. */
export const path: UndoHandler<PathState> = {
  async look(target, name) {
    const seen = target.files.lstat(name)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent') return known({ kind: 'absent' })
    const { kind, uid, gid, mode } = seen.state
    const content = await contentOf(target, name, seen.state)
    return content.kind === 'unknown' ? content : known({ kind, uid, gid, mode, ...content.value })
  },
  describe(state) {
    if (state.kind === 'absent') return 'absent'
    const { kind, uid, gid, mode, size, sha256, leadsTo } = state
    if (leadsTo !== undefined) return `symlink to ${leadsTo}, ${uid}:${gid}`
    const extent =
      size === undefined ? [] : [kind === 'file' ? countOf(size, 'byte') : countOf(size, 'entry', 'entries')]
    const content = sha256 === undefined ? [] : [`sha256 ${sha256.slice(0, 12)}`]
    return [kind, ...extent, ...content, `${formatMode(mode)} ${uid}:${gid}`].join(', ')
  },
  detail(state) {
    if (state.kind === 'absent') return ''
    const { sha256, names } = state
    const links = names === undefined ? ['no other names'] : [`other names: ${names.join(', ') || 'elsewhere'}`]
    return [...(sha256 === undefined ? [] : [`sha256 ${sha256}`]), ...links].join(', ')
  },
  keeps: ({ kind }) => kind !== 'absent',
  putBack: (name, { before }, { remediator, restore }) =>
    before.kind === 'absent' ? remediator.remove(name, { recursive: true }) : restore(name, before.names),
}

type Content = Pick<PresentState, 'size' | 'sha256' | 'names' | 'leadsTo'>

async function contentOf(target: Target, name: string, stat: FileStat): Promise<Reading<Content>> {
  if (stat.kind === 'symlink') {
    const leadsTo = target.files.linkTarget(name)
    return leadsTo.kind === 'unknown' ? leadsTo : known({ leadsTo: leadsTo.value })
  }
  if (stat.kind === 'directory') return treeOf(target, name)
  if (stat.kind !== 'file') return known({})
  const digest = await target.files.digest(name, stat)
  if (digest.kind === 'unknown') return digest
  const names = stat.linkCount > 1 ? { names: otherNames(target, name, stat) } : {}
  return known({ size: digest.value.sizeBytes, sha256: digest.value.sha256, ...names })
}

function otherNames(target: Target, name: string, { inode, device }: FileStat): readonly string[] {
  const directory = dirname(name)
  const listed = target.probe.list(directory)
  const names = listed.kind === 'known' ? (listed.value ?? []) : []
  return names
    .map((each) => join(directory, each))
    .filter((path) => {
      const seen = target.files.lstat(path)
      return path !== name && seen.kind === 'present' && seen.state.inode === inode && seen.state.device === device
    })
}

async function treeOf(target: Target, name: string): Promise<Reading<Content>> {
  const entries = target.files.listTree(name)
  if (entries.kind === 'unknown') return entries
  const hash = createHash('sha256')
  for (const { path: inside } of entries.value) {
    const inner = `${name}/${inside}`
    const seen = target.files.lstat(inner)
    if (seen.kind === 'unknown') return seen
    if (seen.kind === 'absent') continue
    const { kind, uid, gid, mode } = seen.state
    const content = kind === 'directory' ? known({}) : await contentOf(target, inner, seen.state)
    if (content.kind === 'unknown') return content
    hash.update(`${JSON.stringify([inside, kind, uid, gid, mode, content.value])}\n`)
  }
  return known({ size: entries.value.length, sha256: hash.digest('hex') })
}
