import { join } from 'node:path'
import { countOf } from '../../../model/count-of.ts'
import { type Reading, known, unknown } from '../../../model/observation.ts'
import type { Target } from '../../../host/target.ts'
import type { Desired } from '../../capture/gather.ts'

/** Objects that a name expands to, and omissions. */
export interface Members {
  readonly wanted: readonly Desired[]
  readonly notes: readonly string[]
}

/** More than a readable policy holds. */
const MOST_FILES = 5000
const MOST_NOTES = 10

/** Expands an object: the settings of a surface and, with `isRecursive`, the contents of a directory. */
export async function membersOf(
  wanted: Desired,
  { target, isRecursive }: { readonly target: Target; readonly isRecursive: boolean },
): Promise<Reading<Members>> {
  const { type, name } = wanted
  const members = await type.capture.members?.(name, target)
  if (members !== undefined) {
    if ('kind' in members) return members
    return known({ wanted: members.map((member) => ({ type, name: member })), notes: [] })
  }
  const isDirectory = type.type === 'file' && kindAt(target, name) === 'directory'
  return isDirectory ? withEntries(wanted, target, isRecursive) : known({ wanted: [wanted], notes: [] })
}

function withEntries(wanted: Desired, target: Target, isRecursive: boolean): Reading<Members> {
  const { type, name } = wanted
  if (!isRecursive) {
    const isEmpty = target.files.isDirectoryEmpty(name)
    const hasMore = isEmpty.kind === 'known' && !isEmpty.value
    return known({
      wanted: [wanted],
      notes: hasMore ? ['only the directory itself; --recursive includes its contents'] : [],
    })
  }
  const tree = target.files.listTree(name)
  if (tree.kind === 'unknown') return tree
  if (tree.value.length > MOST_FILES) {
    const count = countOf(tree.value.length, 'entry', 'entries')
    return unknown('invalid', `${name} has ${count}, more than ${MOST_FILES}: name its subdirectories instead`)
  }
  const entries = tree.value.map(({ path, kind }) => ({ path: join(name, path), kind }))
  const taken = entries.filter(({ path, kind }) => {
    return kind === 'file' || kind === 'directory' || (kind === 'symlink' && kindAt(target, path) === 'file')
  })
  const others = entries.filter((entry) => !taken.includes(entry))
  const notes = others.map(({ path, kind }) => `${path} omitted: a ${kind.replace('-', ' ')}`)
  const rest = notes.length > MOST_NOTES ? [`${notes.length - MOST_NOTES} more omitted that are not files`] : []
  return known({
    wanted: [wanted, ...taken.map(({ path }) => ({ type, name: path }))],
    notes: [...notes.slice(0, MOST_NOTES), ...rest],
  })
}

function kindAt(target: Target, path: string): string | undefined {
  const seen = target.files.stat(path)
  return seen.kind === 'present' ? seen.state.kind : undefined
}
