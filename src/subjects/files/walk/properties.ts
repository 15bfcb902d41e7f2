import { NAMING_PROGRAMS } from '../../settings/naming-programs.ts'
import { defineProperties } from '../../../resource-type/define.ts'

/** What there can be. */
export const KINDS = ['file', 'directory', 'symlink', 'fifo', 'socket', 'block-device', 'character-device'] as const

const TEN_MINUTES_MS = 600_000

/** What a policy may say about everything below a directory. */
export const properties = defineProperties({
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
  named_by: {
    kind: 'text',
    oneOf: NAMING_PROGRAMS,
    phase: 'early',
    parameter: true,
    summary:
      'With the name `/`: checks only files that a configuration names, in any directory, with links followed and every directory on the way to them. `auditd` is the log directory with its logs (`log_file`), `rsyslog` the files that its actions write, `root_path` the directories in the PATH of root (a relative element is drift), `docker_key` the private key of dockerd (`tlskey` in daemon.json), `sshd_config`, `nginx_config` and `postgresql_config` the configuration files with their includes, `sshd_host_keys` and `nginx_keys` the private keys, `sshd_banner` the login banner, `postgresql_hba` the access rules. If the configuration does not name its files definitely, as with dynamic file names, the result is an error.',
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
    summary: 'Checks only entries with such a mode: `{ at_least: "0002" }` selects world-writable entries.',
  },
  with_group: {
    kind: 'text',
    accepts: 'account',
    phase: 'early',
    parameter: true,
    summary:
      'Only entries of such a group are looked at, by its name or numeric id. No entry is of a group that does not exist.',
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
      'With `false`, no program may have capabilities, such as a copy of `cat` with `cap_dac_read_search`, which can read every file.',
  },
  access: {
    kind: 'text',
    oneOf: ['mode', 'any'],
    phase: 'early',
    parameter: true,
    summary:
      'Whether access control lists may grant more than `mode`: no (`mode`) or yes (`any`). By default as `mode`, but without an error if lists cannot be read.',
  },
  only: {
    kind: 'list',
    items: { kind: 'text', summary: 'A pattern.' },
    phase: 'early',
    summary:
      'What lies below the directory, as far as it is looked at, matches one of these patterns; with `[]` there is nothing. They are like those of `include`, but a pattern without a slash, too, is compared with the whole path from the directory on. A fix removes nothing.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['drift', 'compliant'],
    default: 'drift',
    phase: 'early',
    parameter: true,
    summary:
      'Verdict if the directory does not exist, or with `named_by` if a named file does not exist or nothing is named: drift that a fix cannot correct, or compliant.',
  },
  timeout: {
    kind: 'duration',
    default: TEN_MINUTES_MS,
    phase: 'early',
    parameter: true,
    summary: 'How long looking may take. What was not looked at by then is an error, not compliant.',
  },
})
