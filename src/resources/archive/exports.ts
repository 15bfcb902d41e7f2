import type { ExportsOf } from '../../core/exported.ts'
import type { Observation, Unknown } from '../../core/observation.ts'
import { accountName } from '../shared/accounts.ts'
import { defineExports } from '../../resource-type/define.ts'
import type { ArchiveProperties } from './properties.ts'
import type { ArchiveContext, ArchiveState } from './state.ts'

/** What later resources can read of an archive. Owner, group and checksum are those of the archive's file. */
export const archiveExports = defineExports({
  path: { kind: 'text', summary: 'The path of the archive.' },
  exists: { kind: 'boolean', summary: 'Whether the archive is there; not so after `cleanup`.' },
  created: { kind: 'boolean', summary: 'Whether the path of `creates` exists.' },
  owner: { kind: 'text', summary: 'The name of its owner; the id where it has no name.' },
  uid: { kind: 'integer', summary: 'The id of its owner.' },
  group: { kind: 'text', summary: 'The name of its group; the id where it has no name.' },
  gid: { kind: 'integer', summary: 'The id of its group.' },
  checksum: { kind: 'text', summary: 'sha256 of the archive in lower-case hex, where it had to be compared.' },
})

/** The values of an archive as it was seen. */
export function exportsOfArchive(
  { name }: ArchiveProperties,
  observed: Exclude<Observation<ArchiveState, ArchiveContext>, Unknown>,
): ExportsOf<typeof archiveExports> {
  const creates = observed.context.ensure === 'present' ? observed.context.creates : undefined
  const created = creates?.kind === 'known' ? creates.value : undefined
  if (observed.kind === 'absent') return { path: name, exists: false, created }
  const { owner, group, checksum } = observed.state
  return {
    path: name,
    exists: true,
    created,
    owner: accountName(owner),
    uid: owner.id,
    group: accountName(group),
    gid: group.id,
    checksum: checksum?.kind === 'known' ? checksum.value : undefined,
  }
}
