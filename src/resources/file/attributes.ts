import type { Obstacle, Plan } from '../../core/decision.ts'
import type { DecidedDrift, Drift, UnknownProperty } from '../../core/drift.ts'
import type { FileAttributes } from '../../target/remediator.ts'
import { accountObstacles, compareAccount, type Account, type AccountProperty, type WantedAccount } from '../account.ts'
import { formatMode, hasSpecialBits, withoutSetIds } from './mode.ts'
import type { FileAction, FileState, WantedAttributes } from './state.ts'

/** What comparing properties found, in the order of the state checks. */
export interface Comparison {
  readonly drift: readonly DecidedDrift[]
  readonly unknown: readonly UnknownProperty[]
}

/** Compares owner, group and mode, those of them that the policy says. */
export function compareAttributes(state: FileState, wanted: WantedAttributes): Comparison {
  const owner = compareIfWanted('owner', wanted.owner, state.owner)
  const group = compareIfWanted('group', wanted.group, state.group)
  return {
    drift: [...owner.drift, ...group.drift, ...compareMode(state, wanted)],
    unknown: [...owner.unknown, ...group.unknown],
  }
}

function compareIfWanted(property: AccountProperty, wanted: WantedAccount | undefined, observed: Account): Comparison {
  return wanted === undefined ? { drift: [], unknown: [] } : compareAccount(property, wanted, observed)
}

function compareMode(state: FileState, { mode, modeNote }: WantedAttributes): Drift[] {
  if (mode === undefined) return []
  // The special bits of a directory steer what is created in it: a mode that says nothing about them leaves them alone.
  const leavesSpecialBits = state.kind === 'directory' && !hasSpecialBits(mode)
  const observed = leavesSpecialBits ? state.mode & 0o777 : state.mode
  if (observed === mode) return []
  const drift = { property: 'mode', desired: formatMode(mode), observed: formatMode(observed) }
  return [modeNote === undefined ? drift : { ...drift, note: modeNote }]
}

/** An action that gives attributes to something, with the sentence an audit shows. */
export interface AttributeAction {
  readonly kind: 'store' | 'set-attributes' | 'create-directory'
  readonly text: string
}

/** A plan that gives attributes to something, where `state` is what it has now; impossible if the owner or group is nobody. */
export function attributePlan(
  { kind, text }: AttributeAction,
  wanted: WantedAttributes,
  state: FileState | undefined,
  others: readonly Obstacle[],
): Plan<FileAction> {
  const accounts = [...obstaclesOf('owner', wanted.owner), ...obstaclesOf('group', wanted.group)]
  const attributes = settleAttributes(wanted, state)
  const action: FileAction =
    attributes === undefined
      ? { kind: 'impossible', message: accounts.map(({ reason }) => reason).join('; ') }
      : { kind, attributes }
  return { kind: 'act', action, text, obstacles: [...accounts, ...others] }
}

function obstaclesOf(property: AccountProperty, wanted: WantedAccount | undefined): Obstacle[] {
  return wanted === undefined ? [] : accountObstacles(property, wanted)
}

/** What a fix gives: what is left out stays as it is. Undefined where an id is not known. */
function settleAttributes(wanted: WantedAttributes, state: FileState | undefined): FileAttributes | undefined {
  const uid = idOf(wanted.owner, state?.owner)
  const gid = idOf(wanted.group, state?.group)
  if (uid === undefined || gid === undefined) return undefined
  const hasNewOwner = state !== undefined && (state.owner.id !== uid || state.group.id !== gid)
  const mode = wanted.mode ?? keptMode(state, hasNewOwner)
  return mode === undefined ? undefined : { uid, gid, mode }
}

function idOf(wanted: WantedAccount | undefined, observed: Account | undefined): number | undefined {
  if (wanted === undefined) return observed?.id
  return wanted.id.kind === 'unknown' ? undefined : (wanted.id.value ?? undefined)
}

/** As chown(2) does it: a program that is given to somebody else must not start to run as that user. */
function keptMode(state: FileState | undefined, hasNewOwner: boolean): number | undefined {
  return state?.kind === 'file' && hasNewOwner ? withoutSetIds(state.mode) : state?.mode
}
