import { type Acceptance, acceptedFor, mapAcceptance } from '../../../model/acceptance.ts'
import { defined } from '../../../model/defined.ts'
import { cannot } from '../../../model/differences.ts'
import type { Drift } from '../../../model/drift.ts'
import { formatMode } from '../../../model/mode.ts'
import type { Reading, Unknown } from '../../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, refused, undecided } from '../../../model/partial-decision.ts'
import { MODES } from '../../../model/value-orders.ts'
import { placeOf, type UserAccount } from '../accounts.ts'
import type { FileStat } from '../../../host/target.ts'
import { acceptanceOf, noNearest } from '../../shared/acceptance-of.ts'
import {
  excessOf,
  listAfter,
  type Listed,
  NO_MORE_ACCESS,
  type ObservedList,
  unknownAccess,
} from '../../shared/lists.ts'
import { HOME_PROPERTIES } from './properties.ts'
import { type AccountsState, type AccountsDesired, type Home, type AccountsPart, mergeRules } from './wanted.ts'

/** Whether a policy says anything about homes. */
export function asksForHomes(wanted: AccountsDesired): boolean {
  return HOME_PROPERTIES.some((property) => wanted[property] !== undefined)
}

type Present = Extract<Home, { kind: 'present' }>

export function compareHomes(
  wanted: AccountsDesired,
  users: readonly UserAccount[],
  { set, homes, lists }: Pick<AccountsState, 'set' | 'homes' | 'lists'>,
): readonly AccountsPart[] {
  const uids = new Map<string, Set<number>>()
  for (const { home, uid } of set.users) uids.set(home, (uids.get(home) ?? new Set()).add(uid))
  return users.map((user) => {
    const seen = homes.get(user.home)
    if (seen === undefined) return AS_WANTED
    if (seen.kind === 'unknown') return unknownOf(wanted, HOME_PROPERTIES, seen)
    const home = seen.value
    if (home.kind === 'absent' || home.stat.kind !== 'directory') return compareMissing(wanted, user, home)
    const isShared = uids.get(user.home)?.size !== 1
    const about = { user, home, isShared, lists }
    return mergeRules([compareHome(wanted, about), compareEntries(wanted, about)])
  })
}

function unknownOf(
  wanted: AccountsDesired,
  properties: readonly (typeof HOME_PROPERTIES)[number][],
  why: Unknown,
): AccountsPart {
  const asked = properties.filter((property) => wanted[property] !== undefined)
  return mergeParts(asked.map((property) => undecided(property, why)))
}

function compareMissing({ home_exists: exists }: AccountsDesired, user: UserAccount, home: Home): AccountsPart {
  if (exists === undefined) return AS_WANTED
  const observed = home.kind === 'absent' ? 'nothing' : home.stat.kind
  const drift = { property: 'home_exists', desired: 'directory', observed, path: user.name, note: noteOf(user) }
  return refused(drift, 'create the home by hand, from /etc/skel or a backup')
}

interface ObservedHome extends Pick<AccountsState, 'lists'> {
  readonly user: UserAccount
  readonly home: Present
  readonly isShared: boolean
}

function compareHome(wanted: AccountsDesired, { user, home, isShared, lists }: ObservedHome): AccountsPart {
  const properties = { owner: 'home_owner', group: 'home_group', mode: 'home_mode' } as const
  const what = { path: user.home, shown: user.name, kind: 'directory', properties } as const
  const reason = whyHomeStays(user, home, isShared)
  return compareAttributes(wanted, { user, stat: home.stat, reason, ...what, list: lists.get(user.home) })
}

/** Below /home nothing else than a home is touched; elsewhere it may be a directory of the system, as that of daemon is. */
function whyHomeStays(
  { home }: UserAccount,
  { isLink }: Pick<Present, 'isLink'>,
  isShared: boolean,
): string | undefined {
  if (isLink) return `${home} is a symbolic link`
  if (isShared) return `several accounts share the home ${home}`
  return /^\/home\/[^/].*[^/]$|^\/home\/[^/]$/.test(home) && !home.split('/').includes('..')
    ? undefined
    : `${home} is not below /home and may serve another purpose: run chmod and chown by hand`
}

function compareEntries(wanted: AccountsDesired, { user, home, isShared, lists }: ObservedHome): AccountsPart {
  const { entries } = home
  const properties = HOME_PROPERTIES.filter(
    (property) => property === 'home_excludes' || property.startsWith('dot_files'),
  )
  if (entries.kind === 'unknown') return unknownOf(wanted, properties, entries)
  const { home_excludes: excluded = [], dot_files: named } = wanted
  const found = entries.value.map(({ name, stat, target }): AccountsPart => {
    const unwanted = excluded.includes(name) ? compareExcluded(user, name, excluded) : AS_WANTED
    const isDotFile = named === undefined ? name.startsWith('.') : named.includes(name)
    if (!isDotFile || (stat.kind !== 'file' && stat.kind !== 'symlink')) return unwanted
    // The mode of a link means nothing.
    const mode = stat.kind === 'file' ? ({ mode: 'dot_files_mode' } as const) : {}
    const own = compareAttributes(wanted, {
      user,
      stat,
      path: `${user.home}/${name}`,
      list: lists.get(`${user.home}/${name}`),
      shown: `${user.name} ~/${name}`,
      kind: 'file',
      reason: whyHomeStays(user, home, isShared),
      properties: { owner: 'dot_files_owner', group: 'dot_files_group', ...mode },
    })
    return mergeRules([unwanted, own, ...(target === undefined ? [] : [compareTarget(wanted, user, name, target)])])
  })
  return mergeRules(found)
}

/** Compares the file that a link in a home leads to, which may belong to root, too. */
function compareTarget(
  wanted: AccountsDesired,
  user: UserAccount,
  name: string,
  { uid, mode }: FileStat,
): AccountsPart {
  const isOwner = wanted.dot_files_owner === undefined || uid === user.uid || uid === 0
  const drift = [
    ...(isOwner ? [] : [{ property: 'dot_files_owner', desired: user.uid, observed: uid }]),
    ...compareMode(wanted, 'dot_files_mode', mode).drift,
  ].map((each) => ({ ...each, path: `${user.name} ~/${name}`, note: `the file it leads to; ${noteOf(user)}` }))
  if (drift.length === 0) return AS_WANTED
  const reason = `${user.home}/${name} is a symbolic link: run chown and chmod on its target by hand`
  return { ...drifted(...drift), obstacles: [cannot(reason)] }
}

function compareExcluded(user: UserAccount, name: string, excluded: readonly string[]): AccountsPart {
  const drift: Drift = {
    property: 'home_excludes',
    desired: { none_of: excluded },
    observed: name,
    path: user.name,
    note: noteOf(user),
  }
  return refused(drift, 'its content may be needed: review and remove it by hand')
}

interface Attributes {
  readonly user: UserAccount
  readonly stat: FileStat
  readonly path: string
  /** What drifts are called by. */
  readonly shown: string
  readonly kind: 'directory' | 'file'
  /** Why a fix does not touch it, if it does not. */
  readonly reason: string | undefined
  /** Absent where it cannot give more than is accepted. */
  readonly list: Reading<ObservedList> | undefined
  readonly properties: {
    readonly owner: 'home_owner' | 'dot_files_owner'
    readonly group: 'home_group' | 'dot_files_group'
    readonly mode?: 'home_mode' | 'dot_files_mode'
  }
}

/** Compares owner, group and mode; a fix of a file in a home changes its mode alone, whose file it is only a person knows. */
function compareAttributes(wanted: AccountsDesired, about: Attributes): AccountsPart {
  const { user, stat, path, shown, kind, properties } = about
  const said = { path: shown, note: noteOf(user) }
  const isOwner = wanted[properties.owner] === undefined || stat.uid === user.uid
  const isGroup = wanted[properties.group] === undefined || stat.gid === user.gid
  const mode = compareMode(wanted, properties.mode, stat.mode)
  const listed = listedOf(wanted, properties.mode, stat)
  const list = about.list?.kind === 'known' ? about.list.value : undefined
  const excess = list === undefined || listed === undefined ? '' : excessOf(list, listed, kind === 'directory')
  const warnings = about.list?.kind === 'unknown' ? [unknownAccess(about.list.detail)] : []
  const drift: readonly Drift[] = [
    ...(isOwner ? [] : [{ property: properties.owner, desired: user.uid, observed: stat.uid, ...said }]),
    ...(isGroup ? [] : [{ property: properties.group, desired: user.gid, observed: stat.gid, ...said }]),
    ...mode.drift.map((each) => ({ ...each, ...said })),
    ...(excess === '' ? [] : [{ property: 'access', desired: NO_MORE_ACCESS, observed: excess, ...said }]),
  ]
  if (drift.length === 0) return { ...AS_WANTED, warnings }
  const isForeign = kind === 'file' && !(isOwner && isGroup)
  const foreign = isForeign ? `the intended owner of ${path} is unknown: run chown by hand` : undefined
  const reason = about.reason ?? foreign
  if (reason !== undefined) return { ...drifted(...drift), obstacles: [cannot(reason)] }
  if (mode.bits === undefined) return { ...drifted(...drift), obstacles: [cannot(noNearest(String(properties.mode)))] }
  const uid = isOwner ? stat.uid : user.uid
  const gid = isGroup ? stat.gid : user.gid
  const acl = list?.acl && listed && listAfter(list.acl, listed, mode.bits)
  const step = { path, kind, seenMode: stat.mode, uid, gid, mode: mode.bits, ...defined({ acl }) }
  return { ...drifted(...drift), warnings, attributes: [step] }
}

interface ComparedMode {
  readonly drift: readonly Drift[]
  /** What a fix gives: that which is there where it is accepted. */
  readonly bits: number | undefined
}

function compareMode(wanted: AccountsDesired, property: Attributes['properties']['mode'], seen: number): ComparedMode {
  const written = property === undefined ? undefined : wanted[property]
  if (property === undefined || written === undefined) return { drift: [], bits: seen }
  const bits = modeFor(written, seen)
  return { drift: bits === seen ? [] : [{ property, desired: written, observed: formatMode(seen) }], bits }
}

/** What a list of it must not give; undefined where no mode is wanted. */
export function listedOf(
  wanted: AccountsDesired,
  property: 'home_mode' | 'dot_files_mode' | undefined,
  { mode, uid, gid }: FileStat,
): Listed | undefined {
  const written = property === undefined ? undefined : wanted[property]
  if (written === undefined) return undefined
  return { mode, uid, gid, acceptsMode: (other) => modeFor(written, other) === other }
}

/** The mode that is accepted and nearest. How modes are spelled is checked with the policy. */
function modeFor(written: string | Acceptance<string>, observed: number): number | undefined {
  return acceptedFor(
    MODES,
    mapAcceptance(acceptanceOf(written), (text) => Number.parseInt(text.replace(/^0[oO]/, ''), 8)),
    observed,
  )
}

function noteOf({ home, origin }: UserAccount): string {
  return `${home}; ${placeOf(origin)}`
}
