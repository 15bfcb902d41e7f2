import { NAMING_PROGRAMS } from '../../settings/naming-programs.ts'
import { defineProperties } from '../../../resource-type/define.ts'

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
      'Absolute path of the directory. It is checked itself, unless `include` is set. It may be a link; links below it are not followed.',
  },
  include: {
    kind: 'list',
    items: { kind: 'text', summary: 'A pattern.' },
    nonEmpty: true,
    phase: 'early',
    parameter: true,
    summary:
      'Checks only entries that match one of these patterns. `*` matches any run of characters, `?` one character, `[a-z]` and `[^a-z]` one of a set, none of them a slash; a backslash escapes a special character. A pattern without a slash is compared with names at any depth, a pattern with a slash with the path relative to the directory; there, `**` matches any number of directories.',
  },
  exclude: {
    kind: 'list',
    items: { kind: 'text', summary: 'A pattern.' },
    phase: 'early',
    parameter: true,
    summary: 'Patterns of paths to exclude, with everything below them.',
  },
  depth: {
    kind: 'integer',
    minimum: 0,
    phase: 'early',
    parameter: true,
    summary: 'Number of levels to check below the directory: 1 is its direct entries. Unlimited by default.',
  },
  named_by: {
    kind: 'text',
    oneOf: NAMING_PROGRAMS,
    phase: 'early',
    parameter: true,
    summary:
      'With the name `/`: checks only files that a configuration names, in any directory, with links followed, and every directory on the way to them. `aide_database`: the database that AIDE compares with (`database_in`). `auditd`: the log directory with its logs (`log_file`). `auditd_config`: its configuration file and the files of audit rules. `rsyslog`: the files that its actions write. `log_links`: the files outside of `/var/log`, of `/usr` and of `/etc` that links in `/var/log` lead to. `root_path`: the directories in the PATH of root, in shells, `/etc/environment`, crontabs and `secure_path` of sudo; a relative element is drift. `docker_key` and `docker_certificates`: the private key and the certificates of dockerd (`tlskey`, `tlscacert`, `tlscert`). `docker_config`, `docker_units` and `docker_environment`: its configuration file, its units with drop-ins and their environment files. `docker_data`: its data directory. `sudoers`, `sshd_config`, `ssh_config`, `nginx_config` and `postgresql_config`: the configuration files with their includes and the directories of those, and the modules of nginx. `sshd_host_keys` and `nginx_keys`: the private keys. `nginx_logs`: the files of access_log and error_log with their rotated ones. `nginx_pid`: the file of `pid`. `sshd_banner`: the login banner. `postgresql_hba`: the access rules. `postgresql_data`: the data directories with their write-ahead logs and tablespaces. `postgresql_key`: the private keys (`ssl_key_file`). `postgresql_logs`: the logs that the server collects itself (`log_directory`). If the configuration does not determine its files, as with dynamic file names, the result is an error.',
  },
  kinds: {
    kind: 'list',
    items: { kind: 'text', oneOf: KINDS, summary: 'A kind.' },
    nonEmpty: true,
    phase: 'early',
    parameter: true,
    summary: 'Checks only entries of these file types.',
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
      'Checks only entries of this group, given by name or numeric id. A group that does not exist matches no entries.',
  },
  holds: {
    kind: 'text',
    oneOf: ['private_key'],
    phase: 'early',
    parameter: true,
    summary:
      'Checks only regular files with this content. `private_key`: a private key of OpenSSL, OpenSSH, PGP, PuTTY or age, or a PKCS #12 store, found by the first 64 KiB of the file.',
  },
  file_systems: {
    kind: 'text',
    oneOf: ['own', 'all_local'],
    default: 'own',
    phase: 'early',
    parameter: true,
    summary:
      'Whether only the file system of the directory is checked, or with `all_local` also all file systems mounted below it that are local, on disk or in memory. File systems of the network, of other processes (FUSE) and of the kernel are never entered, nor the files of containers, unless the directory is inside one. The result names what was not entered.',
  },
  mode: {
    kind: 'text',
    accepts: 'mode',
    phase: 'early',
    summary:
      'The permissions of every entry except links. The special bits of directories are compared only if the mode names special bits.',
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
  service_accounts: {
    kind: 'boolean',
    phase: 'early',
    parameter: true,
    summary:
      'With `true`, `owner` and `group` also accept service accounts (below UID_MIN, or with a shell that rejects logins) and groups to which no other account belongs, because a service writes its logs as its own account. A fix changes no file that a service can write only through its group.',
  },
  kind: {
    kind: 'text',
    accepts: 'text',
    phase: 'early',
    summary: 'File type of every entry; a fix never changes it.',
  },
  unowned: {
    kind: 'boolean',
    phase: 'early',
    summary: 'With `false`, every entry must have an existing user and group; a fix only lists the others.',
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
      'Every checked entry below the directory matches one of these patterns; `[]` allows no entries. The syntax is that of `include`, but every pattern, even without a slash, is compared with the whole path relative to the directory. A fix removes nothing.',
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
    summary: 'Time limit of the search. Entries not evaluated by then are an error, not compliant.',
  },
})
