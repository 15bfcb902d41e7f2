import type { ExportsOf } from '../../core/exported.ts'
import type { Observation, Unknown } from '../../core/observation.ts'
import { accountName } from '../shared/account.ts'
import { defineExports, type ResourceStatus } from '../../resource-type/define.ts'
import { KIND_WORDS } from '../shared/kind-words.ts'
import { formatMode } from './mode.ts'
import type { FileProperties } from './properties.ts'
import type { FileContext, FileState } from './state.ts'

/** What later resources can read of a file. All but the first two are of what is at the path. */
export const fileExports = defineExports({
  path: { kind: 'text', summary: 'The path of the resource.' },
  exists: { kind: 'boolean', summary: 'Whether anything is at the path; a link that leads nowhere is.' },
  type: {
    kind: 'text',
    summary: 'What it is: `file`, `directory`, `symlink` (one that leads nowhere), `fifo`, `socket`, a device.',
  },
  owner: { kind: 'text', summary: 'The name of its owner; the id where it has no name.' },
  uid: { kind: 'integer', summary: 'The id of its owner.' },
  group: { kind: 'text', summary: 'The name of its group; the id where it has no name.' },
  gid: { kind: 'integer', summary: 'The id of its group.' },
  mode: { kind: 'text', summary: 'Its permissions as four octal digits.' },
  size: { kind: 'integer', summary: 'Its size in bytes.' },
  checksum: {
    kind: 'text',
    summary: 'sha256 of its content in lower-case hex, where the policy manages the content of a file that is there.',
  },
})

/** The values of a file as it was seen. */
export function exportsOfFile(
  { name }: FileProperties,
  observed: Exclude<Observation<FileState, FileContext>, Unknown>,
): ExportsOf<typeof fileExports> {
  if (observed.kind === 'absent') return { path: name, exists: false }
  const { kind, owner, group, mode, sizeBytes, content } = observed.state
  return {
    path: name,
    exists: true,
    type: KIND_WORDS[kind],
    owner: accountName(owner),
    uid: owner.id,
    group: accountName(group),
    gid: group.id,
    mode: formatMode(mode),
    size: sizeBytes,
    checksum: content?.kind === 'known' ? content.value.sha256 : undefined,
  }
}

/** Owner, group and permissions of what is there; its content is not looked at. */
export const fileStatus: ResourceStatus<ExportsOf<typeof fileExports>> = {
  look: { ensure: 'present', if_absent: 'compliant' },
  describe({ exists, type, owner, group, mode }) {
    if (exists === false) return { ensure: 'absent' }
    if (type !== 'file' && type !== 'directory') return `is a ${type}, which no file resource describes`
    return { ensure: type === 'file' ? 'present' : 'directory', owner, group, mode }
  },
}
