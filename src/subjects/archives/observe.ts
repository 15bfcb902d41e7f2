import { absent, known, type Observation, present, type Reading } from '../../model/observation.ts'
import { isSet } from '../../model/property.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import type { FileStat, Target } from '../../host/target.ts'
import { readAccounts } from '../shared/accounts.ts'
import { directoryObstacles, look, parentObstacles } from '../shared/paths.ts'
import type { ArchiveContext, ArchiveState, ArchiveDesired } from './decide.ts'

type ArchiveObservation = Observation<ArchiveState, ArchiveContext>
type Desired = Extract<ArchiveContext, { ensure: 'present' }>

/** Observes the archive file and `creates`; makes no network request. */
export async function observeArchive(
  target: Target,
  desired: ArchiveDesired,
  { signal }: Pick<ResourceContext, 'signal'>,
): Promise<ArchiveObservation> {
  if (desired.ensure === 'absent') return observeUnwanted(target, desired)
  const seen = look(target, desired.name)
  if (seen.kind === 'unknown') return seen
  const context = await readContext(target, desired)
  if (seen.kind === 'absent') return absent(context)
  const { stat } = seen.state
  const state = describe(target, stat)
  if (stat.kind !== 'file' || !isCompared(desired, context)) return present(state, context)
  const digest = await target.files.digest(desired.name, stat, signal)
  const checksum = digest.kind === 'known' ? known(digest.value.sha256) : digest
  return present({ ...state, checksum }, context)
}

function observeUnwanted(target: Target, { name }: ArchiveDesired): ArchiveObservation {
  const context = { ensure: 'absent' } as const
  const seen = target.files.lstat(name)
  if (seen.kind === 'unknown') return seen
  return seen.kind === 'absent' ? absent(context) : present(describe(target, seen.state), context)
}

function describe(target: Target, { kind, uid, gid }: FileStat): ArchiveState {
  return {
    kind,
    owner: { id: uid, name: target.names.userName(uid) },
    group: { id: gid, name: target.names.groupName(gid) },
  }
}

/** Hashing a large file is only worthwhile if its checksum is compared. */
function isCompared({ checksum, cleanup }: ArchiveDesired, { creates }: Desired): boolean {
  const isLeftOver = cleanup && creates?.kind === 'known' && creates.value
  return isSet(checksum) && !isLeftOver
}

async function readContext(target: Target, desired: ArchiveDesired): Promise<Desired> {
  const { name, creates, extract_parent: parent } = desired
  return {
    ensure: 'present',
    owner: await readAccounts(desired.owner, (text) => target.names.userId(text)),
    group: await readAccounts(desired.group, (text) => target.names.groupId(text)),
    creates: isSet(creates) ? pathExists(target, creates) : undefined,
    downloadObstacles: parentObstacles(target, name),
    extractObstacles: isSet(parent) ? directoryObstacles(target, parent) : [],
  }
}

function pathExists(target: Target, path: string): Reading<boolean> {
  const seen = target.files.stat(path)
  return seen.kind === 'unknown' ? seen : known(seen.kind === 'present')
}
