import { isNumericId } from '../../../model/account-id.ts'
import type { ExportsOf } from '../../../model/exported.ts'
import { formatMode } from '../../../model/mode.ts'
import type { Seen } from '../../../model/observation.ts'
import { defineExports, defineResource, type HintContext, type ResourceType } from '../../../resource-type/define.ts'
import { accountName } from '../../shared/accounts.ts'
import { KIND_WORDS, withParents } from '../../shared/paths.ts'
import { riskOfPaths } from '../../shared/risk.ts'
import { applyFile } from './apply.ts'
import { fileCapture } from './capture.ts'
import { decideFile } from './decide.ts'
import type { FileAction, FileContext, FileState, FileDesired } from './model.ts'
import { observeFile } from './observe.ts'
import { digestOf } from './observe-content.ts'
import { properties, rules } from './properties.ts'

/** Exports for later resources. All but the first two describe the object at the path. */
const exports = defineExports({
  path: { kind: 'text', summary: 'The path of the resource.' },
  exists: { kind: 'boolean', summary: 'Whether the path exists; a dangling link does.' },
  type: {
    kind: 'text',
    summary: 'File type: `file`, `directory`, `symlink` (dangling), `fifo`, `socket`, a device.',
  },
  owner: { kind: 'text', summary: 'Owner name, or the id without a name.' },
  uid: { kind: 'integer', summary: 'The id of its owner.' },
  group: { kind: 'text', summary: 'Group name, or the id without a name.' },
  gid: { kind: 'integer', summary: 'The id of its group.' },
  mode: { kind: 'text', summary: 'Its permissions as four octal digits.' },
  size: { kind: 'integer', summary: 'Its size in bytes.' },
  checksum: {
    kind: 'text',
    summary: 'sha256 of its content in lower-case hex, if the file exists and the policy manages its content.',
  },
})

/** Files and directories: existence, content, owner, group and permissions. */
export const file: ResourceType = defineResource({
  type: 'file',
  summary: 'Files and directories: existence, content, owner, group and permissions.',
  properties,
  rules,
  exports,
  drifts: ['ensure', 'content', 'sha256', 'owner', 'group', 'mode', 'acl', 'capabilities', 'access', 'immutable'],
  examples: [
    {
      title: 'A file with inline content',
      yaml: `
        file:
          - /etc/motd:
              ensure: present
              content: |
                Authorised use only.
              owner: root
              group: root
              mode: "0644"`,
    },
    {
      title: 'A copy of a file next to the policy',
      yaml: `
        file:
          - /etc/app/config.yaml:
              ensure: present
              source: files/config.yaml
              owner: app
              group: app
              mode: "0640"`,
    },
    {
      title: 'Owner, group and mode of a required file, which a fix does not create',
      yaml: `
        file:
          - /etc/shadow:
              ensure: present
              if_absent: drift
              owner: root
              group: shadow
              mode: "0640"`,
    },
    {
      title: 'A directory',
      yaml: `
        file:
          - /etc/cron.d:
              ensure: directory
              owner: root
              group: root
              mode: "0700"`,
    },
    {
      title: 'A path that must not exist, even if it is a directory with entries',
      yaml: `
        file:
          - /var/lib/legacy-app:
              ensure: absent
              force: true`,
    },
  ],
  providers: [{ name: 'posix', observe: observeFile, apply: applyFile }],
  decide: decideFile,
  hazards: ({ name }) => ({ risk: riskOfPaths([name]) }),
  exportsOf: exportsOfFile,
  exportsAfter: exportsOfFileAfter,
  capture: fileCapture,
  // A directory provides its parents as well; a file only provides itself.
  provides({ name, ensure, if_absent: ifAbsent }) {
    if (ensure === 'absent' || ifAbsent !== 'create') return []
    return ensure === 'present' ? [name] : withParents(name)
  },
  hint,
})

function exportsOfFile({ name }: FileDesired, observed: Seen<FileState, FileContext>): ExportsOf<typeof exports> {
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

function exportsOfFileAfter(
  desired: FileDesired,
  observed: Seen<FileState, FileContext>,
  action: FileAction,
): ExportsOf<typeof exports> {
  if (action.kind === 'impossible') return {}
  const { name } = desired
  if (action.kind === 'remove') return { path: name, exists: false }
  const { uid, gid, mode } = action.attributes
  const now = observed.kind === 'present' ? exportsOfFile(desired, observed) : {}
  return {
    path: name,
    exists: true,
    uid,
    gid,
    owner: nameAfter(desired.owner, uid === now.uid ? now.owner : undefined),
    group: nameAfter(desired.group, gid === now.gid ? now.group : undefined),
    // The mask of a list appears as the group bits.
    ...(action.access === undefined ? { mode: formatMode(mode) } : {}),
    ...contentAfter(desired, observed, action, now),
  }
}

/** Name of the account after the fix; an id would need a lookup, so its name is unknown. */
function nameAfter(written: FileDesired['owner'], now: string | undefined): string | undefined {
  if (now !== undefined) return now
  return typeof written === 'string' && !isNumericId(written) ? written : undefined
}

function contentAfter(
  { content }: FileDesired,
  { context }: Seen<FileState, FileContext>,
  { kind, text }: Extract<FileAction, { attributes: unknown }>,
  { type, size, checksum }: ExportsOf<typeof exports>,
): ExportsOf<typeof exports> {
  if (kind === 'create-directory') return { type: KIND_WORDS.directory }
  if (kind === 'set-attributes') return { type, size, checksum }
  const written = text ?? (typeof content === 'string' ? content : undefined)
  const wanted = context.ensure === 'present' ? context.content : undefined
  const digest =
    written !== undefined ? digestOf(Buffer.from(written)) : wanted?.kind === 'known' ? wanted.value : undefined
  return { type: KIND_WORDS.file, size: digest?.sizeBytes, checksum: digest?.sha256 }
}

/** A fix must not create files for a baseline that is about existing files. */
function hint(given: Readonly<Record<string, unknown>>, { hasControls }: HintContext): string | undefined {
  const { ensure, content, source, sha256, if_absent: ifAbsent } = given
  const hasContent = content !== undefined || sha256 !== undefined || (source !== undefined && source !== '')
  if (!hasControls || ensure !== 'present' || hasContent || ifAbsent !== undefined) return undefined
  return "a fix creates a missing file empty: set 'if_absent' to drift or compliant, or to create if intended"
}
