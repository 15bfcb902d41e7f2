import { valuesNamed } from '../../core/acceptance.ts'
import type { ExportsOf } from '../../core/exported.ts'
import { parseMode } from '../../core/mode.ts'
import type { Seen } from '../../core/observation.ts'
import { patternProblem } from '../../core/path-patterns.ts'
import type { PropertiesOf, Rule } from '../../core/property.ts'
import { isAcceptance } from '../../core/acceptance.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../resource-type/define.ts'
import { applyFiles } from './apply.ts'
import { decideFiles, type FilesState } from './decide.ts'
import type { EntryAccounts } from './entry-rules.ts'
import { observeFiles } from './observe.ts'

const KINDS = ['file', 'directory', 'symlink', 'fifo', 'socket', 'block-device', 'character-device'] as const

const TEN_MINUTES_MS = 600_000

/** What a policy may say about everything below a directory. */
const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    absolutePath: true,
    phase: 'early',
    summary:
      'Absolute path of the directory. It is looked at itself, too, unless `include` is there. It may be a link; below it no link is followed.',
  },
  include: {
    kind: 'list',
    items: { kind: 'text', summary: 'A pattern.' },
    nonEmpty: true,
    phase: 'early',
    parameter: true,
    summary:
      'Only what matches one of these patterns is looked at. `*` is any run of characters, `?` one, `[a-z]` and `[^a-z]` one of a set, none of them a slash; a backslash takes a special meaning away. A pattern without a slash is compared with names at any depth, one with a slash with the path from the directory on, in which `**` stands for any number of directories.',
  },
  exclude: {
    kind: 'list',
    items: { kind: 'text', summary: 'A pattern.' },
    phase: 'early',
    parameter: true,
    summary: 'What matches one of these patterns is left out, and everything below it.',
  },
  depth: {
    kind: 'integer',
    minimum: 0,
    phase: 'early',
    parameter: true,
    summary:
      'How many levels below the directory are looked at: 1 is what lies directly in it. All of them by default.',
  },
  kinds: {
    kind: 'list',
    items: { kind: 'text', oneOf: KINDS, summary: 'A kind.' },
    nonEmpty: true,
    phase: 'early',
    parameter: true,
    summary: 'Only entries of these kinds are looked at.',
  },
  with_mode: {
    kind: 'text',
    accepts: 'mode',
    phase: 'early',
    parameter: true,
    summary: 'Only entries with such a mode are looked at: with `{ at_least: "0002" }` those that anybody can write.',
  },
  file_systems: {
    kind: 'text',
    oneOf: ['own', 'all_local'],
    default: 'own',
    phase: 'early',
    parameter: true,
    summary:
      'Whether only the file system of the directory is looked at, or with `all_local` also all those mounted below it that this machine holds on disks or in memory. What the network, other processes or the kernel answer for is never entered, nor are the files of containers, unless the directory lies there. What was not entered is said.',
  },
  mode: {
    kind: 'text',
    accepts: 'mode',
    phase: 'early',
    summary:
      'The permissions of every entry that is no link. The special bits of directories count only where the mode names special bits.',
  },
  owner: {
    kind: 'text',
    accepts: 'account',
    phase: 'early',
    summary: 'User name or numeric user id of the owner of every entry.',
  },
  group: {
    kind: 'text',
    accepts: 'account',
    phase: 'early',
    summary: 'Group name or numeric group id of every entry.',
  },
  kind: {
    kind: 'text',
    accepts: 'text',
    phase: 'early',
    summary: 'What every entry is; a fix never changes it.',
  },
  unowned: {
    kind: 'boolean',
    phase: 'early',
    summary: 'With `false` every entry belongs to a user and a group that there are; a fix lists the others only.',
  },
  capabilities: {
    kind: 'boolean',
    phase: 'early',
    summary:
      'With `false` no program gives capabilities to whoever runs it, as a copy of `cat` with `cap_dac_read_search` does, which can read everything.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary: 'What it is if there is no such directory: a difference that a fix cannot take away, or compliant.',
  },
  timeout: {
    kind: 'duration',
    default: TEN_MINUTES_MS,
    phase: 'early',
    parameter: true,
    summary: 'How long looking may take. What was not looked at by then is an error, not compliant.',
  },
})

/** What later resources can read. */
const exports = defineExports({
  count: { kind: 'integer', summary: 'How many entries were looked at.' },
  offenders: { kind: 'integer', summary: 'How many of them are not as they should be.' },
})

type Properties = PropertiesOf<typeof properties>

/** Everything below a directory, by sets of accepted attributes. */
export const files: ResourceType = defineResource({
  type: 'files',
  summary: 'Everything below a directory: permissions, owners and kinds of what is there.',
  properties,
  rules: [
    {
      summary: 'At least one of `mode`, `owner`, `group`, `kind`, `unowned` and `capabilities` is there.',
      reads: ['mode', 'owner', 'group', 'kind', 'unowned', 'capabilities'],
      check: ({ mode, owner, group, kind, unowned, capabilities }) =>
        [mode, owner, group, kind, unowned, capabilities].every((value) => value === undefined)
          ? 'needs at least one of mode, owner, group, kind, unowned and capabilities: nothing is compared'
          : undefined,
    },
    onlyFalse('unowned'),
    onlyFalse('capabilities'),
    patternsOf('include'),
    patternsOf('exclude'),
    modeOf('mode'),
    modeOf('with_mode'),
    { reads: ['kind'], at: 'kind', check: ({ kind }) => kindProblem(kind) },
  ],
  exports,
  drifts: ['ensure', 'mode', 'owner', 'group', 'kind', 'unowned', 'capabilities', 'entries'],
  neverSecret: ['ensure', 'mode', 'kind', 'unowned', 'capabilities', 'entries'],
  examples: [
    {
      title: 'No file on any disk of this machine can be written by everybody',
      yaml: `
        files:
          - /:
              alias: world-writable
              file_systems: all_local
              kinds: [file]
              mode: { at_most: "7775" }`,
    },
    {
      title: 'Directories in which everybody can write are sticky',
      yaml: `
        files:
          - /:
              alias: sticky
              file_systems: all_local
              kinds: [directory]
              with_mode: { at_least: "0002" }
              mode: { at_least: "1000" }`,
    },
    {
      title: 'No programs with set-user-id or set-group-id but these',
      yaml: `
        files:
          - /usr:
              kinds: [file]
              mode: { at_most: "1777" }
              exclude: [bin/su, bin/passwd, bin/sudo]`,
    },
    {
      title: 'Private keys of the host, by their names',
      yaml: `
        files:
          - /etc/ssh:
              include: ["*_key"]
              depth: 1
              kinds: [file]
              mode: { at_most: "0600" }
              owner: root`,
    },
    {
      title: 'No program has capabilities but these',
      yaml: `
        files:
          - /:
              alias: capabilities
              file_systems: all_local
              capabilities: false
              exclude: [usr/bin/ping]`,
    },
    {
      title: 'Everything belongs to somebody',
      yaml: `
        files:
          - /home:
              unowned: false`,
    },
  ],
  platforms: ['linux'],
  observe: observeFiles,
  decide: decideFiles,
  apply: applyFiles,
  exportsOf: exportsOfFiles,
})

function onlyFalse(property: 'unowned' | 'capabilities'): Rule<Properties> {
  return {
    summary: `\`${property}\` can only be \`false\`.`,
    reads: [property],
    at: property,
    check: ({ [property]: value }) =>
      value === true ? `${property} can only be false: leave it out to accept both` : undefined,
  }
}

function patternsOf(property: 'include' | 'exclude'): Rule<Properties> {
  return {
    reads: [property],
    at: property,
    check({ [property]: patterns = [] }) {
      for (const pattern of patterns) {
        const problem = patternProblem(pattern)
        if (problem !== undefined) return `the pattern "${pattern}" ${problem}`
      }
      return undefined
    },
  }
}

function modeOf(property: 'mode' | 'with_mode'): Rule<Properties> {
  return {
    reads: [property],
    at: property,
    check({ [property]: mode }) {
      if (mode === undefined) return undefined
      for (const text of isAcceptance(mode) ? valuesNamed(mode) : [mode]) {
        const parsed = parseMode(text)
        if ('problem' in parsed) return `${property} "${text}" ${parsed.problem}`
      }
      return undefined
    },
  }
}

function kindProblem(kind: Properties['kind']): string | undefined {
  if (kind === undefined) return undefined
  const named = isAcceptance(kind) ? valuesNamed(kind) : [kind]
  const strange = named.find((each) => !(KINDS as readonly string[]).includes(each))
  return strange === undefined ? undefined : `kind "${strange}" is none of ${KINDS.join(', ')}`
}

function exportsOfFiles(_wanted: unknown, observed: Seen<FilesState, EntryAccounts>): ExportsOf<typeof exports> {
  if (observed.kind === 'absent') return {}
  return { count: observed.state.count, offenders: observed.state.offenders.length }
}
