import { join } from 'node:path'
import { known, type Reading, type Unknown, unknown } from '../../model/observation.ts'
import { compilePatterns } from '../../model/path-patterns.ts'
import type { LeftOut } from '../../host/file-trees.ts'
import { parseMountinfo } from '../../host/mount-table.ts'
import type { HasFiles, Target } from '../../host/target.ts'

/** The set-user-id and set-group-id programs below a directory, and the unread parts. */
export interface Programs {
  readonly directory: string
  readonly paths: readonly string[]
  readonly leftOut: readonly LeftOut[]
  readonly unread: readonly Unknown[]
}

const SET_ID = 0o6000

const TEN_MINUTES_MS = 600_000

/** Searches all local file systems below a directory, except those mounted nosuid or noexec. */
export async function findPrograms(
  { trees, probe, files: { realPath } }: Pick<Target, 'trees' | 'probe'> & HasFiles<'realPath'>,
  directory: string,
  signal: AbortSignal,
): Promise<Reading<Programs>> {
  const real = realPath(directory)
  if (real.kind === 'unknown') return real
  if (real.value === null) return unknown('not-observable', `${directory} does not exist, so its programs are unknown`)
  const start = real.value
  const found = await trees.find({
    directory: start,
    depth: Infinity,
    fileSystems: 'all_local',
    include: undefined,
    exclude: compilePatterns(placesWithoutSetId(probe.readText('/proc/self/mountinfo'), start)),
    judge: ({ kind, mode }) => (kind === 'file' && (mode & SET_ID) !== 0 ? 'listed' : 'other'),
    signal,
    timeoutMs: TEN_MINUTES_MS,
  })
  if (found.kind === 'unknown') return found
  if (found.kind === 'absent') return unknown('not-observable', `${directory} was removed during the scan`)
  const { entries, leftOut, unread } = found.state
  return known({ directory, paths: entries.map(({ path }) => join(start, path)), leftOut, unread })
}

/**
 * Patterns for the mount points below a directory that ignore set-id bits, with everything mounted below them. They are
 * excluded before the walk, not from its result, because the walk visits a file system with two mount points only once.
 */
function placesWithoutSetId(mountinfo: Reading<string | null>, directory: string): readonly string[] {
  const table = mountinfo.kind === 'known' ? (parseMountinfo(mountinfo.value ?? '') ?? []) : []
  const base = directory === '/' ? '/' : `${directory}/`
  const points = new Set(table.map(({ point }) => point).filter((point) => point.startsWith(base) && point !== base))
  return [...points]
    .filter((point) =>
      table
        .filter((mount) => mount.point === point || mount.point.startsWith(`${point}/`))
        .every(({ options }) => options.includes('nosuid') || options.includes('noexec')),
    )
    .map((point) => point.slice(base.length).replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`))
}
