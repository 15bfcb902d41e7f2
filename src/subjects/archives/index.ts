import type { FileStat, Target } from '../../host/target.ts'
import type { ExportsOf } from '../../model/exported.ts'
import { type Seen, absent, known, type Observation, present, type Reading } from '../../model/observation.ts'
import { isSet } from '../../model/property.ts'
import {
  defineExports,
  defineProperties,
  defineResource,
  type ResourceType,
  type ResourceContext,
} from '../../resource-type/define.ts'
import { accountName, readAccounts } from '../shared/accounts.ts'
import { withParents, directoryObstacles, look, parentObstacles } from '../shared/paths.ts'
import { riskOfPaths } from '../shared/risk.ts'
import { applyArchive } from './apply.ts'
import { type ArchiveContext, type ArchiveState, type ArchiveDesired, decideArchive } from './decide.ts'
import { archiveRules, SUFFIXES } from './rules.ts'

const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    absolutePath: true,
    phase: 'early',
    summary: `Absolute path of the archive file; ends in ${SUFFIXES}.`,
  },
  ensure: {
    kind: 'text',
    required: true,
    oneOf: ['present', 'absent'],
    phase: 'early',
    summary: 'Whether the archive must be downloaded (and unpacked, with extract_parent) or must not exist.',
  },
  url: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    phase: 'early',
    summary: 'The http or https URL of the archive; of the same archive type as the name.',
  },
  owner: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    accepts: 'account',
    phase: 'early',
    summary: 'User name or id of the owner of the archive file, not of the unpacked files.',
  },
  group: {
    kind: 'text',
    required: true,
    nonEmpty: true,
    accepts: 'account',
    phase: 'early',
    summary: 'Group name or numeric group id of the archive file, not of the unpacked files.',
  },
  checksum: {
    kind: 'text',
    phase: 'early',
    pattern: { expression: '(?:[0-9a-fA-F]{64})?', describes: 'the 64 hexadecimal digits of a sha256 checksum' },
    summary:
      'The sha256 checksum of the archive, compared without case. It is a single digest, not a condition, because downloads and unpacked archives are verified against it.',
  },
  extract_parent: {
    kind: 'text',
    phase: 'early',
    summary: 'Absolute path of the directory to unpack the archive into; created with its parents if missing.',
  },
  creates: {
    kind: 'text',
    phase: 'early',
    summary:
      'Absolute path of a file or directory from the archive. If it exists, the archive is not downloaded for unpacking alone.',
  },
  cleanup: {
    kind: 'boolean',
    default: false,
    phase: 'early',
    summary: 'Whether the archive file is removed after unpacking. Requires extract_parent and creates.',
  },
  username: {
    kind: 'text',
    phase: 'early',
    parameter: true,
    summary: 'User name for basic authentication; used together with a password.',
  },
  password: {
    kind: 'text',
    phase: 'early',
    parameter: true,
    sensitive: true,
    summary: 'Password for basic authentication.',
  },
  headers: {
    kind: 'map',
    values: { kind: 'text', sensitive: true, summary: 'The value of the header.' },
    phase: 'early',
    parameter: true,
    sensitive: true,
    summary:
      'Request headers, not sent to other servers on a redirect. `Authorization` overrides user name and password.',
  },
  timeout: {
    kind: 'duration',
    parameter: true,
    summary: 'Time limit of the whole download; six hours by default. At least 64 KiB must arrive every minute.',
  },
  tries: {
    kind: 'integer',
    default: 3,
    minimum: 1,
    maximum: 100,
    parameter: true,
    summary: 'Number of download attempts if the connection or the server fails.',
  },
  max_size: {
    kind: 'text',
    default: '2GiB',
    parameter: true,
    summary: 'Maximum size of the archive, in bytes or with a unit such as `500MB` or `2GiB`.',
  },
  max_extracted_size: {
    kind: 'text',
    default: '10GiB',
    parameter: true,
    summary: 'Maximum unpacked size, in bytes or with a unit.',
  },
})

const exports = defineExports({
  path: { kind: 'text', summary: 'The path of the archive.' },
  exists: { kind: 'boolean', summary: 'Whether the archive exists; false after `cleanup`.' },
  created: { kind: 'boolean', summary: 'Whether the path of `creates` exists.' },
  owner: { kind: 'text', summary: 'Owner name, or the id without a name.' },
  uid: { kind: 'integer', summary: 'The id of its owner.' },
  group: { kind: 'text', summary: 'Group name, or the id without a name.' },
  gid: { kind: 'integer', summary: 'The id of its group.' },
  checksum: { kind: 'text', summary: 'sha256 of the archive in lower-case hex, if it was compared.' },
})

export const archive: ResourceType = defineResource({
  type: 'archive',
  summary: 'Archives downloaded from web servers: the archive file and the files unpacked from it.',
  properties,
  rules: archiveRules,
  exports,
  drifts: ['ensure', 'creates', 'owner', 'group', 'checksum', 'cleanup'],
  examples: [
    {
      title: 'An application, downloaded and unpacked, with the archive removed',
      yaml: `
        archive:
          - /var/cache/app-1.4.2.tar.gz:
              ensure: present
              url: https://releases.example.com/app-1.4.2.tar.gz
              checksum: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
              extract_parent: /opt/app
              creates: /opt/app/app-1.4.2/bin/app
              cleanup: true
              owner: root
              group: root`,
    },
    {
      title: 'An archive downloaded only, from a server that requires a token',
      yaml: `
        archive:
          - /srv/mirror/tools.zip:
              ensure: present
              url: https://artifacts.example.com/tools.zip
              headers:
                Authorization: "Bearer {{ lookup('data.token', '') }}"
              timeout: 10m
              max_size: 500MB
              owner: root
              group: root`,
    },
    {
      title: 'An archive that must not exist',
      yaml: `
        archive:
          - /tmp/installer.zip:
              ensure: absent
              url: https://releases.example.com/installer.zip
              owner: root
              group: root`,
    },
  ],
  providers: [{ name: 'http', observe: observeArchive, apply: applyArchive }],
  decide: decideArchive,
  hazards: ({ name, extract_parent: parent, creates }) => ({
    risk: riskOfPaths([name, parent, creates].filter(isSet)),
  }),
  exportsOf: exportsOfArchive,
  // The archive file unless it is cleaned up, `creates`, and the target directory with its parents.
  provides({ name, ensure, creates, cleanup, extract_parent: parent }) {
    if (ensure === 'absent') return []
    const paths = [...(cleanup ? [] : [name]), ...(isSet(creates) ? [creates] : [])]
    return isSet(parent) ? [...paths, ...withParents(parent)] : paths
  },
})

function exportsOfArchive(
  { name }: ArchiveDesired,
  observed: Seen<ArchiveState, ArchiveContext>,
): ExportsOf<typeof exports> {
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

type ArchiveObservation = Observation<ArchiveState, ArchiveContext>
type Desired = Extract<ArchiveContext, { ensure: 'present' }>

/** Observes the archive file and `creates`; makes no network request. */
async function observeArchive(
  target: Target,
  desired: ArchiveDesired,
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
  const digest = await target.files.digest(desired.name, stat, signal)
  const checksum = digest.kind === 'known' ? known(digest.value.sha256) : digest
  return present({ ...state, checksum }, context)
}

function observeUnwanted(target: Target, { name }: ArchiveDesired): ArchiveObservation {
  const context = { ensure: 'absent' } as const
  const seen = target.files.lstat(name)
  if (seen.kind === 'unknown') return seen
  return seen.kind === 'absent' ? absent(context) : present(describe(target, seen.state), context)
}

function describe(target: Target, { kind, uid, gid }: FileStat): ArchiveState {
  return {
    kind,
    owner: { id: uid, name: target.names.userName(uid) },
    group: { id: gid, name: target.names.groupName(gid) },
  }
}

/** Hashing a large file is only worthwhile if its checksum is compared. */
function isCompared({ checksum, cleanup }: ArchiveDesired, { creates }: Desired): boolean {
  const isLeftOver = cleanup && creates?.kind === 'known' && creates.value
  return isSet(checksum) && !isLeftOver
}

async function readContext(target: Target, desired: ArchiveDesired): Promise<Desired> {
  const { name, creates, extract_parent: parent } = desired
  return {
    ensure: 'present',
    owner: await readAccounts(desired.owner, (text) => target.names.userId(text)),
    group: await readAccounts(desired.group, (text) => target.names.groupId(text)),
    creates: isSet(creates) ? pathExists(target, creates) : undefined,
    downloadObstacles: parentObstacles(target, name),
    extractObstacles: isSet(parent) ? directoryObstacles(target, parent) : [],
  }
}

function pathExists(target: Target, path: string): Reading<boolean> {
  const seen = target.files.stat(path)
  return seen.kind === 'unknown' ? seen : known(seen.kind === 'present')
}
