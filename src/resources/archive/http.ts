import type { ApplyOutcome } from '../../core/decision.ts'
import { absent, known, type Observation, present, type Reading } from '../../core/observation.ts'
import { archiveFormat } from '../../target/archive-format.ts'
import type { FileAttributes, Remediator } from '../../target/remediator.ts'
import type { FileStat, Target } from '../../target/target.ts'
import type { Provider, ResourceContext } from '../../resource-type/define.ts'
import { readAccount } from '../shared/accounts.ts'
import { directoryObstacles, look, parentObstacles } from '../shared/paths.ts'
import { isSet } from '../../core/property.ts'
import type { ArchiveProperties } from './properties.ts'
import { parseSize } from './size.ts'
import type { ArchiveAction, ArchiveContext, ArchiveState } from './state.ts'

type ArchiveObservation = Observation<ArchiveState, ArchiveContext>
type Wanted = Extract<ArchiveContext, { ensure: 'present' }>

const DEFAULT_TIMEOUT_MS = 6 * 60 * 60_000

/** Archives from web servers. */
export const http: Provider<ArchiveProperties, ArchiveState, ArchiveContext, ArchiveAction> = {
  name: 'http',
  observe: observeArchive,
  apply: applyArchive,
}

/** Looks at the archive's file and at what it creates; the network is never asked. */
export async function observeArchive(
  target: Target,
  desired: ArchiveProperties,
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
  const digest = await target.digest(desired.name, stat, signal)
  const checksum = digest.kind === 'known' ? known(digest.value.sha256) : digest
  return present({ ...state, checksum }, context)
}

function observeUnwanted(target: Target, { name }: ArchiveProperties): ArchiveObservation {
  const context = { ensure: 'absent' } as const
  const seen = target.lstat(name)
  if (seen.kind === 'unknown') return seen
  return seen.kind === 'absent' ? absent(context) : present(describe(target, seen.state), context)
}

function describe(target: Target, { kind, uid, gid }: FileStat): ArchiveState {
  return {
    kind,
    owner: { id: uid, name: target.userName(uid) },
    group: { id: gid, name: target.groupName(gid) },
  }
}

/** Reading a large file is only worth while where its checksum counts. */
function isCompared({ checksum, cleanup }: ArchiveProperties, { creates }: Wanted): boolean {
  const isLeftOver = cleanup && creates?.kind === 'known' && creates.value
  return isSet(checksum) && !isLeftOver
}

async function readContext(target: Target, desired: ArchiveProperties): Promise<Wanted> {
  const { name, creates, extract_parent: parent } = desired
  return {
    ensure: 'present',
    owner: await readAccount(desired.owner, (text) => target.userId(text)),
    group: await readAccount(desired.group, (text) => target.groupId(text)),
    creates: isSet(creates) ? exists(target, creates) : undefined,
    downloadObstacles: parentObstacles(target, name),
    extractObstacles: isSet(parent) ? directoryObstacles(target, parent) : [],
  }
}

function exists(target: Target, path: string): Reading<boolean> {
  const seen = target.stat(path)
  return seen.kind === 'unknown' ? seen : known(seen.kind === 'present')
}

async function applyArchive(
  remediator: Remediator,
  desired: ArchiveProperties,
  action: ArchiveAction,
  context: ResourceContext,
): Promise<ApplyOutcome> {
  switch (action.kind) {
    case 'install':
      return install(remediator, desired, action, context)
    case 'remove':
      return remediator.remove(desired.name, { recursive: false })
    case 'impossible':
      return { kind: 'failed', message: action.message }
  }
}

async function install(
  remediator: Remediator,
  desired: ArchiveProperties,
  { download, extract, cleanup }: Extract<ArchiveAction, { kind: 'install' }>,
  context: ResourceContext,
): Promise<ApplyOutcome> {
  if (download !== undefined) {
    const downloaded = await fetchArchive(remediator, desired, download, context)
    if (downloaded.kind === 'failed') return downloaded
  }
  if (extract) {
    const extracted = await unpackArchive(remediator, desired, context)
    if (extracted.kind === 'failed') {
      // Without a marker only the archive's presence says that it was unpacked, so the next look would find nothing wrong.
      const isSilent = download !== undefined && !isSet(desired.creates)
      if (isSilent) await remediator.remove(desired.name, { recursive: false })
      return extracted
    }
  }
  return cleanup ? remediator.remove(desired.name, { recursive: false }) : { kind: 'done' }
}

function fetchArchive(
  remediator: Remediator,
  { url, name, headers = {}, username, password, checksum, timeout, tries, max_size }: ArchiveProperties,
  attributes: FileAttributes,
  { signal }: ResourceContext,
): Promise<ApplyOutcome> {
  return remediator.download({
    url,
    path: name,
    attributes,
    headers,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isSet(checksum) ? { sha256: checksum } : {}),
    timeoutMs: timeout ?? DEFAULT_TIMEOUT_MS,
    maxBytes: bytes(max_size),
    tries,
    signal,
  })
}

function unpackArchive(
  remediator: Remediator,
  { name, extract_parent: directory = '', checksum, max_extracted_size }: ArchiveProperties,
  { signal }: ResourceContext,
): Promise<ApplyOutcome> {
  const format = archiveFormat(name)
  if (format === undefined) return Promise.resolve({ kind: 'failed', message: 'archive type not supported' })
  return remediator.extract({
    archive: name,
    format,
    directory,
    // Who owns the file may change it at any time, so the checksum holds for what is unpacked.
    ...(isSet(checksum) ? { sha256: checksum } : {}),
    maxBytes: bytes(max_extracted_size),
    signal,
  })
}

function bytes(size: string): number {
  const parsed = parseSize(size)
  if (parsed === undefined) throw new Error(`the size ${JSON.stringify(size)} was not checked`)
  return parsed
}
