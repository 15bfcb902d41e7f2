import { defineProperties } from '../../../resource-type/define.ts'
import { PASSWORD_SCHEMES } from '../account-files.ts'
import { AGEING_PROPERTIES, SHADOW_PROPERTIES } from '../ageing.ts'

const CLASSES = ['set', 'locked', 'unusable', 'empty'] as const

const NAME = { kind: 'text', nonEmpty: true, summary: 'A name.' } as const

/** The properties that say which accounts are meant, beside `of` and `who`. */
export const FILTERS = [
  'where_uid',
  'where_gid',
  'where_password',
  'where_shell',
  'except',
  'named_by',
  'with_groups',
  'dot_files',
] as const

export const HOME_PROPERTIES = [
  'home_exists',
  'home_owner',
  'home_group',
  'home_mode',
  'home_excludes',
  'dot_files_owner',
  'dot_files_group',
  'dot_files_mode',
] as const

/** The properties that say what has to be so. */
export const REQUIREMENTS = [
  'unique',
  'only',
  'primary_group_exists',
  'shadowed',
  'shell',
  ...SHADOW_PROPERTIES,
  ...HOME_PROPERTIES,
] as const

/** What a policy may say about all accounts. */
export const properties = defineProperties({
  name: { kind: 'text', required: true, nonEmpty: true, phase: 'early', summary: 'A title for the rule.' },
  of: {
    kind: 'text',
    oneOf: ['users', 'groups'],
    default: 'users',
    phase: 'early',
    parameter: true,
    summary: 'Whether accounts or groups are checked.',
  },
  who: {
    kind: 'text',
    oneOf: ['all', 'people', 'system', 'logins'],
    default: 'all',
    phase: 'early',
    parameter: true,
    summary:
      'Accounts to check. `people` have a UID of at least UID_MIN and a login shell, listed in /etc/shells or not; `system` are accounts below UID_MIN except root, plus nobody; `logins` are all accounts with a login shell, including root and system accounts.',
  },
  where_uid: {
    kind: 'integer',
    minimum: 0,
    accepts: 'number',
    phase: 'early',
    parameter: true,
    summary: 'Only accounts with a matching UID.',
  },
  where_gid: {
    kind: 'integer',
    minimum: 0,
    accepts: 'number',
    phase: 'early',
    parameter: true,
    summary: 'Only groups with a matching GID, or accounts whose primary group has one.',
  },
  where_password: {
    kind: 'text',
    oneOf: CLASSES,
    accepts: 'text',
    phase: 'early',
    parameter: true,
    summary: 'Only accounts with a matching password state.',
  },
  where_shell: {
    kind: 'text',
    oneOf: ['valid', 'invalid'],
    phase: 'early',
    parameter: true,
    summary: 'Only accounts with a login shell listed in /etc/shells (`valid`), or only all others (`invalid`).',
  },
  except: {
    kind: 'list',
    items: NAME,
    phase: 'early',
    parameter: true,
    summary: 'Names of accounts or groups to exclude.',
  },
  named_by: {
    kind: 'text',
    oneOf: ['chrony_user', 'nginx_user'],
    phase: 'early',
    parameter: true,
    summary:
      'Only accounts that a configuration names: `chrony_user` is the account of chronyd, `nginx_user` that of the nginx workers.',
  },
  with_groups: {
    kind: 'list',
    items: NAME,
    phase: 'early',
    parameter: true,
    summary: 'Only accounts with one of these groups as primary or supplementary group.',
  },
  unique: {
    kind: 'list',
    items: { kind: 'text', oneOf: ['name', 'uid', 'gid'], summary: 'Field that must be unique.' },
    nonEmpty: true,
    phase: 'early',
    summary: 'Fields that must be unique: `name` and `uid` of accounts, `name` and `gid` of groups.',
  },
  only: {
    kind: 'list',
    items: NAME,
    phase: 'early',
    summary: 'The only accepted names; they need not exist.',
  },
  primary_group_exists: { kind: 'boolean', phase: 'early', summary: 'Every primary group exists.' },
  shadowed: { kind: 'boolean', phase: 'early', summary: 'No password is stored in passwd itself.' },
  shell: {
    kind: 'text',
    accepts: 'text',
    phase: 'early',
    summary: 'Shells of the accounts; an empty one, which the system takes as /bin/sh, is empty here.',
  },
  password: {
    kind: 'text',
    oneOf: CLASSES,
    accepts: 'text',
    phase: 'early',
    summary: 'State of their passwords, as in `user`.',
  },
  password_hash: {
    kind: 'text',
    oneOf: PASSWORD_SCHEMES,
    accepts: 'text',
    phase: 'early',
    summary: 'Hash method of their passwords, locked or not, if they have one.',
  },
  ...AGEING_PROPERTIES,
  home_exists: { kind: 'boolean', phase: 'early', summary: 'Each home is a directory.' },
  home_owner: {
    kind: 'text',
    oneOf: ['self'],
    phase: 'early',
    summary: 'Each home belongs to its account. A fix changes only homes below /home.',
  },
  home_group: {
    kind: 'text',
    oneOf: ['primary'],
    phase: 'early',
    summary: 'Each home belongs to the primary group of its account.',
  },
  home_mode: { kind: 'text', accepts: 'mode', phase: 'early', summary: 'Permissions of each home.' },
  home_excludes: {
    kind: 'list',
    items: {
      kind: 'text',
      nonEmpty: true,
      pattern: { expression: '[^/]+', describes: 'a name without a slash' },
      summary: 'A name.',
    },
    phase: 'early',
    summary: 'Names that must not exist in any home, such as `.rhosts`.',
  },
  dot_files: {
    kind: 'list',
    items: {
      kind: 'text',
      nonEmpty: true,
      pattern: { expression: '[^/]+', describes: 'a name without a slash' },
      summary: 'A name.',
    },
    nonEmpty: true,
    phase: 'early',
    parameter: true,
    summary:
      'Files that the next three properties check; by default all files and links directly in a home whose name begins with a dot.',
  },
  dot_files_owner: {
    kind: 'text',
    oneOf: ['self'],
    phase: 'early',
    summary: 'These files belong to the account. A fix does not change their owner.',
  },
  dot_files_group: {
    kind: 'text',
    oneOf: ['primary'],
    phase: 'early',
    summary: 'These files belong to the primary group of the account.',
  },
  dot_files_mode: { kind: 'text', accepts: 'mode', phase: 'early', summary: 'Permissions of these files.' },
})
