import type { ExportsOf } from '../../core/exported.ts'
import { formatMode } from '../../core/mode.ts'
import type { Seen } from '../../core/observation.ts'
import { isSet, type PropertiesOf, type Rule } from '../../core/property.ts'
import {
  defineExports,
  defineProperties,
  defineResource,
  type HintContext,
  type ResourceType,
} from '../../resource-type/define.ts'
import { accountName } from '../shared/accounts.ts'
import { KIND_WORDS, withParents } from '../shared/paths.ts'
import { applyFile } from './apply.ts'
import { decideFile } from './decide.ts'
import type { FileContext, FileState, FileWanted } from './model.ts'
import { observeFile } from './observe.ts'

/** What a policy may say about a file or directory. */
const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    absolutePath: true,
    phase: 'early',
    summary: 'Absolute path of the file or directory, without `.` or `..` components.',
  },
  ensure: {
    kind: 'text',
    required: true,
    oneOf: ['present', 'absent', 'directory'],
    phase: 'early',
    summary: 'Whether the path must be a regular file, must not exist, or must be a directory.',
  },
  content: {
    kind: 'text',
    accepts: 'lines',
    aliases: ['contents'],
    phase: 'deferred',
    summary:
      'What the file must contain; the empty text is an empty file. Without content and source only owner, group and mode are managed. As acceptance it says which lines must be in it or must not (`includes`, `excludes`: a fix adds them at the end, or takes them out), and what the text as a whole must match.',
  },
  source: {
    kind: 'text',
    phase: 'deferred',
    summary: "A local file the content must equal, relative to the policy's directory.",
  },
  sha256: {
    kind: 'text',
    pattern: { expression: '^[0-9A-Fa-f]{64}$', describes: '64 hexadecimal digits' },
    phase: 'deferred',
    summary:
      'The sha256 that the content must have, where the policy does not hold the content itself. A fix needs a `source` or `content` that has it.',
  },
  owner: {
    kind: 'text',
    accepts: 'account',
    phase: 'early',
    summary:
      'User name or numeric user id of the owner; a number is never looked up. Required where the file is created.',
  },
  group: {
    kind: 'text',
    accepts: 'account',
    phase: 'early',
    summary: 'Group name or numeric group id; a number is never looked up. Required where the file is created.',
  },
  mode: {
    kind: 'text',
    accepts: 'mode',
    phase: 'early',
    summary:
      'Permissions in octal, such as `"0644"`, or `"1777"` with a special bit; a directory gets the execute bit where read or write is set. Required where the file is created.',
  },
  access: {
    kind: 'text',
    oneOf: ['mode', 'any'],
    phase: 'early',
    parameter: true,
    summary:
      'Who may have access beside those whom owner, group and mode name: nobody (`mode`), or whoever has it (`any`). Without it, as `mode`, and no error where it cannot be read.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['create', 'drift', 'compliant'],
    default: 'create',
    phase: 'early',
    parameter: true,
    summary:
      'What it means that nothing is there: a difference that a fix creates, with empty content where none is given; a difference that a fix refuses; or no difference. With `drift` and `compliant`, `owner`, `group` and `mode` may be left out; what is left out is not compared and stays as it is.',
  },
  force: {
    kind: 'boolean',
    default: false,
    parameter: true,
    summary: 'Lets `absent` remove a directory that is not empty.',
  },
})

/** What later resources can read of a file. All but the first two are of what is at the path. */
const exports = defineExports({
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

/** Files and directories: existence, content, owner, group and permissions. */
export const file: ResourceType = defineResource({
  type: 'file',
  summary: 'Files and directories: existence, content, owner, group and permissions.',
  properties,
  rules: [
    requiredToCreate('owner'),
    requiredToCreate('group'),
    requiredToCreate('mode'),
    {
      summary: '`if_absent` needs `ensure: present` or `ensure: directory`.',
      reads: ['ensure', 'if_absent'],
      at: 'if_absent',
      check: ({ ensure, if_absent: ifAbsent }) =>
        ensure === 'absent' && ifAbsent !== undefined && ifAbsent !== 'create'
          ? `'if_absent: ${ifAbsent}' contradicts 'ensure: absent'`
          : undefined,
    },
    {
      summary: '`force: true` needs `ensure: absent`.',
      reads: ['ensure', 'force'],
      at: 'force',
      check: ({ ensure, force }) =>
        force === true && ensure !== undefined && ensure !== 'absent'
          ? `'force: true' is only valid with 'ensure: absent', got 'ensure: ${ensure}'`
          : undefined,
    },
    {
      summary: '`force: true` never removes the root of the file system.',
      reads: ['name', 'force'],
      at: 'force',
      check: ({ name, force }) =>
        force === true && name === '/' ? "'force: true' cannot be used with the filesystem root" : undefined,
    },
    {
      summary: 'Only one of `content` or `source` can be set.',
      reads: ['content', 'source'],
      at: 'source',
      check: ({ content, source }) =>
        content !== undefined && isSet(source) ? "'content' and 'source' are mutually exclusive" : undefined,
    },
    {
      summary: 'The lines that `content` includes or excludes are one line each.',
      reads: ['content'],
      at: 'content',
      check: ({ content }) =>
        hasLineBreak(content) ? 'a line of "includes" or "excludes" holds a line break' : undefined,
    },
    {
      summary: '`sha256` needs `ensure: present`, and no `content` that accepts several.',
      reads: ['ensure', 'content', 'sha256'],
      at: 'sha256',
      check: ({ ensure, content, sha256 }) => {
        if (sha256 === undefined) return undefined
        if (typeof content === 'object') return "'sha256' is of one content, and 'content' accepts several"
        return ensure === 'present' || ensure === undefined
          ? undefined
          : `'sha256' is only valid with 'ensure: present', got 'ensure: ${ensure}'`
      },
    },
  ],
  exports,
  drifts: ['ensure', 'content', 'sha256', 'owner', 'group', 'mode', 'access'],
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
      title: 'A copy of a file that lies beside the policy',
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
      title: 'Only owner, group and mode of a file that has to be there; nothing is made up for it',
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
  exportsOf: exportsOfFile,
  // Owner, group and permissions of what is there; its content is not looked at.
  status: {
    look: { ensure: 'present', if_absent: 'compliant' },
    describe({ exists, type, owner, group, mode }) {
      if (exists === false) return { ensure: 'absent' }
      if (type !== 'file' && type !== 'directory') return `is a ${type}, which no file resource describes`
      return { ensure: type === 'file' ? 'present' : 'directory', owner, group, mode }
    },
  },
  // A directory comes with all its parents; a file is only itself.
  provides({ name, ensure, if_absent: ifAbsent }) {
    if (ensure === 'absent' || ifAbsent !== 'create') return []
    return ensure === 'present' ? [name] : withParents(name)
  },
  hint,
})

function hasLineBreak(content: FileWanted['content']): boolean {
  if (typeof content !== 'object') return false
  return [...(content.includes ?? []), ...(content.excludes ?? [])].some((line) => line.includes('\n'))
}

function requiredToCreate(property: 'owner' | 'group' | 'mode'): Rule<PropertiesOf<typeof properties>> {
  return {
    summary: `\`${property}\` is required unless \`ensure\` is \`absent\` or \`if_absent\` is \`drift\` or \`compliant\`.`,
    reads: ['ensure', 'if_absent', property],
    at: property,
    check: ({ ensure, if_absent: ifAbsent = 'create', [property]: value }) => {
      if (ensure !== 'present' && ensure !== 'directory') return undefined
      // What a template leaves empty was meant to be compared.
      const isMissing = value === '' || (value === undefined && ifAbsent === 'create')
      return isMissing ? `${property} cannot be empty` : undefined
    },
  }
}

/** The values of a file as it was seen. */
function exportsOfFile({ name }: FileWanted, observed: Seen<FileState, FileContext>): ExportsOf<typeof exports> {
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

/** A baseline that is given to a fix must not invent the files it is about. */
function hint(given: Readonly<Record<string, unknown>>, { hasControls }: HintContext): string | undefined {
  const { ensure, content, source, sha256, if_absent: ifAbsent } = given
  const hasContent = content !== undefined || sha256 !== undefined || (source !== undefined && source !== '')
  if (!hasControls || ensure !== 'present' || hasContent || ifAbsent !== undefined) return undefined
  return "where nothing is there a fix creates an empty file: say 'if_absent: drift', 'compliant', or 'create' if that is meant"
}
