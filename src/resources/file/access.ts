import type { Obstacle } from '../../core/decision.ts'
import type { Drift, UnknownProperty } from '../../core/drift.ts'
import { isAccepted } from '../../core/acceptance.ts'
import { unreadable } from '../../core/differences.ts'
import { showName } from '../../core/file-name.ts'
import type { Reading } from '../../core/observation.ts'
import { MODES } from '../../core/value-orders.ts'
import type { BeyondMode, WayStep } from '../../target/access.ts'
import { type Acl, effectiveBits, type NamedEntry, withNamed } from '../../target/acl.ts'
import { formatCapabilities, giveSomething } from '../../target/capabilities.ts'
import type { AccessChange, FileAttributes } from '../../target/remediator.ts'
import { acceptsId } from '../shared/accounts.ts'
import { comparedBits, type SeenAttributes, type WantedAttributes } from './attributes.ts'

// Who may do more than owner, group and mode say: by an access control list, by capabilities of a program, or by a
// directory on the way in which they can put something else in its place.

/** What was seen of it. */
export interface SeenAccess {
  /** Undefined where the mode proves that there is nothing in it, or nobody asked. */
  readonly beyond: Reading<BeyondMode> | undefined
  readonly way: Reading<readonly SeenStep[]>
  readonly names: AccountNames
}

/** A directory or link on the way, with its list where its mode says that it may have one. */
export interface SeenStep extends WayStep {
  readonly acl: Reading<Acl | undefined>
}

/** The names of the ids in what was seen, of those that have one. */
export interface AccountNames {
  readonly users: ReadonlyMap<number, string>
  readonly groups: ReadonlyMap<number, string>
}

/** What a policy says of it. */
export interface WantedAccess {
  readonly attributes: WantedAttributes
  /** `mode` where the policy says so itself, so that it has to be known. */
  readonly access: 'mode' | 'any' | undefined
}

/** What comparing found. */
export interface AccessComparison {
  readonly drift: readonly Drift[]
  readonly unknown: readonly UnknownProperty[]
  readonly warnings: readonly string[]
  /** The lists without what gives too much, and the capabilities that are too many; undefined where nothing is to be done. */
  readonly surplus: Surplus | undefined
  /** Whether, and why, a fix of this resource leaves it as it is. */
  readonly isLeft: boolean
  readonly standing: readonly Obstacle[]
}

type Surplus = Pick<AccessChange, 'acl' | 'defaultAcl' | 'capabilities'>

const NOTHING: AccessComparison = {
  drift: [],
  unknown: [],
  warnings: [],
  surplus: undefined,
  isLeft: false,
  standing: [],
}

const OTHER_READS = 0o004
const OTHER_ENTERS = 0o001
const GROUP_WRITES = 0o020
const EVERYBODY_WRITES = 0o002
const STICKY = 0o1000
const WRITE = 2

/**
 * Whether something with this mode may give more than that, so that it has to be read. Named entries get no more than the
 * bits of the group, which are the mask of a list: where everybody has these anyway they give nothing. A program may have
 * capabilities, a directory a list for what is made in it.
 */
export function mayGiveMore({ kind, mode }: Pick<SeenAttributes, 'kind' | 'mode'>): boolean {
  if (kind === 'directory') return true
  return (mode & 0o111) !== 0 || ((mode >> 3) & ~mode & 0o7) !== 0
}

/** Whether a directory on the way may have a list that lets somebody write in it, with the same reason. */
export function mayLetWrite({ kind, mode }: WayStep): boolean {
  return kind === 'directory' && (mode & (STICKY | GROUP_WRITES | EVERYBODY_WRITES)) === GROUP_WRITES
}

/** Compares who may do what with what owner, group and mode of the policy say. */
export function compareAccess(
  state: SeenAttributes & { readonly access: SeenAccess | undefined },
  { attributes, access }: WantedAccess,
): AccessComparison {
  const seen = state.access
  if (seen === undefined || seen === NOTHING_SEEN) return NOTHING
  const beyond = compareBeyond(state, seen, attributes)
  const way = seen.way.kind === 'unknown' ? [] : foundOnWay(state, seen.way.value, seen.names, attributes)
  const lists = seen.way.kind === 'known' ? seen.way.value.map(({ acl }) => acl) : []
  const unread = [seen.beyond, seen.way, ...lists].flatMap((read) => (read?.kind === 'unknown' ? [read] : []))
  const found = [...beyond.found, ...way]
  const drift = { property: 'access', desired: 'no more than owner, group and mode say', observed: found.join('; ') }
  return {
    drift: found.length === 0 ? [] : [drift],
    unknown: access === 'mode' ? unread.map((each) => unreadable('access', each)) : [],
    warnings: access === 'mode' ? [] : unread.map(({ detail }) => `access beyond the mode is not known: ${detail}`),
    surplus: beyond.surplus,
    isLeft: beyond.surplus === undefined,
    standing: way.map((finding) => ({ reason: `${finding}, ${ADVICE}` })),
  }
}

const ADVICE =
  "and a fix of what lies in it leaves that as it is: give it to root, or take the right away, or accept it with 'access: any'"

/** Stands for what nobody could change: a path through directories of root alone, and a mode that leaves nothing open. */
export const NOTHING_SEEN: SeenAccess = {
  beyond: undefined,
  way: { kind: 'known', value: [] },
  names: { users: new Map(), groups: new Map() },
}

interface Beyond {
  readonly found: readonly string[]
  readonly surplus: Surplus | undefined
}

function compareBeyond(state: SeenAttributes, { beyond, names }: SeenAccess, wanted: WantedAttributes): Beyond {
  // Who may do what is said by the mode: without one, nothing is too much.
  if (beyond?.kind !== 'known' || wanted.mode === undefined) return { found: [], surplus: undefined }
  const { acl, defaultAcl, capabilities } = beyond.value
  const isTooMuch = (list: Acl) => {
    return (entry: NamedEntry): boolean => givesMore(effectiveBits(list, entry), entry, state, wanted)
  }
  const listed = acl?.named.filter(isTooMuch(acl)) ?? []
  // Who may not go into a directory has nothing of what is made in it.
  const isOpen = (state.mode & OTHER_ENTERS) !== 0
  const inherited = (isOpen ? defaultAcl?.named.filter(isTooMuch(defaultAcl)) : undefined) ?? []
  const isProgram = state.kind === 'file' && (state.mode & 0o111) !== 0
  const gifts = isProgram && capabilities !== undefined && giveSomething(capabilities) ? [capabilities] : []
  const found = [
    ...listed.map((entry) => `${who(entry, names)} may ${rights(entry, acl, state)} (ACL)`),
    ...inherited.map(
      (entry) => `${who(entry, names)} may ${rights(entry, defaultAcl, state)} what is made in it (ACL)`,
    ),
    ...gifts.map((each) => `whoever runs it gets ${formatCapabilities(each)} (capabilities)`),
  ]
  if (found.length === 0) return { found, surplus: undefined }
  const surplus = {
    ...(acl === undefined || listed.length === 0 ? {} : { acl: without(acl, listed) }),
    ...(defaultAcl === undefined || inherited.length === 0 ? {} : { defaultAcl: without(defaultAcl, inherited) }),
    ...(gifts.length === 0 ? {} : { capabilities: null }),
  }
  return { found, surplus }
}

function without(acl: Acl, entries: readonly NamedEntry[]): Acl {
  return withNamed(
    acl,
    acl.named.filter((entry) => !entries.includes(entry)),
  )
}

/** Whether the mode would not be accepted if it gave everybody what the entry gives to one. */
function givesMore(bits: number, { kind, id }: NamedEntry, state: SeenAttributes, wanted: WantedAttributes): boolean {
  const isHarmless = kind === 'user' ? id === 0 || id === state.owner.id : id === state.group.id
  if (isHarmless || (bits & ~state.mode) === 0 || wanted.mode === undefined) return false
  return !isAccepted(MODES, wanted.mode.accepted, comparedBits(state.mode | bits, state, wanted.mode))
}

function who({ kind, id }: NamedEntry, { users, groups }: AccountNames): string {
  return `${kind} ${(kind === 'user' ? users : groups).get(id) ?? id}`
}

function rights(entry: NamedEntry, acl: Acl | undefined, { kind }: SeenAttributes): string {
  const bits = acl === undefined ? 0 : effectiveBits(acl, entry)
  const words = [
    ...((bits & OTHER_READS) === 0 ? [] : ['read']),
    ...((bits & WRITE) === 0 ? [] : ['write']),
    ...((bits & OTHER_ENTERS) === 0 ? [] : [kind === 'directory' ? 'enter' : 'execute']),
  ]
  return words.join(', ')
}

/** Who can put something else in the place of the thing, each as a sentence. */
function foundOnWay(
  state: SeenAttributes,
  way: readonly SeenStep[],
  names: AccountNames,
  wanted: WantedAttributes,
): readonly string[] {
  const isTrusted = (uid: number): boolean =>
    uid === 0 || (wanted.owner === undefined ? uid === state.owner.id : acceptsId(wanted.owner, uid))
  // A group of one's own has the name of its user; what the group of the thing itself may write it may replace, too.
  const userName = (id: number): string | undefined => (id === state.owner.id ? state.owner.name : names.users.get(id))
  const isTrustedGroup = (gid: number, { uid }: WayStep): boolean => {
    if (gid === 0 || (gid === state.group.id && (state.mode & GROUP_WRITES) !== 0)) return true
    const name = names.groups.get(gid)
    return name !== undefined && [uid, state.owner.id].some((id) => isTrusted(id) && userName(id) === name)
  }
  return way.flatMap((step) => {
    const path = showName(step.path)
    if (!isTrusted(step.uid)) return [`${path} is owned by ${names.users.get(step.uid) ?? step.uid}`]
    if (step.kind === 'symlink' || (step.mode & STICKY) !== 0) return []
    if ((step.mode & EVERYBODY_WRITES) !== 0) return [`everybody may write in ${path}`]
    return writers(step)
      .filter(({ kind, id }) => !(kind === 'user' ? isTrusted(id) : isTrustedGroup(id, step)))
      .map((entry) => `${who(entry, names)} may write in ${path}`)
  })
}

/** Who beside its owner may write in a directory. */
function writers({ mode, gid, acl }: SeenStep): readonly NamedEntry[] {
  if ((mode & GROUP_WRITES) === 0) return []
  const list: Acl = (acl.kind === 'known' ? acl.value : undefined) ?? {
    owner: 0,
    group: WRITE,
    other: 0,
    mask: undefined,
    named: [],
  }
  const group: NamedEntry = { kind: 'group', id: gid, bits: list.group }
  return [group, ...list.named].filter((entry) => (effectiveBits(list, entry) & WRITE) !== 0)
}

/** The mode that something has once its list is without what is too much. */
export function modeWithout(surplus: Surplus | undefined, mode: number): number {
  const acl = surplus?.acl
  return acl === undefined || acl === null ? mode : (mode & ~0o070) | ((acl.mask ?? acl.group) << 3)
}

/** What a fix changes: the lists without what is too much, with the mode that it gives. */
export function changeOf(surplus: Surplus | undefined, { mode }: FileAttributes): AccessChange | undefined {
  if (surplus?.acl === undefined || surplus.acl === null) return surplus
  return { ...surplus, acl: withMode(surplus.acl, mode) }
}

/** A list as it is once the mode is set: the bits of the group are the mask where there is one. */
function withMode(acl: Acl, mode: number): Acl {
  const [owner, group, other] = [(mode >> 6) & 0o7, (mode >> 3) & 0o7, mode & 0o7]
  return acl.mask === undefined ? { ...acl, owner, group, other } : { ...acl, owner, mask: group, other }
}
