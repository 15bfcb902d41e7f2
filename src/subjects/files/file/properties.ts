import { splitWords } from '../../../model/shell-split.ts'
import { isSet, type PropertiesOf, type Rule } from '../../../model/property.ts'
import { defineProperties } from '../../../resource-type/define.ts'
import { parseCapabilities } from '../../../host/capabilities.ts'
import { ENTRY, entryOfTwo } from './lists.ts'
import type { FileDesired } from './model.ts'

/** What a policy may say about a file or directory. */
export const properties = defineProperties({
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
  validate: {
    kind: 'text',
    nonEmpty: true,
    phase: 'deferred',
    parameter: true,
    summary:
      'A command that validates new content before a fix replaces the old file. It runs without a shell, with `%s` replaced by the path of a file with the content. Unless it exits with 0, the old file stays.',
  },
  content: {
    kind: 'text',
    accepts: 'lines',
    aliases: ['contents'],
    phase: 'deferred',
    summary:
      'The content of the file; empty text means an empty file. Without `content` and `source`, only owner, group and mode are managed. An acceptance sets which lines the file must or must not have (`includes`, `excludes`: a fix appends or removes them), and what the whole text must match.',
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
      'The SHA-256 of the content, if the policy does not hold the content itself. A fix needs a `source` or `content` that matches it.',
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
  acl: {
    kind: 'list',
    accepts: 'set',
    items: {
      kind: 'text',
      summary: 'One entry.',
      pattern: {
        expression: ENTRY,
        describes: 'an entry for a user or group such as "user:app:r--" or "default:group:adm:r-x"',
      },
    },
    phase: 'early',
    summary:
      'The entries for users and groups in its access control list, as getfacl prints them; entries of the default list of a directory start with `default:`. Owner, group and other permissions are part of `mode`, whose group bits are the mask of the list. An empty list means no such entries.',
  },
  capabilities: {
    kind: 'text',
    nonEmpty: true,
    phase: 'early',
    summary: 'The capabilities of a program, as getcap prints them, such as `cap_net_raw=ep`; `none` for none.',
  },
  access: {
    kind: 'text',
    oneOf: ['mode', 'any'],
    phase: 'early',
    parameter: true,
    summary:
      'Whether access beyond owner, group and mode is accepted: no (`mode`) or yes (`any`). By default as `mode`, but without an error if it cannot be read.',
  },
  parents_mode: {
    kind: 'text',
    pattern: { expression: '0?[0-7]{3}', describes: 'permissions such as "0750"' },
    phase: 'early',
    parameter: true,
    summary:
      'The permissions of missing parent directories (`ensure: directory`); 0755 by default, regardless of the umask.',
  },
  in_place: {
    kind: 'boolean',
    phase: 'early',
    parameter: true,
    summary:
      'Whether a fix writes into an existing file. The file keeps its inode and all its hard links, and may be a mount point, such as `/etc/hosts` in a container. Without `in_place`, a new file replaces the old one atomically. With it, a reader may see partial content, and a kill may leave partial content for the next fix or an undo to correct.',
  },
  immutable: {
    kind: 'boolean',
    phase: 'early',
    summary:
      'Whether the file is immutable, even for root (`chattr +i`). A fix of other properties removes the flag first and sets it again at the end if it is desired. By default the flag is not checked.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['create', 'drift', 'compliant'],
    default: 'create',
    phase: 'early',
    parameter: true,
    summary:
      'Verdict if nothing exists at the path: drift that a fix corrects by creating it (`create`, with empty content by default), drift that a fix refuses to correct, or compliant. With `drift` and `compliant`, `owner`, `group` and `mode` are optional; an omitted property is not compared and not changed.',
  },
  force: {
    kind: 'boolean',
    default: false,
    parameter: true,
    summary: 'Lets `absent` remove a directory that is not empty.',
  },
})

/** What its properties have to be together. */
export const rules: readonly Rule<PropertiesOf<typeof properties>>[] = [
  requiredToCreate('owner'),
  requiredToCreate('group'),
  requiredToCreate('mode'),
  {
    summary: '`validate` needs `ensure: present` and has `%s` among its words.',
    reads: ['ensure', 'validate'],
    at: 'validate',
    check: ({ ensure, validate }) => (validate === undefined ? undefined : validateProblem(ensure, validate)),
  },
  {
    summary: '`in_place` needs `ensure: present`.',
    reads: ['ensure', 'in_place'],
    at: 'in_place',
    check: ({ ensure, in_place: inPlace }) =>
      inPlace !== undefined && ensure !== undefined && ensure !== 'present'
        ? `'in_place' is only valid with 'ensure: present', got 'ensure: ${ensure}'`
        : undefined,
  },
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
      if (typeof content === 'object') return "'sha256' requires a single content, but 'content' accepts several"
      return ensure === 'present' || ensure === undefined
        ? undefined
        : `'sha256' is only valid with 'ensure: present', got 'ensure: ${ensure}'`
    },
  },
  {
    summary: '`acl` has one entry for each user or group.',
    reads: ['acl'],
    at: 'acl',
    check: ({ acl }) => {
      const twice = acl === undefined ? undefined : entryOfTwo(acl)
      return twice === undefined ? undefined : `'acl' has two entries for ${twice}`
    },
  },
  {
    summary: '`acl` and `capabilities` need something at the path, and `capabilities` a file.',
    reads: ['ensure', 'acl', 'capabilities'],
    check: ({ ensure, acl, capabilities }) => {
      if (acl !== undefined && ensure === 'absent') return "'acl' contradicts 'ensure: absent'"
      const isFile = ensure === undefined || ensure === 'present'
      return capabilities === undefined || isFile ? undefined : `'capabilities' is only valid with 'ensure: present'`
    },
  },
  {
    summary: '`immutable` needs something at the path.',
    reads: ['ensure', 'immutable'],
    at: 'immutable',
    check: ({ ensure, immutable }) =>
      immutable !== undefined && ensure === 'absent' ? "'immutable' contradicts 'ensure: absent'" : undefined,
  },
  {
    summary: '`capabilities` is what setcap takes for a file.',
    reads: ['capabilities'],
    at: 'capabilities',
    check: ({ capabilities }) =>
      capabilities === undefined || parseCapabilities(capabilities) !== undefined
        ? undefined
        : `'capabilities: ${capabilities}' is not valid for a file: write it as getcap prints it, such as "cap_net_raw=ep", or "none"`,
  },
]

function hasLineBreak(content: FileDesired['content']): boolean {
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
      if (value === '') return `${property} cannot be empty`
      return value === undefined && ifAbsent === 'create' ? `${property} is required` : undefined
    },
  }
}

function validateProblem(ensure: string | undefined, validate: string): string | undefined {
  if (ensure !== undefined && ensure !== 'present')
    return `'validate' requires content, which 'ensure: ${ensure}' does not have`
  const split = splitWords(validate)
  if (!split.ok) return `'validate': ${split.problem}`
  return split.words.slice(1).some((word) => word.includes('%s'))
    ? undefined
    : "'validate' must contain %s for the file with the new content"
}
