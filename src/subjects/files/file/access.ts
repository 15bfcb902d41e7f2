import { isAccepted } from '../../../model/acceptance.ts'
import { unreadable } from '../../../model/differences.ts'
import type { Unknown } from '../../../model/observation.ts'
import { AS_WANTED, type PartialDecision } from '../../../model/partial-decision.ts'
import { MODES } from '../../../model/value-orders.ts'
import type { BeyondMode } from '../../../host/access.ts'
import type { Acl, NamedEntry } from '../../../host/acl.ts'
import { type Capabilities, formatCapabilities, giveSomething } from '../../../host/capabilities.ts'
import type { AccessChange, FileAttributes } from '../../../host/remediator.ts'
import {
  type AccountNames,
  givesTooMuch,
  type Listed,
  maskedBy,
  NO_MORE_ACCESS,
  describeRights,
  unknownAccess,
  describeEntry,
  withoutEntries,
} from '../../shared/lists.ts'
import { NOTHING_SEEN, type ObservedAccess } from './access-seen.ts'
import { comparedBits, type ObservedAttributes, settleAttributes, type DesiredAttributes } from './attributes.ts'
import { compareExplicit, isWanted } from './lists.ts'
import { foundOnWay, WAY_ADVICE } from '../way.ts'

// Access beyond owner, group and mode: access control lists, file capabilities, and write access to a directory on the path,
// which allows a user to replace the file.

export interface DesiredAccess {
  readonly attributes: DesiredAttributes
  /** `mode` if the policy states it, so that the access must be known. */
  readonly access: 'mode' | 'any' | undefined
  readonly capabilities: Capabilities | undefined
}

export interface AccessComparison extends PartialDecision {
  readonly warnings: readonly string[]
  /** Changes of a fix; undefined if no change is needed. */
  readonly change: AccessChange | undefined
  /** Capabilities that any fix must set again, because a change of owner or content clears them. */
  readonly capabilities: Capabilities | undefined
  /** Whether a fix of this resource leaves the access unchanged; `obstacles` say why. */
  readonly isLeft: boolean
}

const NOTHING: AccessComparison = {
  ...AS_WANTED,
  warnings: [],
  change: undefined,
  capabilities: undefined,
  isLeft: false,
}

const OTHER_ENTERS = 0o001

/**
 * Whether a file with this mode may grant more access than the mode shows, so that its lists must be read. The group bits are
 * the mask of a list and limit named entries: if all classes have these bits, an entry grants nothing more. A program may have
 * capabilities, a directory a default list.
 */
export function mayGiveMore({ kind, mode }: Pick<ObservedAttributes, 'kind' | 'mode'>): boolean {
  if (kind === 'directory') return true
  return (mode & 0o111) !== 0 || ((mode >> 3) & ~mode & 0o7) !== 0
}

/** Compares the access with owner, group and mode of the policy, and with its lists. */
export function compareAccess(
  state: ObservedAttributes & { readonly access: ObservedAccess | undefined },
  wanted: DesiredAccess,
): AccessComparison {
  const seen = state.access
  if (seen === undefined || seen === NOTHING_SEEN) return NOTHING
  const { attributes, access, capabilities } = wanted
  const explicit = compareExplicit(state, seen, { acl: attributes.acl, capabilities })
  const isJudged = access !== 'any'
  const more = isJudged ? findMore(state, explicit.after, seen.names, wanted) : undefined
  // The mode and owner that the fix sets determine the remaining access.
  const later = more && findMore(afterFix(state, attributes), more.after, seen.names, wanted)
  const way = isJudged && seen.way.kind === 'known' ? foundOnWay(state, seen.way.value, seen.names, attributes) : []
  const found = [...(more?.found ?? []), ...way]
  const unread = isJudged ? unreadOf(seen) : []
  const drift = { property: 'access', desired: NO_MORE_ACCESS, observed: found.join('; ') }
  const change = accessChange(seen, later?.after ?? explicit.after)
  return {
    ...AS_WANTED,
    drift: found.length === 0 ? explicit.drift : [...explicit.drift, drift],
    unknown: [...explicit.unknown, ...(access === 'mode' ? unread.map((each) => unreadable('access', each)) : [])],
    warnings: access === 'mode' || explicit.unknown.length > 0 ? [] : unread.map(({ detail }) => unknownAccess(detail)),
    change,
    capabilities: capabilities !== undefined && giveSomething(capabilities) ? capabilities : undefined,
    isLeft: change === undefined,
    obstacles: [...explicit.obstacles, ...way.map((finding) => ({ reason: `${finding}, ${WAY_ADVICE}` }))],
  }
}

/** Access of a new file or directory; `seen` is the inherited access and the users who can replace the file. */
export function accessOfNew(
  kind: 'file' | 'directory',
  wanted: DesiredAccess,
  seen: ObservedAccess | undefined,
): AccessComparison | undefined {
  const { attributes, capabilities } = wanted
  if (seen === undefined && attributes.acl === undefined && capabilities === undefined) return undefined
  const access = seen ?? ({ ...NOTHING_SEEN, beyond: { kind: 'known', value: NOTHING_BEYOND } } as const)
  const settled = settleAttributes(attributes, undefined)
  const { uid, gid, mode } = 'obstacles' in settled ? { uid: 0, gid: 0, mode: 0 } : settled
  const { users, groups } = access.names
  const owner = { id: uid, name: users.get(uid) }
  const group = { id: gid, name: groups.get(gid) }
  return compareAccess(
    { kind, mode, owner, group, access },
    { ...wanted, access: seen === undefined ? 'any' : wanted.access },
  )
}

const NOTHING_BEYOND: BeyondMode = { acl: undefined, defaultAcl: undefined, capabilities: undefined }

function unreadOf({ beyond, way }: ObservedAccess): readonly Unknown[] {
  const lists = way.kind === 'known' ? way.value.map(({ acl }) => acl) : []
  return [beyond, way, ...lists].flatMap((read) => (read?.kind === 'unknown' ? [read] : []))
}

/** Difference between observed and desired access; null for lists and capabilities to remove. */
function accessChange({ beyond }: ObservedAccess, after: BeyondMode): AccessChange | undefined {
  if (beyond?.kind !== 'known') return undefined
  const { acl, defaultAcl, capabilities } = beyond.value
  const change = {
    ...(after.acl === acl ? {} : { acl: after.acl ?? null }),
    ...(after.defaultAcl === defaultAcl ? {} : { defaultAcl: after.defaultAcl ?? null }),
    ...(after.capabilities === capabilities ? {} : { capabilities: after.capabilities ?? null }),
  }
  return Object.keys(change).length === 0 ? undefined : change
}

interface More {
  readonly found: readonly string[]
  /** Access after the removal. */
  readonly after: BeyondMode
}

/** The attributes with the owner, group and mode that a fix sets, if it can. */
export function afterFix(state: ObservedAttributes, wanted: DesiredAttributes): ObservedAttributes {
  const settled = settleAttributes(wanted, state)
  if ('obstacles' in settled) return state
  const { uid, gid, mode } = settled
  const account = (id: number, now: ObservedAttributes['owner']): ObservedAttributes['owner'] =>
    id === now.id ? now : { id, name: undefined }
  return { kind: state.kind, mode, owner: account(uid, state.owner), group: account(gid, state.group) }
}

/** Lists and capabilities that grant more than the mode and that the policy does not request. */
function findMore(state: ObservedAttributes, before: BeyondMode, names: AccountNames, wanted: DesiredAccess): More {
  const { attributes } = wanted
  // The mode states the allowed access: without a mode, no access is excessive.
  if (attributes.mode === undefined) return { found: [], after: before }
  const { acl, defaultAcl, capabilities } = before
  const isTooMuch = (list: Acl, prefix: '' | 'default:') => {
    return (entry: NamedEntry): boolean =>
      !(attributes.acl !== undefined && isWanted(attributes.acl, entry, prefix)) &&
      givesTooMuch(list, entry, listedAttributes(state, attributes))
  }
  const isDirectory = state.kind === 'directory'
  const masked = acl && maskedBy(state.mode, acl)
  const entries = masked?.named.filter(isTooMuch(masked, '')) ?? []
  // A user without access to a directory has no access to new files in it.
  const isOpen = (state.mode & OTHER_ENTERS) !== 0
  const inherited = (isOpen ? defaultAcl?.named.filter(isTooMuch(defaultAcl, 'default:')) : undefined) ?? []
  const isProgram = state.kind === 'file' && (state.mode & 0o111) !== 0 && wanted.capabilities === undefined
  const gifts = isProgram && capabilities !== undefined && giveSomething(capabilities) ? [capabilities] : []
  return {
    found: [
      ...entries.map(
        (entry) => `${describeEntry(entry, names)} may ${describeRights(masked, entry, isDirectory)} (ACL)`,
      ),
      ...inherited.map(
        (entry) =>
          `${describeEntry(entry, names)} may ${describeRights(defaultAcl, entry, isDirectory)} new files in it (ACL)`,
      ),
      ...gifts.map((each) => `it grants ${formatCapabilities(each)} (capabilities)`),
    ],
    after: {
      acl: withoutEntries(acl, entries),
      defaultAcl: withoutEntries(defaultAcl, inherited),
      capabilities: gifts.length === 0 ? capabilities : undefined,
    },
  }
}

function listedAttributes(state: ObservedAttributes, { mode: wanted, owner, group }: DesiredAttributes): Listed {
  return {
    mode: state.mode,
    uid: state.owner.id,
    gid: state.group.id,
    acceptsMode: (mode) =>
      wanted === undefined || isAccepted(MODES, wanted.accepted, comparedBits(mode, state, wanted)),
    owner,
    group,
  }
}

/** Mode after the last entry of a list is removed: the mask limits the group bits. */
export function modeWithout(change: AccessChange | undefined, mode: number): number {
  const acl = change?.acl
  return acl === undefined || acl === null || acl.mask !== undefined ? mode : (mode & ~0o070) | (acl.group << 3)
}

/** Changes of a fix, given the mode that it sets if the policy states one. */
export function changeOf(
  access: AccessComparison | undefined,
  attributes: FileAttributes,
  { mode }: DesiredAttributes,
): AccessChange | undefined {
  if (access === undefined) return undefined
  const { change, capabilities } = access
  const kept = capabilities === undefined ? change : { ...change, capabilities }
  if (kept?.acl === undefined || kept.acl === null || mode === undefined) return kept
  return { ...kept, acl: withMode(kept.acl, attributes.mode) }
}

/** A list after the mode is set: the group bits become the mask if there is one. */
function withMode(acl: Acl, mode: number): Acl {
  const [owner, group, other] = [(mode >> 6) & 0o7, (mode >> 3) & 0o7, mode & 0o7]
  return acl.mask === undefined ? { ...acl, owner, group, other } : { ...acl, owner, mask: group, other }
}
