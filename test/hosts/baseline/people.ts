import type { Rule } from './rule.ts'

interface Person {
  readonly add?: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly violation: string
  readonly drift: Rule['drift']
}

/** Accounts of people made by hand, each with one fault. */
const PEOPLE: Readonly<Record<string, Person>> = {
  dora: {
    properties: { password: 'locked' },
    violation: 'usermod -U dora',
    drift: [['password', 'set']],
    add: `-p '!$5$x$y'`,
  },
  erik: {
    properties: { expires: '2027-01-31' },
    violation: 'chage -E -1 erik',
    drift: [['expires', 'never']],
    add: '-e 2027-01-31',
  },
  fred: {
    properties: { inactive_days: { at_most: 30 } },
    violation: 'chage -I -1 fred',
    drift: [['inactive_days', 'never']],
    add: '-f 30',
  },
  gina: {
    properties: { groups: { excludes: ['sudo', 'plugdev'] } },
    violation: 'usermod -aG plugdev gina',
    drift: [['groups', 'plugdev, operators']],
  },
  hans: {
    properties: { group: 'users' },
    violation: 'usermod -g games hans',
    drift: [['group', 'games']],
    add: '-g users',
  },
  ines: { properties: { home: '/home/ines' }, violation: 'usermod -d /tmp ines', drift: [['home', '/tmp']] },
  jane: {
    properties: { comment: 'Jane, on duty' },
    violation: 'usermod -c root jane',
    drift: [['comment', 'root']],
    add: `-c 'Jane, on duty'`,
  },
  kurt: {
    properties: { uid: 2050, group: 'users' },
    violation: 'userdel kurt',
    drift: [['ensure', 'absent']],
    add: '-u 2050 -g users',
  },
}

const people = Object.entries(PEOPLE).map(([name, { add = '', properties, violation, drift }]): Rule => {
  return { type: 'user', name, properties, prepare: `useradd -m ${add} ${name}`, violation, drift }
})

const groups: readonly Rule[] = [
  {
    type: 'group',
    name: 'wheel',
    properties: { gid: 2100, members: [] },
    prepare: 'groupadd -g 2100 wheel',
    violation: 'groupdel wheel',
    drift: [['ensure', 'absent']],
  },
  {
    type: 'group',
    name: 'operators',
    properties: { members: ['gina'] },
    prepare: 'groupadd operators; gpasswd -M gina operators',
    violation: 'gpasswd -M gina,hans operators',
    drift: [['members', 'gina, hans']],
  },
]

/** Rules over accounts, each about one that was made for it. */
const queries: readonly Rule[] = [
  {
    type: 'accounts',
    name: 'passwords change every year',
    properties: { where_uid: 2201, max_days: { at_most: 365 } },
    prepare: `useradd -m -u 2201 -p '$5$x$y' -K PASS_MAX_DAYS=90 lena`,
    violation: 'chage -M -1 lena',
    drift: [['max_days', 'never', 'lena']],
  },
  {
    type: 'accounts',
    name: 'somebody is told before a password ends',
    properties: { where_uid: 2202, warn_days: { at_least: 7 } },
    prepare: `useradd -m -u 2202 -p '!$5$x$y' -K PASS_WARN_AGE=14 mila`,
    violation: 'chage -W 0 mila',
    drift: [['warn_days', 0, 'mila']],
  },
  {
    type: 'accounts',
    name: 'homes are private',
    properties: { where_uid: 2203, home_mode: { at_most: '0750' }, home_owner: 'self' },
    prepare: 'useradd -m -u 2203 -K HOME_MODE=0750 nils',
    violation: 'chmod 0777 /home/nils; chown root /home/nils',
    drift: [
      ['home_owner', 0, 'nils'],
      ['home_mode', '0777', 'nils'],
    ],
  },
  {
    type: 'accounts',
    name: 'dot files are private',
    properties: { where_uid: 2204, dot_files_mode: { at_most: '0740' } },
    prepare: 'useradd -m -u 2204 olga; chmod 0600 /home/olga/.[a-z]*',
    violation: 'chmod 0666 /home/olga/.profile',
    drift: [['dot_files_mode', '0666', 'olga ~/.profile']],
  },
  {
    type: 'accounts',
    name: 'histories are private',
    properties: { where_uid: 2205, dot_files: ['.bash_history'], dot_files_mode: { at_most: '0600' } },
    prepare: 'useradd -m -u 2205 paul; install -m 0600 -o paul -g paul /dev/null /home/paul/.bash_history',
    violation: 'chmod 0644 /home/paul/.bash_history',
    drift: [['dot_files_mode', '0644', 'paul ~/.bash_history']],
  },
]

/** Accounts made by hand, and rules over all of them. */
export const madeByHand: readonly Rule[] = [...people, ...groups, ...queries]
