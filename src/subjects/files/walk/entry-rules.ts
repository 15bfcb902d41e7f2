import {
  type Acceptance,
  acceptedFor,
  isAcceptance,
  isAccepted,
  mapAcceptance,
  valuesNamed,
} from '../../../model/acceptance.ts'
import type { Drift, UnknownProperty } from '../../../model/drift.ts'
import { formatMode, parseMode } from '../../../model/mode.ts'
import type { Reading } from '../../../model/observation.ts'
import { compileWhole } from '../../../model/path-patterns.ts'
import { MODES } from '../../../model/value-orders.ts'
import { TEXTS } from '../../../resource-type/text-order.ts'
import type { ServiceIds } from '../../accounts/service-accounts.ts'
import type { EntryAttributes } from '../../../host/file-trees.ts'
import type { Acl } from '../../../host/acl.ts'
import type { FileAttributes } from '../../../host/remediator.ts'
import type { FileKind } from '../../../host/target.ts'
import {
  acceptedId,
  acceptsId,
  type Account,
  compareAccounts,
  GROUP_TOO,
  groupInsteadOfOthers,
  type DesiredAccounts,
} from '../../shared/accounts.ts'
import { listAfter } from '../../shared/lists.ts'
import {
  type AskedBeyond,
  compareBeyond,
  type EntryComparison,
  isAsked,
  NOTHING_WRONG,
  type ObservedBeyond,
} from './beyond.ts'
import { WAY_ADVICE } from '../way.ts'
import { noNearest } from '../../shared/acceptance-of.ts'

/** What a policy says about every entry. What is absent is not compared. */
export interface EntryDesired {
  readonly kinds?: readonly FileKind[] | undefined
  readonly with_mode?: string | Acceptance<string> | undefined
  readonly mode?: string | Acceptance<string> | undefined
  readonly kind?: string | Acceptance<string> | undefined
  readonly unowned?: boolean | undefined
  readonly capabilities?: boolean | undefined
  readonly access?: 'mode' | 'any' | undefined
  readonly only?: readonly string[] | undefined
}

/** The owners and groups that are accepted, where the policy says any. */
export interface EntryAccounts {
  readonly owner: DesiredAccounts | undefined
  readonly group: DesiredAccounts | undefined
  /** The groups whose entries are looked at. */
  readonly among?: DesiredAccounts | undefined
  readonly services?: Pick<ServiceIds, 'owner' | 'groups'>
}

/** An owner or group as it was seen. */
export interface ObservedAccount extends Account {
  /** Whether there is such an account; absent where that was not asked. */
  readonly exists?: Reading<boolean>
}

/** What was seen of entries with the same attributes. */
export interface ObservedEntry {
  readonly kind: FileKind
  readonly mode: number
  readonly owner: ObservedAccount
  readonly group: ObservedAccount
  /** Its place relative to the directory, `.` for that itself; absent where only attributes are compared. */
  readonly path?: string
  /** What its mode does not say; absent where that was not asked. */
  readonly beyond?: Reading<ObservedBeyond>
  /** Who can put something else in its place, each as a sentence; absent where that was not asked. */
  readonly way?: readonly string[]
}

export interface EntryRules {
  /** Whether such an entry is looked at. */
  readonly concerns: (entry: Pick<EntryAttributes, 'kind' | 'mode' | 'gid'>) => boolean
  /** Whether deciding about such an entry needs to know what its mode does not say. */
  readonly asksBeyond: (entry: EntryAttributes) => boolean
  readonly compare: (entry: ObservedEntry) => EntryComparison
  /** The list that a fix gives to an entry; undefined where it leaves that as it is. */
  readonly settleList: (entry: ObservedEntry) => Acl | undefined
  /** What a fix gives to an entry; undefined where it leaves it as it is. */
  readonly settle: (attributes: EntryAttributes) => FileAttributes | undefined
  /** Why a fix leaves some of what is wrong. */
  readonly obstacles: (entry: ObservedEntry) => readonly string[]
}

const SPECIAL_BITS = 0o7000
const SET_IDS = 0o6000
const ANY_EXECUTE = 0o111

interface DesiredMode {
  readonly shown: string | Acceptance<string>
  readonly accepted: Acceptance<number>
  /** Whether setuid, setgid or sticky is among them; those of a directory are only compared then. */
  readonly namesSpecialBits: boolean
}

/** Makes the rules of what a policy says. Modes have been checked. */
export function entryRules(wanted: EntryDesired, { owner, group, among }: EntryAccounts): EntryRules {
  const mode = wanted.mode === undefined ? undefined : wantedMode(wanted.mode)
  const having = wanted.with_mode === undefined ? undefined : wantedMode(wanted.with_mode)
  const accepted = wanted.kind === undefined || isAcceptance(wanted.kind) ? wanted.kind : { is: wanted.kind }
  const isExpected = wanted.only === undefined ? undefined : compileWhole(wanted.only)
  const settle = (entry: EntryAttributes): FileAttributes | undefined => settleEntry(entry, { mode, owner, group })
  const asked = ({ kind, mode: bits, uid, gid }: EntryAttributes): AskedBeyond => ({
    // What cannot be run gives nothing.
    asksCapabilities: wanted.capabilities === false && kind === 'file' && (bits & ANY_EXECUTE) !== 0,
    listed:
      mode === undefined || wanted.access === 'any' || kind === 'symlink'
        ? undefined
        : { mode: bits, uid, gid, owner, group, acceptsMode: (other) => acceptsMode(kind, other, mode) },
    isStrict: wanted.access === 'mode',
  })
  const compare = (entry: ObservedEntry): EntryComparison => {
    const accounts = [
      ...(owner === undefined ? [] : [compareAccounts('owner', owner, entry.owner)]),
      ...(group === undefined ? [] : [compareAccounts('group', group, entry.group)]),
    ]
    const unowned = wanted.unowned === false ? compareUnowned(entry) : NOTHING_WRONG
    const beyond = compareBeyond(entry, asked(toAttributes(entry)))
    const isKind = accepted === undefined || isAccepted(TEXTS, accepted, entry.kind)
    return {
      drift: [
        ...(mode === undefined
          ? []
          : compareMode(entry, mode, groupAfter(toAttributes(entry), { mode, owner, group }))),
        ...accounts.flatMap(({ drift }) => drift),
        ...(isKind ? [] : [{ property: 'kind', desired: wanted.kind ?? null, observed: entry.kind }]),
        ...unowned.drift,
        ...beyond.drift,
        ...(isExpected === undefined ? [] : comparePlace(entry, isExpected)),
      ],
      unknown: [...accounts.flatMap((found) => found.unknown), ...unowned.unknown, ...beyond.unknown],
      warnings: beyond.warnings,
    }
  }
  return {
    concerns: ({ kind, mode: bits, gid }) =>
      (among === undefined || acceptsId(among, gid)) &&
      (wanted.kinds === undefined || wanted.kinds.includes(kind)) &&
      (having === undefined || (kind !== 'symlink' && isAccepted(MODES, having.accepted, bits))),
    asksBeyond: (entry) => isAsked(asked(entry)),
    compare,
    settle,
    settleList: (entry) => {
      const { listed } = asked(toAttributes(entry))
      const acl = entry.beyond?.kind === 'known' ? entry.beyond.value.acl : undefined
      if (acl === undefined || listed === undefined) return undefined
      return listAfter(acl, listed, (settle(toAttributes(entry)) ?? toAttributes(entry)).mode)
    },
    obstacles: (entry) => [
      ...obstaclesOf(entry, compare(entry).drift, settle(toAttributes(entry)) ?? toAttributes(entry)),
      ...(entry.way ?? []).map((finding) => `${finding}, ${WAY_ADVICE}`),
    ],
  }
}

function wantedMode(written: string | Acceptance<string>): DesiredMode {
  const texts: Acceptance<string> = isAcceptance(written) ? written : { is: written }
  const namesSpecialBits = valuesNamed(texts).some((text) => (bitsOf(text) & SPECIAL_BITS) !== 0)
  return { shown: written, accepted: mapAcceptance(texts, bitsOf), namesSpecialBits }
}

function bitsOf(text: string): number {
  const parsed = parseMode(text)
  if ('problem' in parsed) throw new Error(`mode "${text}" ${parsed.problem}, which was not checked`)
  return parsed.value
}

function compareMode(
  { kind, mode }: ObservedEntry,
  { shown, accepted, namesSpecialBits }: DesiredMode,
  groupAfterFix: number | undefined,
): Drift[] {
  // A link gives no user anything: what counts is what it leads to.
  if (kind === 'symlink') return []
  if (acceptsMode(kind, mode, { accepted, namesSpecialBits })) return []
  const observed = formatMode(mode & comparedBits(kind, namesSpecialBits))
  const drift = { property: 'mode', desired: shown, observed }
  return [groupAfterFix === undefined ? drift : { ...drift, note: GROUP_TOO }]
}

function acceptsMode(
  kind: FileKind,
  mode: number,
  { accepted, namesSpecialBits }: Pick<DesiredMode, 'accepted' | 'namesSpecialBits'>,
): boolean {
  return isAccepted(MODES, accepted, mode & comparedBits(kind, namesSpecialBits))
}

/** The special bits of a directory steer what is created in it: a mode that says nothing about them leaves them alone. */
function comparedBits(kind: FileKind, namesSpecialBits: boolean): number {
  return kind === 'directory' && !namesSpecialBits ? 0o777 : 0o7777
}

function compareUnowned({ owner, group }: ObservedEntry): EntryComparison {
  const found = [unknownAccount('user', owner), unknownAccount('group', group)]
  const nobodies = found.flatMap(({ text }) => text)
  return {
    drift: nobodies.length === 0 ? [] : [{ property: 'unowned', desired: false, observed: nobodies.join(', ') }],
    unknown: found.flatMap(({ unknown }) => unknown),
    warnings: [],
  }
}

function comparePlace({ path, kind }: ObservedEntry, isExpected: (path: string) => boolean): Drift[] {
  if (path === undefined || path === '.' || isExpected(path)) return []
  return [{ property: 'only', desired: 'absent', observed: kind }]
}

interface UnknownAccount {
  readonly text: readonly string[]
  readonly unknown: readonly UnknownProperty[]
}

function unknownAccount(word: 'user' | 'group', { id, exists }: ObservedAccount): UnknownAccount {
  if (exists?.kind === 'unknown') {
    return { text: [], unknown: [{ property: 'unowned', reason: exists.reason, detail: exists.detail }] }
  }
  return { text: exists?.value === false ? [`${word} ${id}`] : [], unknown: [] }
}

function toAttributes({ kind, mode, owner, group }: ObservedEntry): EntryAttributes {
  return { kind, mode, uid: owner.id, gid: group.id }
}

interface Desired extends EntryAccounts {
  readonly mode: DesiredMode | undefined
}

function settleEntry(entry: EntryAttributes, wanted: Desired): FileAttributes | undefined {
  const uid = settleId(wanted.owner, entry.uid)
  const gid = groupAfter(entry, wanted) ?? settleId(wanted.group, entry.gid)
  const isSameOwner = uid === entry.uid && gid === entry.gid
  // As chown(2) does it: a program that is given to another user must not start to run as that user.
  const kept = isSameOwner || entry.kind !== 'file' ? entry.mode : entry.mode & ~SET_IDS
  const mode = settleMode({ ...entry, mode: kept }, wanted.mode)
  return isSameOwner && mode === entry.mode ? undefined : { uid, gid, mode, exact: true }
}

function groupAfter(entry: EntryAttributes, { group, mode }: Desired): number | undefined {
  return entry.kind === 'symlink' ? undefined : groupInsteadOfOthers(group, entry, settleMode(entry, mode))
}

function settleId(wanted: DesiredAccounts | undefined, id: number): number {
  return wanted === undefined ? id : (acceptedId(wanted, { id, name: undefined }) ?? id)
}

function settleMode({ kind, mode }: EntryAttributes, wanted: DesiredMode | undefined): number {
  if (wanted === undefined || kind === 'symlink') return mode
  const compared = comparedBits(kind, wanted.namesSpecialBits)
  const nearest = acceptedFor(MODES, wanted.accepted, mode & compared)
  return nearest === undefined ? mode : nearest | (mode & ~compared)
}

const REASONS: Readonly<Record<string, string>> = {
  kind: 'a fix does not change the file type: review it, then remove it or list it under "exclude"',
  unowned: 'the owner is unknown: review the file, then chown or remove it',
  only: 'a fix removes no files: review it, then remove it or list it under "only"',
}

/** What is still wrong once the entry has what a fix gives. */
function obstaclesOf(
  entry: ObservedEntry,
  drift: readonly Drift[],
  after: EntryAttributes | FileAttributes,
): readonly string[] {
  const isKept: Readonly<Record<string, boolean>> = {
    mode: after.mode === entry.mode,
    owner: after.uid === entry.owner.id,
    group: after.gid === entry.group.id,
    unowned: isNobody(entry.owner, after.uid) || isNobody(entry.group, after.gid),
    capabilities: false,
    access: false,
  }
  return drift.flatMap(({ property }) => (isKept[property] === false ? [] : [REASONS[property] ?? noNearest(property)]))
}

function isNobody({ id, exists }: ObservedAccount, after: number): boolean {
  return id === after && exists?.kind === 'known' && !exists.value
}
