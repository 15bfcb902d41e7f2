import { acceptedFor, isAccepted } from '../../core/acceptance.ts'
import type { Obstacle, Plan } from '../../core/decision.ts'
import type { DecidedDrift, Drift, UnknownProperty } from '../../core/drift.ts'
import type { Effect } from '../../core/effect.ts'
import type { FileAttributes } from '../../target/remediator.ts'
import type { Account, AccountProperty } from '../shared/account.ts'
import { acceptedId, accountsObstacles, compareAccounts, noNearest, type WantedAccounts } from '../shared/accounts.ts'
import { formatMode, MODES, withoutSetIds } from './mode.ts'
import type { FileAction, FileState, WantedAttributes, WantedMode } from './state.ts'

/** What comparing properties found, in the order of the state checks. */
export interface Comparison {
  readonly drift: readonly DecidedDrift[]
  readonly unknown: readonly UnknownProperty[]
}

const NOTHING: Comparison = { drift: [], unknown: [] }

/** Compares owner, group and mode, those of them that the policy says. */
export function compareAttributes(state: FileState, wanted: WantedAttributes): Comparison {
  const owner = wanted.owner === undefined ? NOTHING : compareAccounts('owner', wanted.owner, state.owner)
  const group = wanted.group === undefined ? NOTHING : compareAccounts('group', wanted.group, state.group)
  const mode = wanted.mode === undefined ? [] : compareMode(state, wanted.mode)
  return { drift: [...owner.drift, ...group.drift, ...mode], unknown: [...owner.unknown, ...group.unknown] }
}

function compareMode(state: FileState, wanted: WantedMode): Drift[] {
  const observed = comparedBits(state.mode, state, wanted)
  if (isAccepted(MODES, wanted.accepted, observed)) return []
  const drift = { property: 'mode', desired: wanted.shown, observed: formatMode(observed) }
  return [wanted.note === undefined ? drift : { ...drift, note: wanted.note }]
}

/** The special bits of a directory steer what is created in it: a mode that says nothing about them leaves them alone. */
function comparedBits(mode: number, { kind }: FileState, { namesSpecialBits }: WantedMode): number {
  return kind === 'directory' && !namesSpecialBits ? mode & 0o777 : mode
}

/** An action that gives attributes to something, with the sentence an audit shows. */
export interface AttributeAction {
  readonly kind: 'store' | 'set-attributes' | 'create-directory'
  readonly text: string
  readonly effect: Effect
}

/**
 * A plan that gives attributes to something. `state` is what it has now; undefined where it is new. Impossible where the
 * owner or group is nobody, or where no accepted value is the one to write.
 */
export function attributePlan(
  { kind, text, effect }: AttributeAction,
  wanted: WantedAttributes,
  state: FileState | undefined,
  others: readonly Obstacle[],
): Plan<FileAction> {
  const settled = settleAttributes(wanted, state)
  const own = 'obstacles' in settled ? settled.obstacles : []
  const action: FileAction =
    'obstacles' in settled
      ? { kind: 'impossible', message: own.map(({ reason }) => reason).join('; ') }
      : { kind, attributes: settled }
  return { kind: 'act', action, text, effects: [effect], obstacles: [...own, ...others] }
}

/** What a fix gives: what is accepted or left out stays as it is. */
function settleAttributes(
  wanted: WantedAttributes,
  state: FileState | undefined,
): FileAttributes | { readonly obstacles: readonly Obstacle[] } {
  const uid = idOf(wanted.owner, state?.owner)
  const gid = idOf(wanted.group, state?.group)
  const isSameOwner = state?.owner.id === uid && state?.group.id === gid
  const mode = settleMode(wanted.mode, state, isSameOwner)
  if (uid !== undefined && gid !== undefined && mode !== undefined) {
    return { uid, gid, mode, ...(wanted.mode?.namesSpecialBits === true ? { exact: true } : {}) }
  }
  return {
    obstacles: [
      ...obstaclesOf('owner', wanted.owner, state?.owner),
      ...obstaclesOf('group', wanted.group, state?.group),
      ...(mode === undefined ? [{ reason: noNearest('mode') }] : []),
    ],
  }
}

function idOf(wanted: WantedAccounts | undefined, observed: Account | undefined): number | undefined {
  return wanted === undefined ? observed?.id : acceptedId(wanted, observed)
}

function obstaclesOf(
  property: AccountProperty,
  wanted: WantedAccounts | undefined,
  observed: Account | undefined,
): readonly Obstacle[] {
  return wanted === undefined ? [] : accountsObstacles(property, wanted, observed)
}

function settleMode(
  wanted: WantedMode | undefined,
  state: FileState | undefined,
  isSameOwner: boolean,
): number | undefined {
  // As chown(2) does it: a program that is given to somebody else must not start to run as that user.
  const kept = state?.kind === 'file' && !isSameOwner ? withoutSetIds(state.mode) : state?.mode
  if (wanted === undefined) return kept
  const start = state === undefined || kept === undefined ? undefined : comparedBits(kept, state, wanted)
  return acceptedFor(MODES, wanted.accepted, start)
}
