import type { ExportsOf } from '../../../model/exported.ts'
import type { Seen } from '../../../model/observation.ts'
import { defineExports, defineProperties, defineResource, type ResourceType } from '../../../resource-type/define.ts'
import { PASSWORD_SCHEMES } from '../account-files.ts'
import { AGEING_PROPERTIES, dateOf, SHADOW_PROPERTIES } from '../ageing.ts'
import { accountKey } from '../../shared/accounts.ts'
import { applyAccountCommands } from '../account-commands.ts'
import { ACCOUNT_NAME } from '../../shared/account-name.ts'
import { userCapture } from './capture.ts'
import { decideUser, type UserState } from './decide.ts'
import { observeUser } from './observe.ts'

const ONE_FIELD = { expression: '[^:\\n\\0]*', describes: 'one line without a colon' }

/** What a policy may say about an account. */
const properties = defineProperties({
  name: {
    kind: 'text',
    required: true,
    pattern: ACCOUNT_NAME,
    phase: 'early',
    summary: 'Name of the account.',
  },
  ensure: {
    kind: 'text',
    oneOf: ['present', 'absent'],
    default: 'present',
    phase: 'early',
    summary: 'Whether it must exist. A fix creates it with `useradd` and never deletes it.',
  },
  if_absent: {
    kind: 'text',
    oneOf: ['create', 'drift', 'compliant'],
    default: 'create',
    phase: 'early',
    parameter: true,
    summary: 'Verdict if the account does not exist: created by a fix, drift that a fix keeps, or compliant.',
  },
  uid: {
    kind: 'integer',
    minimum: 0,
    maximum: 2 ** 32 - 2,
    accepts: 'number',
    phase: 'early',
    summary: 'UID. A fix sets it only for a new account: files would keep the old one.',
  },
  group: {
    kind: 'text',
    nonEmpty: true,
    accepts: 'account',
    phase: 'early',
    summary: 'Its primary group, by name or number.',
  },
  groups: {
    kind: 'list',
    items: { kind: 'text', nonEmpty: true, summary: 'Name of a group.' },
    accepts: 'set',
    phase: 'early',
    summary: 'Its supplementary groups.',
  },
  home: {
    kind: 'text',
    absolutePath: true,
    pattern: ONE_FIELD,
    accepts: 'text',
    phase: 'early',
    summary: 'Its home directory. A fix does not move the content of the old one.',
  },
  shell: { kind: 'text', pattern: ONE_FIELD, accepts: 'text', phase: 'early', summary: 'Its login shell.' },
  comment: {
    kind: 'text',
    pattern: ONE_FIELD,
    accepts: 'text',
    phase: 'early',
    summary: 'The comment field (full name).',
  },
  password: {
    kind: 'text',
    oneOf: ['set', 'locked', 'unusable', 'empty'],
    accepts: 'text',
    phase: 'early',
    summary:
      'State of the password: `set` is a hash, `locked` a hash after `!`, `unusable` not a hash, `empty` an empty field (login without a password). A fix can lock it.',
  },
  password_hash: {
    kind: 'text',
    oneOf: PASSWORD_SCHEMES,
    accepts: 'text',
    phase: 'early',
    summary: 'Hash method of its password, locked or not, if it has one. A fix cannot change it.',
  },
  ...AGEING_PROPERTIES,
  expires: {
    kind: 'text',
    pattern: { expression: 'never|\\d{4}-\\d{2}-\\d{2}', describes: '"never" or a day such as "2027-01-31"' },
    accepts: 'text',
    phase: 'early',
    summary: 'The day on which the account expires, or `never`.',
  },
  create_home: {
    kind: 'boolean',
    default: true,
    phase: 'early',
    parameter: true,
    summary: 'Whether the home directory of a new account is created.',
  },
  system: {
    kind: 'boolean',
    default: false,
    phase: 'early',
    parameter: true,
    summary: 'Whether a new account is a system account.',
  },
})

/** What later resources can read. */
const exports = defineExports({
  uid: { kind: 'integer', summary: 'UID.' },
  gid: { kind: 'integer', summary: 'GID of its primary group.' },
  home: { kind: 'text', summary: 'Its home directory.' },
  shell: { kind: 'text', summary: 'Its login shell.' },
  password: { kind: 'text', summary: 'State of the password; absent if shadow cannot be read.' },
  expires: { kind: 'text', summary: 'The day on which it expires, or `never`; absent if shadow cannot be read.' },
})

/** One account of the machine itself, in passwd or in a directory of user records. */
export const user: ResourceType = defineResource({
  type: 'user',
  summary: 'An account: its fields in passwd and shadow, its groups, and its password ageing.',
  properties,
  rules: [
    {
      summary: '`ensure: absent` excludes all other properties.',
      reads: ['ensure', 'uid', 'group', 'groups', 'home', 'shell', 'comment', 'password', 'expires'],
      at: 'ensure',
      check({ ensure, uid, group, groups, home, shell, comment, password, expires }) {
        const said = [uid, group, groups, home, shell, comment, password, expires].some((each) => each !== undefined)
        return ensure === 'absent' && said ? 'an account that must be absent cannot have other properties' : undefined
      },
    },
  ],
  // useradd makes a group of the same name where none is named.
  provides: ({ name, ensure, group }) =>
    ensure === 'absent' ? [] : [accountKey('user', name), ...(group === undefined ? [accountKey('group', name)] : [])],
  exports,
  drifts: ['ensure', 'uid', 'group', 'groups', 'home', 'shell', 'comment', ...SHADOW_PROPERTIES, 'expires'],
  neverSecret: ['ensure'],
  examples: [
    {
      title: 'root has its own primary group and a set or locked password',
      yaml: `
        user:
          - root:
              uid: 0
              group: "0"
              password: { one_of: [set, locked] }`,
    },
    {
      title: 'A service account',
      yaml: `
        user:
          - app:
              home: /srv/app
              shell: /usr/sbin/nologin
              groups: { excludes: [sudo] }
              system: true`,
    },
    {
      title: 'If the account exists, its password changes at least every year',
      yaml: `
        user:
          - deploy:
              max_days: { at_most: 365 }
              if_absent: compliant`,
    },
  ],
  platforms: ['linux'],
  observe: observeUser,
  decide: decideUser,
  apply: applyAccountCommands,
  hazards: (_wanted, { risk }) => ({ risk }),
  exportsOf: exportsOfUser,
  capture: userCapture,
})

function exportsOfUser(_desired: unknown, observed: Seen<UserState>): ExportsOf<typeof exports> {
  if (observed.kind === 'absent') return {}
  const { uid, gid, home, shell, secret } = observed.state.account
  const seen = { uid, gid, home, shell }
  if (secret.kind === 'unknown') return seen
  const { password, ageing } = secret.value
  const days = ageing?.expires
  return { ...seen, password: password.class, expires: days === undefined || days < 0 ? 'never' : dateOf(days) }
}
