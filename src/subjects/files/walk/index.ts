import { join } from 'node:path'
import type { Remediator } from '../../../host/remediator.ts'
import { countOf } from '../../../model/count-of.ts'
import type { ApplyOutcome } from '../../../model/decision.ts'
import { defined } from '../../../model/defined.ts'
import type { ExportsOf } from '../../../model/exported.ts'
import type { Seen } from '../../../model/observation.ts'
import {
  defineExports,
  defineResource,
  type ResourceType,
  type ResourceContext,
} from '../../../resource-type/define.ts'
import { riskOfPaths } from '../../shared/risk.ts'
import { decideFiles, type FilesState, type FilesAction, type FilesDesired } from './decide.ts'
import { type EntryAccounts, entryRules } from './entry-rules.ts'
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

/** How many failures are told. */
const MOST_TOLD = 10

/** Sets the attributes of each path, by what it has now; one that fails does not keep the others from it. */
async function applyFiles(
  remediator: Pick<Remediator, 'adjustAttributes' | 'setAccess'>,
  wanted: FilesDesired,
  { changes, accounts }: FilesAction,
  { signal }: Pick<ResourceContext, 'signal'>,
): Promise<ApplyOutcome> {
  const { concerns, settle } = entryRules(wanted, accounts)
  const failures: string[] = []
  for (const { path, capabilities, acl } of changes) {
    if (signal.aborted) return { kind: 'failed', message: 'interrupted' }
    const at = join(wanted.name, path)
    // What takes the last name off a list changes the bits of the group, so the mode comes after it.
    if (acl !== undefined || capabilities !== undefined) {
      const access = { ...defined({ acl }), ...(capabilities === undefined ? {} : { capabilities: null }) }
      const taken = await remediator.setAccess(at, access)
      if (taken.kind === 'failed') failures.push(taken.message)
    }
    const outcome = await remediator.adjustAttributes(at, (attributes) =>
      concerns(attributes) ? settle(attributes) : undefined,
    )
    if (outcome.kind === 'failed') failures.push(outcome.message)
  }
  if (failures.length === 0) return { kind: 'done' }
  const others = failures.length - MOST_TOLD
  const told = failures.slice(0, MOST_TOLD).join('; ')
  return { kind: 'failed', message: others > 0 ? `${told}; and ${countOf(others, 'other path')}` : told }
}
