import {
  type Acceptance,
  acceptanceProblem,
  acceptedFor,
  formatAcceptance,
  isAccepted,
  mapAcceptance,
  type ValueOrder,
  valuesNamed,
} from '../../core/acceptance.ts'
import type { Obstacle } from '../../core/decision.ts'
import type { Drift, UnknownProperty } from '../../core/drift.ts'
import { known, type Reading, unknown } from '../../core/observation.ts'
import { isSet } from '../../core/property.ts'
import type { FileAttributes } from '../../target/remediator.ts'
import type { FileKind } from '../../target/target.ts'
import {
  acceptedId,
  type Account,
  accountIdProblem,
  type AccountProperty,
  accountsObstacles,
  compareAccounts,
  noNearest,
  type WantedAccounts,
} from '../shared/accounts.ts'

// Owner, group and permissions: how policies write them, how they compare, and what a fix gives.

/** One of the three as a policy writes it. */
export type Written = string | Acceptance<string> | undefined

/** What is there. */
export interface SeenAttributes {
  readonly kind: FileKind
  /** The twelve permission bits. */
  readonly mode: number
  readonly owner: Account
  readonly group: Account
}

/** What the policy says of the attributes; what it leaves out is undefined, not compared, and stays as it is. */
export interface WantedAttributes {
  readonly owner: WantedAccounts | undefined
  readonly group: WantedAccounts | undefined
  readonly mode: WantedMode | undefined
}

/** The permissions that a policy accepts. */
export interface WantedMode {
  /** Four digits, or the acceptance as the policy writes it. */
  readonly shown: string | Acceptance<string>
  /** The bits as they are compared and set. */
  readonly accepted: Acceptance<number>
  /** Whether setuid, setgid or sticky is among them; those of a directory are only compared then. */
  readonly namesSpecialBits: boolean
  /** What to say about the mode beside its value. */
  readonly note: string | undefined
}

const OCTAL = /^(?:0[oO])?([0-7]+)$/
const HIGHEST = 0o7777
const SPECIAL_BITS = 0o7000

/**
 * The permission bits that a spelling such as `0644`, `644`, `0o644`, `0O644` or `1777` means, or what is wrong with it.
 * One digit each for owner, group and others is the least: what `64` leaves out nobody can know.
 */
export function parseMode(text: string): { readonly bits: number } | { readonly problem: string } {
  const digits = OCTAL.exec(text)?.[1]
  if (digits === undefined) {
    return { problem: `mode "${text}" is not a valid octal number: write four digits from 0 to 7, such as "0644"` }
  }
  if (digits.length < 3) {
    const missing = digits.length === 2 ? 'digit of the owner' : 'digits of owner and group'
    return { problem: `mode "${text}" lacks the ${missing}: write four digits from 0 to 7, such as "0644"` }
  }
  const bits = Number.parseInt(digits, 8)
  return bits > HIGHEST ? { problem: `mode "${text}" exceeds maximum value 7777` } : { bits }
}

/** Permission bits as four octal digits, the way policies write them. */
export function formatMode(bits: number): string {
  return bits.toString(8).padStart(4, '0')
}

/** Whether a mode says something about setuid, setgid or sticky; one that does not leaves those of a directory alone. */
export function hasSpecialBits(bits: number): boolean {
  return (bits & SPECIAL_BITS) !== 0
}

/** Modes by the rights they give: at most is no bit more than the bound has, at least is all of its bits. */
export const MODES: ValueOrder<number> = {
  equals: (left, right) => left === right,
  raise: (bits, bound) => bits | bound,
  lower: (bits, bound) => bits & bound,
}

/** A mode without setuid and setgid. */
export function withoutSetIds(bits: number): number {
  return bits & ~0o6000
}

/** What a directory gets for a mode: the execute bit is added to every triad that may read or write. */
export function directoryMode(bits: number): number {
  const readOrWrite = ((bits >> 2) | (bits >> 1)) & 0o111
  return bits | readOrWrite
}

/** Why a mode, or one that an acceptance names, cannot be meant. */
export function modeProblem(mode: Written): string | undefined {
  const parsed = new Map(namedIn(mode).map((text) => [text, parseMode(text)]))
  for (const each of parsed.values()) if ('problem' in each) return each.problem
  const bitsOf = (text: string): number => {
    const each = parsed.get(text)
    return each !== undefined && 'bits' in each ? each.bits : 0
  }
  return typeof mode === 'object' ? wholeProblem('mode', MODES, mapAcceptance(mode, bitsOf)) : undefined
}

/** Why an owner or group cannot be meant. */
export function accountProblem(property: AccountProperty, written: Written): string | undefined {
  const problem = namedIn(written)
    .map((text) => accountIdProblem(property, text))
    .find((each) => each !== undefined)
  if (problem !== undefined || typeof written !== 'object') return problem
  return wholeProblem(property, { equals: (left, right) => left === right }, written)
}

/** What a property names; the empty text alone is told of as missing. */
function namedIn(written: Written): readonly string[] {
  if (typeof written === 'string') return isSet(written) ? [written] : []
  return written === undefined ? [] : valuesNamed(written)
}

function wholeProblem<Value>(
  property: string,
  order: ValueOrder<Value>,
  acceptance: Acceptance<Value>,
): string | undefined {
  if (valuesNamed(acceptance).some((value) => value === '')) return `${property} cannot be empty`
  const problem = acceptanceProblem(order, acceptance)
  return problem === undefined ? undefined : `${property} ${problem}`
}

/** What is accepted as the mode, with the bits that each spelling means for a file or a directory. */
export function wantedMode(mode: Written, ensure: string): Reading<WantedMode | undefined> {
  if (mode === undefined) return known(undefined)
  const adapt = ensure === 'directory' ? directoryMode : (bits: number): number => bits
  return typeof mode === 'string' ? wantedBits(mode, adapt) : wantedAcceptance(mode, adapt)
}

/** What makes the mode of a directory of one that was written with files in mind. */
type Adapt = (bits: number) => number

const EXECUTE_ADDED = 'with execute where a directory may be read'

function wantedBits(mode: string, adapt: Adapt): Reading<WantedMode> {
  const parsed = parseMode(mode)
  if ('problem' in parsed) return unknown('invalid', parsed.problem)
  const bits = adapt(parsed.bits)
  return known({
    shown: formatMode(bits),
    accepted: { is: bits },
    namesSpecialBits: hasSpecialBits(bits),
    note: bits === parsed.bits ? undefined : `${formatMode(parsed.bits)} ${EXECUTE_ADDED}`,
  })
}

function wantedAcceptance(mode: Acceptance<string>, adapt: Adapt): Reading<WantedMode> {
  const bitsOf = new Map<string, number>()
  let isAdapted = false
  for (const text of valuesNamed(mode)) {
    const parsed = parseMode(text)
    if ('problem' in parsed) return unknown('invalid', parsed.problem)
    const bits = adapt(parsed.bits)
    isAdapted ||= bits !== parsed.bits
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

/** What comparing them found, in the order of the state checks. */
interface Comparison {
  readonly drift: readonly Drift[]
  readonly unknown: readonly UnknownProperty[]
}

const NOTHING: Comparison = { drift: [], unknown: [] }

/** Compares owner, group and mode, those of them that the policy says. */
export function compareAttributes(state: SeenAttributes, wanted: WantedAttributes): Comparison {
  const owner = wanted.owner === undefined ? NOTHING : compareAccounts('owner', wanted.owner, state.owner)
  const group = wanted.group === undefined ? NOTHING : compareAccounts('group', wanted.group, state.group)
  const mode = wanted.mode === undefined ? [] : compareMode(state, wanted.mode)
  return { drift: [...owner.drift, ...group.drift, ...mode], unknown: [...owner.unknown, ...group.unknown] }
}

function compareMode(state: SeenAttributes, wanted: WantedMode): Drift[] {
  const observed = comparedBits(state.mode, state, wanted)
  if (isAccepted(MODES, wanted.accepted, observed)) return []
  const drift = { property: 'mode', desired: wanted.shown, observed: formatMode(observed) }
  return [wanted.note === undefined ? drift : { ...drift, note: wanted.note }]
}

/** The special bits of a directory steer what is created in it: a mode that says nothing about them leaves them alone. */
function comparedBits(mode: number, { kind }: SeenAttributes, { namesSpecialBits }: WantedMode): number {
  return kind === 'directory' && !namesSpecialBits ? mode & 0o777 : mode
}

/** What a fix gives, or why it cannot: what is accepted or left out stays as it is. `state` is undefined where nothing is. */
export function settleAttributes(
  wanted: WantedAttributes,
  state: SeenAttributes | undefined,
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
  state: SeenAttributes | undefined,
  isSameOwner: boolean,
): number | undefined {
  // As chown(2) does it: a program that is given to somebody else must not start to run as that user.
  const kept = state?.kind === 'file' && !isSameOwner ? withoutSetIds(state.mode) : state?.mode
  if (wanted === undefined) return kept
  const start = state === undefined || kept === undefined ? undefined : comparedBits(kept, state, wanted)
  return acceptedFor(MODES, wanted.accepted, start)
}
