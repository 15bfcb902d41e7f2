import { join } from 'node:path'
import { known, type Reading, type Unknown, unknown } from '../../model/observation.ts'
import { compilePatterns } from '../../model/path-patterns.ts'
import type { LeftOut } from '../../host/file-trees.ts'
import { parseMountinfo } from '../../host/mount-table.ts'
import type { Target } from '../../host/target.ts'

/** The programs of a directory that run as their owner or group, and what is unknown. */
export interface Programs {
  readonly directory: string
  readonly paths: readonly string[]
  readonly leftOut: readonly LeftOut[]
  readonly unread: readonly Unknown[]
}

const SET_ID = 0o6000

const TEN_MINUTES_MS = 600_000

/** Goes through all file systems of this machine below a directory on which set-user-id and set-group-id count. */
export async function findPrograms(
  { trees, probe, realPath }: Pick<Target, 'trees' | 'probe' | 'realPath'>,
  directory: string,
  signal: AbortSignal,
): Promise<Reading<Programs>> {
  const real = realPath(directory)
  if (real.kind === 'unknown') return real
  if (real.value === null)
    return unknown('not-observable', `${directory} does not exist, so no program below it is known`)
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
  if (found.kind === 'absent') return unknown('not-observable', `${directory} went away while it was looked at`)
  const { entries, leftOut, unread } = found.state
  return known({ directory, paths: entries.map(({ path }) => join(start, path)), leftOut, unread })
}

/**
 * The mount points below a directory at which no set-id bit counts, nor at anything that is mounted below them, as patterns. They
 * are left out before the walk and not of its result, because what is mounted at two places is met at one of them alone.
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
