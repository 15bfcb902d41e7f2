import { defineProperties } from '../../../resource-type/define.ts'
import { PASSWORD_SCHEMES } from '../account-files.ts'
import { AGEING_PROPERTIES } from '../../shared/ageing.ts'

const CLASSES = ['set', 'locked', 'unusable', 'empty'] as const

const NAME = { kind: 'text', nonEmpty: true, summary: 'A name.' } as const

/** The properties that say which accounts are meant, beside `of` and `who`. */
export const FILTERS = ['where_uid', 'where_gid', 'where_password', 'where_shell', 'except', 'dot_files'] as const

/** The properties that say what has to be so. */
export const REQUIREMENTS = [
  'unique',
  'only',
  'primary_group_exists',
  'shadowed',
  'shell',
  'password',
  'password_hash',
  'min_days',
  'max_days',
  'warn_days',
  'inactive_days',
  'age_days',
  'home_exists',
  'home_owner',
  'home_group',
  'home_mode',
  'home_excludes',
  'dot_files_owner',
  'dot_files_group',
  'dot_files_mode',
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
    summary: 'Whether it is about accounts or about groups.',
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
    summary: 'Only accounts with such a uid.',
  },
  where_gid: {
    kind: 'integer',
    minimum: 0,
    accepts: 'number',
    phase: 'early',
    parameter: true,
    summary: 'Only groups with such a gid, or accounts whose primary group has it.',
  },
  where_password: {
    kind: 'text',
    oneOf: CLASSES,
    accepts: 'text',
    phase: 'early',
    parameter: true,
    summary: 'Only accounts with such a password.',
  },
  where_shell: {
    kind: 'text',
    oneOf: ['valid', 'invalid'],
    phase: 'early',
    parameter: true,
    summary: 'Only accounts whose shell is in /etc/shells and lets them in, or only all others.',
  },
  except: {
    kind: 'list',
    items: NAME,
    phase: 'early',
    parameter: true,
    summary: 'Names of accounts or groups that are not meant.',
  },
  unique: {
    kind: 'list',
    items: { kind: 'text', oneOf: ['name', 'uid', 'gid'], summary: 'What may not be there twice.' },
    nonEmpty: true,
    phase: 'early',
    summary: 'What no two of them share: `name` and `uid` of accounts, `name` and `gid` of groups.',
  },
  only: {
    kind: 'list',
    items: NAME,
    phase: 'early',
    summary: 'No other names than these. They need not be there.',
  },
  primary_group_exists: { kind: 'boolean', phase: 'early', summary: 'Each primary group has a name.' },
  shadowed: { kind: 'boolean', phase: 'early', summary: 'No password stands in passwd itself.' },
  shell: {
    kind: 'text',
    accepts: 'text',
    phase: 'early',
    summary: 'Their shells; an empty one is /bin/sh to the system, and empty here.',
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
    summary: 'How their passwords are hashed, where they are, locked or not.',
  },
  ...AGEING_PROPERTIES,
  home_exists: { kind: 'boolean', phase: 'early', summary: 'Each home is a directory.' },
  home_owner: {
    kind: 'text',
    oneOf: ['self'],
    phase: 'early',
    summary: 'Each home belongs to its account. A fix changes homes below /home alone.',
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
    summary: 'Names that no home has in it, such as `.rhosts`.',
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
      'Which files the next three are about: all files and links directly in a home that begin with a dot, where it is left out.',
  },
  dot_files_owner: {
    kind: 'text',
    oneOf: ['self'],
    phase: 'early',
    summary: 'These files belong to the account. A fix cannot know whose they are.',
  },
  dot_files_group: {
    kind: 'text',
    oneOf: ['primary'],
    phase: 'early',
    summary: 'These files belong to the primary group of the account.',
  },
  dot_files_mode: { kind: 'text', accepts: 'mode', phase: 'early', summary: 'Permissions of these files.' },
})
