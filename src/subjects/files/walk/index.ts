import type { ExportsOf } from '../../../model/exported.ts'
import type { Seen } from '../../../model/observation.ts'
import { defineExports, defineResource, type ResourceType } from '../../../resource-type/define.ts'
import { riskOfPaths } from '../../shared/risk.ts'
import { applyFiles } from './apply.ts'
import { decideFiles, type FilesState } from './decide.ts'
import type { EntryAccounts } from './entry-rules.ts'
import { observeFiles } from './observe.ts'
import { properties } from './properties.ts'
import { filesRules } from './rules.ts'

/** What later resources can read. */
const exports = defineExports({
  count: { kind: 'integer', summary: 'Number of evaluated entries.' },
  offenders: { kind: 'integer', summary: 'Number of entries with drift.' },
})

/** Everything below a directory, by sets of accepted attributes. */
export const files: ResourceType = defineResource({
  type: 'files',
  summary: 'Everything below a directory: permissions, owners and file types.',
  properties,
  rules: filesRules,
  exports,
  drifts: ['ensure', 'named', 'mode', 'owner', 'group', 'kind', 'unowned', 'access', 'capabilities', 'only', 'entries'],
  neverSecret: ['ensure', 'named', 'mode', 'kind', 'unowned', 'access', 'capabilities', 'only', 'entries'],
  examples: [
    {
      title: 'No world-writable file on any local disk',
      yaml: `
        files:
          - /:
              alias: world-writable
              file_systems: all_local
              kinds: [file]
              mode: { at_most: "7775" }`,
    },
    {
      title: 'World-writable directories have the sticky bit',
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
      title: 'Only these programs are setuid or setgid',
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
      title: 'Only these programs have capabilities',
      yaml: `
        files:
          - /:
              alias: capabilities
              file_systems: all_local
              capabilities: false
              exclude: [usr/bin/ping]`,
    },
    {
      title: 'The logs of auditd and rsyslog are accessible by root only, in any directory',
      yaml: `
        files:
          - /:
              alias: audit logs
              named_by: auditd
              kinds: [file]
              mode: { at_most: "0600" }
              owner: root
          - /:
              alias: logs
              named_by: rsyslog
              kinds: [file]
              mode: { at_most: "0640" }
              if_absent: compliant`,
    },
    {
      title: 'The PATH of root is writable by root only',
      yaml: `
        files:
          - /:
              alias: path of root
              named_by: root_path
              kind: directory
              mode: { at_most: "0755" }
              owner: root`,
    },
    {
      title: 'sudoers.d contains only these two files',
      yaml: `
        files:
          - /etc/sudoers.d:
              only: [README, admins]
              owner: root`,
    },
    {
      title: 'All files have a valid owner and group',
      yaml: `
        files:
          - /home:
              unowned: false`,
    },
  ],
  platforms: ['linux'],
  observe: observeFiles,
  decide: decideFiles,
  hazards: (_wanted, { changes }) => ({ risk: riskOfPaths(changes.map(({ path }) => path)) }),
  apply: applyFiles,
  exportsOf: exportsOfFiles,
})

function exportsOfFiles(_wanted: unknown, observed: Seen<FilesState, EntryAccounts>): ExportsOf<typeof exports> {
  if (observed.kind === 'absent') return {}
  return { count: observed.state.count, offenders: observed.state.offenders.length }
}
