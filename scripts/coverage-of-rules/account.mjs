// Rules about one account or group, about all of them, and about homes.
import { acceptanceOf } from './acceptance.mjs'

export const account = {
  kinds: ['account'],
  translate({ id, title, params }) {
    if (params.group !== undefined) return [group(params)]
    if (params.user !== undefined) return user(params)
    const properties = all(id, params)
    return properties === undefined ? undefined : [{ type: 'accounts', name: title, properties }]
  },
}

/** Sets of files in homes; other sets are not meant. */
export function homes({ title, params }) {
  const properties = ofHome(params)
  if (properties === undefined) return undefined
  const also = params.also === undefined ? [] : [{ type: 'file', name: params.also, properties: { ensure: 'absent' } }]
  return [{ type: 'accounts', name: title, properties: { who: 'people', ...properties } }, ...also]
}

function group({ group: name, members, primary_of: primary }) {
  const properties = { members, ...(primary === undefined ? {} : { primary_of: primary }) }
  return { type: 'group', name, properties, otherwise: { if_absent: 'compliant' } }
}

const PASSWORDS = { 'password-set': 'set', 'password-set-or-locked': { one_of: ['set', 'locked'] } }

function user({ user: name, gid, op }) {
  if (gid !== undefined) return [{ type: 'user', name, properties: { group: String(gid) } }]
  const password = PASSWORDS[op]
  return password === undefined ? undefined : [{ type: 'user', name, properties: { password } }]
}

const AGES = { max: 'max_days', min: 'min_days', warn: 'warn_days', inactive: 'inactive_days' }
const LOCKED = { one_of: ['locked', 'unusable'] }

function all(id, { file, unique, where, allowed, field, op, value, not, require, shell_one_of: shells }) {
  const of = file === '/etc/group' ? { of: 'groups' } : {}
  if (unique !== undefined) return { ...of, unique: [unique] }
  if (where === 'uid==0') return { where_uid: 0, only: allowed }
  if (where === 'gid==0') return { ...of, where_gid: 0, only: allowed }
  if (shells !== undefined) {
    return { who: 'system', except: ['sync', 'shutdown', 'halt'], shell: { one_of: shells } }
  }
  if (require === 'password locked') {
    const meant = where.startsWith('uid<UID_MIN') ? { who: 'system' } : { where_shell: 'invalid', except: ['root'] }
    return { ...meant, password: LOCKED }
  }
  if (field === 'gid') return { primary_group_exists: true }
  if (field === 'lastchg') return { age_days: { at_least: 0 } }
  if (field === 'password') return not === '' ? { password: { not: 'empty' } } : { shadowed: true }
  return AGES[field] === undefined ? undefined : { [AGES[field]]: acceptanceOf(op, value) }
}

function ofHome({ set, exists, absent, owner, group: ofGroup, mode_max: mode }) {
  if (exists === 'home') return { home_exists: true }
  if (set === 'homes') {
    if (absent !== undefined) return { home_excludes: [absent] }
    if (owner !== undefined) return { home_owner: 'self' }
    return ofGroup === undefined ? { home_mode: { at_most: mode } } : { home_group: 'primary' }
  }
  if (set === '~/.bash_history') return { dot_files: ['.bash_history'], dot_files_mode: { at_most: mode } }
  if (set !== 'home dotfiles') return undefined
  if (owner !== undefined) return { dot_files_owner: 'self' }
  return ofGroup === undefined ? { dot_files_mode: { at_most: mode } } : { dot_files_group: 'primary' }
}
