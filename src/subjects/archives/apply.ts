import { defined } from '../../model/defined.ts'
import type { ApplyOutcome } from '../../model/decision.ts'
import { isSet } from '../../model/property.ts'
import { parseSize } from '../../model/size.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import { archiveFormat } from '../../host/archive/archive-format.ts'
import type { FileAttributes, Remediator } from '../../host/remediator.ts'
import type { ArchiveAction, ArchiveDesired } from './decide.ts'

const DEFAULT_TIMEOUT_MS = 6 * 60 * 60_000

/** Runs the planned steps in order: download, unpack, remove. Stops at the first failure. */
export async function applyArchive(
  remediator: Remediator,
  desired: ArchiveDesired,
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
  desired: ArchiveDesired,
  { download, extract, cleanup, refetch }: Extract<ArchiveAction, { kind: 'install' }>,
  context: ResourceContext,
): Promise<ApplyOutcome> {
  if (download !== undefined) {
    const downloaded = await fetchArchive(remediator, desired, download, context)
    if (downloaded.kind === 'failed') return downloaded
  }
  if (extract) {
    const extracted = await unpackArchive(remediator, desired, context)
    if (extracted.kind === 'failed' && refetch !== undefined) {
      const action = { kind: 'install', download: refetch, extract, cleanup } as const
      const again = await install(remediator, desired, action, context)
      if (again.kind === 'done') return again
      return { ...again, message: `${extracted.message}; downloaded again: ${again.message}` }
    }
    if (extracted.kind === 'failed') {
      // Without `creates`, the archive file is the only evidence of unpacking, so a leftover would look compliant.
      const isSilent = download !== undefined && !isSet(desired.creates)
      if (isSilent) await remediator.remove(desired.name, { recursive: false })
      return extracted
    }
  }
  return cleanup ? remediator.remove(desired.name, { recursive: false }) : { kind: 'done' }
}

function fetchArchive(
  remediator: Remediator,
  { url, name, headers = {}, username, password, checksum, timeout, tries, max_size }: ArchiveDesired,
  attributes: FileAttributes,
  { signal }: ResourceContext,
): Promise<ApplyOutcome> {
  return remediator.download({
    url,
    path: name,
    attributes,
    headers,
    ...defined({ username, password }),
    ...(isSet(checksum) ? { sha256: checksum } : {}),
    timeoutMs: timeout ?? DEFAULT_TIMEOUT_MS,
    maxBytes: bytes(max_size),
    tries,
    signal,
  })
}

function unpackArchive(
  remediator: Remediator,
  { name, extract_parent: directory = '', checksum, max_extracted_size }: ArchiveDesired,
  { signal }: ResourceContext,
): Promise<ApplyOutcome> {
  const format = archiveFormat(name)
  if (format === undefined) return Promise.resolve({ kind: 'failed', message: 'archive type not supported' })
  return remediator.extract({
    archive: name,
    format,
    directory,
    // The owner of the file may change it at any time, so the checksum is verified while unpacking.
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
