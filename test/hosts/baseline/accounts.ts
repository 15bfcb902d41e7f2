import type { Rule } from './rule.ts'

const PEOPLE = { max_days: { at_most: 365 }, min_days: { at_least: 1 }, warn_days: { at_least: 7 } }

/** People whose passwords have to be changed now and then, each with an age that is wrong by the field of shadow. */
const ageing = (
  [
    ['alice', 'max_days', '-M 99999', 99999],
    ['bob', 'min_days', '-m 0', 0],
    ['carol', 'warn_days', '-W 1', 1],
  ] as const
).map(([name, field, options, wrong]): Rule => {
  return {
    type: 'user',
    name,
    properties: PEOPLE,
    violation: `chage ${options} ${name}`,
    drift: [[field, wrong]],
  }
})

/** Accounts of the system without a login. */
const system = ['games', 'backup', 'www-data', 'list'].map((name): Rule => {
  return {
    type: 'user',
    name,
    properties: { shell: '/usr/sbin/nologin', password: { one_of: ['locked', 'unusable'] } },
    violation: `usermod -s /bin/sh ${name}`,
    drift: [['shell', '/bin/sh']],
  }
})

const groups = ['shadow', 'adm', 'disk'].map((name): Rule => {
  return {
    type: 'group',
    name,
    properties: { members: { excludes: ['games'] } },
    violation: `gpasswd -a games ${name}`,
    drift: [['members', 'games']],
  }
})

export const accounts: readonly Rule[] = [...ageing, ...system, ...groups]
