import { unlessAbsent } from '../../../host/if-there.ts'
import { renameSync } from 'node:fs'
import { posix } from 'node:path'
import type { ApplyOutcome } from '../../../model/decision.ts'
import type { FileAttributes } from '../../../host/remediator.ts'
import { createDirectory } from '../../../host/live/create-directory.ts'
import { flush } from '../../../host/live/flush.ts'
import type { MachineFiles, SystemStats } from '../../../host/live/machine-files.ts'
import { openDirectory } from '../../../host/live/open-directory.ts'
import { remove } from '../../../host/live/remove.ts'
import { setOwner } from '../../../host/live/set-owner.ts'
import type { Site } from '../../../host/live/site.ts'
import { writeFailure } from '../../../host/live/system-error.ts'
import { temporaryName } from '../../../host/live/temporary-name.ts'
import { writeFile } from '../../../host/live/write-file.ts'
import { writeLink } from '../../../host/live/write-link.ts'

/** A home directory to make: a copy of the skeleton that belongs to the account. */
export interface NewHome {
  readonly path: string
  readonly skeleton: string
  readonly attributes: FileAttributes
}

/** A home directory under another name beside its place, with all that it holds. */
export interface StagedHome {
  readonly kind: 'staged'
  readonly commit: () => ApplyOutcome
  /** Takes it away unless it was put into its place. */
  readonly end: () => Promise<void>
}

type Failed = Extract<ApplyOutcome, { kind: 'failed' }>

const OF_ROOT = { uid: 0, gid: 0 } as const
const LARGEST_BYTES = 256 * 1024 * 1024

/** What useradd leaves as it is. */
const ALREADY_THERE: StagedHome = { kind: 'staged', commit: () => ({ kind: 'done' }), end: async () => undefined }

/** Makes the directory whole before it is visible. Throws what reading the skeleton does. */
export async function stageHome(site: Site, files: MachineFiles, home: NewHome): Promise<StagedHome | Failed> {
  const existing = unlessAbsent(() => files.lstat(home.path))
  if (existing?.isDirectory() === true) return ALREADY_THERE
  if (existing !== undefined) return { kind: 'failed', message: `${home.path} exists and is not a directory` }
  const above = posix.dirname(home.path)
  for (const path of missingFrom(files, above)) {
    const made = createDirectory(path, { ...OF_ROOT, mode: 0o755 }, site)
    if (made.kind === 'failed') return made
  }
  const name = temporaryName(posix.basename(home.path))
  const temporary = posix.join(above, name)
  const { journal, root } = site
  journal.record(temporary)
  let isLeft = true
  const end = async (): Promise<void> => {
    if (isLeft && (await remove(temporary, { recursive: true, root })).kind === 'done') journal.forget(temporary)
    isLeft = false
  }
  const copied = await copyDirectory({ site, files, home }, home.skeleton, temporary)
  if (copied.kind === 'failed') {
    await end()
    return copied
  }
  return {
    kind: 'staged',
    commit() {
      const outcome = moveInto(site, above, { from: name, to: posix.basename(home.path) })
      if (outcome.kind === 'done') {
        isLeft = false
        journal.forget(temporary)
      }
      return outcome
    },
    end,
  }
}

interface Copy {
  readonly site: Site
  readonly files: MachineFiles
  readonly home: NewHome
}

/** Root owns a directory while it is filled, so no other user puts anything into it. */
async function copyDirectory(copy: Copy, from: string, to: string): Promise<ApplyOutcome> {
  const { site, files, home } = copy
  const begun = createDirectory(to, { ...OF_ROOT, mode: 0o700 }, site)
  if (begun.kind === 'failed') return begun
  for (const { name } of unlessAbsent(() => files.entries(from)) ?? []) {
    const outcome = await copyEntry(copy, posix.join(from, name), posix.join(to, name))
    if (outcome.kind === 'failed') return outcome
  }
  const mode = from === home.skeleton ? home.attributes.mode : modeOf(files.lstat(from))
  return createDirectory(to, { ...home.attributes, mode, exact: true }, site)
}

async function copyEntry(copy: Copy, from: string, to: string): Promise<ApplyOutcome> {
  const { site, files, home } = copy
  const stats = files.lstat(from)
  if (stats?.isDirectory() === true) return copyDirectory(copy, from, to)
  const { uid, gid } = home.attributes
  if (stats?.isSymbolicLink() === true) {
    const made = writeLink(to, ledHome(files.link(from), home), site)
    return made.kind === 'failed' ? made : setOwner(to, { uid, gid }, { root: site.root })
  }
  if (stats?.isFile() !== true)
    return {
      kind: 'failed',
      message: `${from} is not a file, directory or symbolic link: a new home cannot contain it`,
    }
  const content = { kind: 'bytes', bytes: files.whole(from, LARGEST_BYTES) } as const
  return writeFile(to, content, { uid, gid, mode: modeOf(stats) }, site)
}

/** A link into the skeleton leads to the copy. */
function ledHome(target: string, { path, skeleton }: NewHome): string {
  return target.startsWith(`${skeleton}/`) ? `${path}${target.slice(skeleton.length)}` : target
}

function modeOf(stats: SystemStats | undefined): number {
  return (stats?.mode ?? 0) & 0o7777
}

interface Move {
  readonly from: string
  readonly to: string
}

function moveInto({ root }: Site, above: string, { from, to }: Move): ApplyOutcome {
  const opened = openDirectory(above, { root })
  if (opened.kind !== 'open') return { kind: 'failed', message: opened.message }
  const { directory } = opened
  try {
    renameSync(directory.entry(from), directory.entry(to))
    flush(directory)
    return { kind: 'done' }
  } catch (error) {
    return writeFailure(error, `cannot create ${posix.join(above, to)}`)
  } finally {
    directory.close()
  }
}

/** The directories of a path that are not there, the outermost first. */
function missingFrom(files: MachineFiles, path: string): readonly string[] {
  if (path === '/' || unlessAbsent(() => files.stat(path)) !== undefined) return []
  return [...missingFrom(files, posix.dirname(path)), path]
}
