import {
  type Acceptance,
  acceptedFor,
  formatAcceptance,
  isAccepted,
  mapAcceptance,
  valuesNamed,
} from '../../../model/acceptance.ts'
import type { Obstacle } from '../../../model/decision.ts'
import { formatMode, parseMode } from '../../../model/mode.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision } from '../../../model/partial-decision.ts'
import { known, type Reading, unknown, type Unknown } from '../../../model/observation.ts'
import { MODES } from '../../../model/value-orders.ts'
import type { FileAttributes } from '../../../host/remediator.ts'
import type { FileKind } from '../../../host/target.ts'
import {
  acceptedId,
  type Account,
  type AccountProperty,
  accountsObstacles,
  compareAccounts,
  GROUP_TOO,
  groupInsteadOfOthers,
  type DesiredAccounts,
} from '../../shared/accounts.ts'

import type { DesiredAcl } from './lists.ts'
import { noNearest } from '../../shared/acceptance-of.ts'

// Owner, group and permissions: notation in policies, comparison, and the values that a fix sets.

/** Owner, group or mode as a policy writes it. */
export type Written = string | Acceptance<string> | undefined

export interface ObservedAttributes {
  readonly kind: FileKind
  /** The twelve permission bits. */
  readonly mode: number
  readonly owner: Account
  readonly group: Account
}

/** Attributes in the policy; undefined attributes are not compared and stay unchanged. */
export interface DesiredAttributes {
  readonly owner: DesiredAccounts | undefined
  readonly group: DesiredAccounts | undefined
  readonly mode: DesiredMode | undefined
  readonly acl?: DesiredAcl | undefined
}

export interface DesiredMode {
  /** Four digits, or the acceptance as the policy writes it. */
  readonly shown: string | Acceptance<string>
  /** The bits as they are compared and set. */
  readonly accepted: Acceptance<number>
  /** Whether setuid, setgid or sticky is among the accepted bits; only then are those bits of a directory compared. */
  readonly namesSpecialBits: boolean
  /** Remark about the mode for the report. */
  readonly note: string | undefined
}

const SPECIAL_BITS = 0o7000

/** Whether a mode sets setuid, setgid or sticky; without them, a directory keeps its own. */
export function hasSpecialBits(bits: number): boolean {
  return (bits & SPECIAL_BITS) !== 0
}

/** A mode without setuid and setgid. */
export function withoutSetIds(bits: number): number {
  return bits & ~0o6000
}

/** Mode of a directory: adds the execute bit to every triad with read or write permission. */
export function directoryMode(bits: number): number {
  const readOrWrite = ((bits >> 2) | (bits >> 1)) & 0o111
  return bits | readOrWrite
}

/** The accepted modes, with the bits of each notation for a file or a directory. */
export function wantedMode(mode: Written, ensure: string): Reading<DesiredMode | undefined> {
  if (mode === undefined) return known(undefined)
  const adapt = ensure === 'directory' ? directoryMode : (bits: number): number => bits
  return typeof mode === 'string' ? wantedBits(mode, adapt) : wantedAcceptance(mode, adapt)
}

/** Converts a mode for files into a mode for directories. */
type Adapt = (bits: number) => number

const EXECUTE_ADDED = 'with execute permission where a directory is readable'

function wantedBits(mode: string, adapt: Adapt): Reading<DesiredMode> {
  const parsed = parseMode(mode)
  if ('problem' in parsed) return invalidMode(mode, parsed)
  const bits = adapt(parsed.value)
  return known({
    shown: formatMode(bits),
    accepted: { is: bits },
    namesSpecialBits: hasSpecialBits(bits),
    note: bits === parsed.value ? undefined : `${formatMode(parsed.value)} ${EXECUTE_ADDED}`,
  })
}

function invalidMode(text: string, { problem }: { readonly problem: string }): Unknown {
  return unknown('invalid', `mode "${text}" ${problem}`)
}

function wantedAcceptance(mode: Acceptance<string>, adapt: Adapt): Reading<DesiredMode> {
  const bitsOf = new Map<string, number>()
  let isAdapted = false
  for (const text of valuesNamed(mode)) {
    const parsed = parseMode(text)
    if ('problem' in parsed) return invalidMode(text, parsed)
    const bits = adapt(parsed.value)
    isAdapted ||= bits !== parsed.value
    bitsOf.set(text, bits)
  }
  const accepted = mapAcceptance(mode, (text) => bitsOf.get(text) ?? 0)
  return known({
    shown: mode,
    accepted,
    namesSpecialBits: [...bitsOf.values()].some(hasSpecialBits),
    note: isAdapted ? `here ${inWords(accepted)}, ${EXECUTE_ADDED}` : undefined,
  })
}

function inWords(accepted: Acceptance<number>): string {
  return formatAcceptance(mapAcceptance(accepted, formatMode), String)
}

/** Compares owner, group and mode, as far as the policy states them. */
export function compareAttributes(state: ObservedAttributes, wanted: DesiredAttributes): PartialDecision {
  const { owner, group, mode } = wanted
  return mergeParts([
    owner === undefined ? AS_WANTED : compareAccounts('owner', owner, state.owner),
    group === undefined ? AS_WANTED : compareAccounts('group', group, state.group),
    mode === undefined ? AS_WANTED : compareMode(state, mode, groupAfter(wanted, state) !== undefined),
  ])
}

function compareMode(state: ObservedAttributes, wanted: DesiredMode, changesGroup: boolean): PartialDecision {
  const observed = comparedBits(state.mode, state, wanted)
  if (isAccepted(MODES, wanted.accepted, observed)) return AS_WANTED
  const drift = { property: 'mode', desired: wanted.shown, observed: formatMode(observed) }
  const notes = [...(wanted.note === undefined ? [] : [wanted.note]), ...(changesGroup ? [GROUP_TOO] : [])]
  return drifted(notes.length === 0 ? drift : { ...drift, note: notes.join('; ') })
}

/** The special bits of a directory affect new files in it: a mode without them leaves them unchanged. */
export function comparedBits(mode: number, { kind }: ObservedAttributes, { namesSpecialBits }: DesiredMode): number {
  return kind === 'directory' && !namesSpecialBits ? mode & 0o777 : mode
}

/**
 * Attributes that a fix sets, or why it cannot; accepted or omitted ones stay. `state` is undefined if the file does not exist.
 */
export function settleAttributes(
  wanted: DesiredAttributes,
  state: ObservedAttributes | undefined,
): FileAttributes | { readonly obstacles: readonly Obstacle[] } {
  const uid = idOf(wanted.owner, state?.owner)
  const gid = groupAfter(wanted, state) ?? idOf(wanted.group, state?.group)
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

function groupAfter({ group, mode }: DesiredAttributes, state: ObservedAttributes | undefined): number | undefined {
  if (state === undefined) return undefined
  return groupInsteadOfOthers(group, { gid: state.group.id, mode: state.mode }, settleMode(mode, state, true))
}

function idOf(wanted: DesiredAccounts | undefined, observed: Account | undefined): number | undefined {
  return wanted === undefined ? observed?.id : acceptedId(wanted, observed)
}

function obstaclesOf(
  property: AccountProperty,
  wanted: DesiredAccounts | undefined,
  observed: Account | undefined,
): readonly Obstacle[] {
  return wanted === undefined ? [] : accountsObstacles(property, wanted, observed)
}

function settleMode(
  wanted: DesiredMode | undefined,
  state: ObservedAttributes | undefined,
  isSameOwner: boolean,
): number | undefined {
  // As chown(2): a program must not become setuid for its new owner.
  const kept = state?.kind === 'file' && !isSameOwner ? withoutSetIds(state.mode) : state?.mode
  if (wanted === undefined) return kept
  const start = state === undefined || kept === undefined ? undefined : comparedBits(kept, state, wanted)
  return acceptedFor(MODES, wanted.accepted, start)
}
