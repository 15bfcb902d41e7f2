import { type Observation, absent, known, present, type Reading, type Unknown } from '../../../model/observation.ts'
import type { Awaitable } from '../../../resource-type/define.ts'
import { recordFiles } from '../../../settings/files.ts'
import type { NamingProgram } from '../../settings/naming-programs.ts'
import type { EntryAttributes, EntryJudgement, ListedEntry, TreeFinding, TreeQuery } from '../../../host/file-trees.ts'
import type { FileKind } from '../../../host/target.ts'
import type { FileProbe } from '../../../settings/look.ts'

/** Checks of named files: attributes, and users who can replace them. */
export interface NamedJudge {
  readonly entry: TreeQuery['judge']
  readonly way: (path: string, attributes: EntryAttributes) => Awaitable<Reading<readonly string[]>>
}

/** Named file, with the problems on its path. */
export interface NamedEntry extends ListedEntry {
  readonly way?: readonly string[]
}

/** Result of observing a tree, or the files that a configuration names. */
export interface NamedFinding extends TreeFinding {
  readonly entries: readonly NamedEntry[]
  /** Kind of the object at the path of the policy; with `named_by`, the root directory. */
  readonly kind: FileKind
  /** Paths that do not exist. */
  readonly missing: readonly string[]
  /** Values that are not absolute paths. */
  readonly strays: readonly string[]
}

/** Observes the files that the configuration of a program names, following links; absent if the program is not installed. */
export async function findNamed(
  target: FileProbe,
  program: NamingProgram,
  judge: NamedJudge,
): Promise<Observation<NamedFinding>> {
  const { namedBy } = await import('../../settings/named-by.ts')
  const named = namedBy(program, recordFiles(target).files)
  if (named.kind === 'unknown') return named
  if (named.value === null) return absent()
  const { paths, strays, unclear } = named.value
  const unread: Unknown[] = [...unclear]
  const missing: string[] = []
  const looked = new Map<string, EntryJudgement>()
  const entries: NamedEntry[] = []
  for (const path of paths) {
    const real = target.files.realPath(path)
    const seen = real.kind === 'known' && real.value !== null ? target.files.stat(real.value) : real
    if (seen.kind === 'unknown') unread.push(seen)
    else if (real.kind !== 'known' || real.value === null || seen.kind !== 'present') missing.push(path)
    else if (!looked.has(real.value)) {
      const { kind, mode, uid, gid } = seen.state
      const attributes = { kind, mode, uid, gid }
      const judgement = await judge.entry(attributes)
      looked.set(real.value, judgement)
      const way = judgement === 'other' ? known([]) : await judge.way(path, attributes)
      if (way.kind === 'unknown') unread.push(way)
      const found = way.kind === 'known' && way.value.length > 0 ? { way: way.value } : {}
      if (judgement === 'listed' || 'way' in found)
        entries.push({ path: real.value.slice(1) || '.', ...attributes, ...found })
    }
  }
  const count = [...looked.values()].filter((judgement) => judgement !== 'other').length
  return present({ kind: 'directory', entries, count, leftOut: [], unread, missing, strays })
}
