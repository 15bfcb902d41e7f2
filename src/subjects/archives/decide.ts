import type { Acceptance } from '../../model/acceptance.ts'
import { defined } from '../../model/defined.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../model/decision.ts'
import type { DecidedDrift, Drift } from '../../model/drift.ts'
import type { Effect, EffectKind } from '../../model/effect.ts'
import type { Reading, Seen } from '../../model/observation.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, undecided } from '../../model/partial-decision.ts'
import type { FileAttributes } from '../../host/remediator.ts'
import type { FileKind } from '../../host/target.ts'
import {
  type Account,
  acceptedId,
  type AccountProperty,
  accountsObstacles,
  compareAccounts,
  type DesiredAccounts,
} from '../shared/accounts.ts'
import { conflict, ensureWord } from '../shared/paths.ts'
import { isSet } from '../../model/property.ts'

export interface ArchiveDesired {
  readonly name: string
  readonly ensure: 'present' | 'absent'
  readonly url: string
  readonly owner: string | Acceptance<string>
  readonly group: string | Acceptance<string>
  readonly checksum?: string | undefined
  readonly extract_parent?: string | undefined
  readonly creates?: string | undefined
  readonly cleanup: boolean
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** In milliseconds. */
  readonly timeout?: number | undefined
  readonly tries: number
  readonly max_size: string
  readonly max_extracted_size: string
}

/** Observed archive file. Links are followed, unless the path must be absent. */
export interface ArchiveState {
  readonly kind: FileKind
  readonly owner: Account
  readonly group: Account
  /** sha256 in lower-case hex; only of a regular file that is compared. */
  readonly checksum?: Reading<string>
}

/** Observations besides the archive file. */
export type ArchiveContext =
  | { readonly ensure: 'absent' }
  | {
      readonly ensure: 'present'
      readonly owner: DesiredAccounts
      readonly group: DesiredAccounts
      /** Whether the path of `creates` exists; undefined without `creates`. */
      readonly creates: Reading<boolean> | undefined
      /** Obstacles to writing and to unpacking the archive file. */
      readonly downloadObstacles: readonly Obstacle[]
      readonly extractObstacles: readonly Obstacle[]
    }

/** Action of a fix, in order: download if it has file attributes, unpack, remove the archive. */
export type ArchiveAction =
  | {
      readonly kind: 'install'
      readonly download: FileAttributes | undefined
      readonly extract: boolean
      readonly cleanup: boolean
      /** File attributes for a new download if the existing archive cannot be unpacked and no checksum confirms it. */
      readonly refetch?: FileAttributes
    }
  | { readonly kind: 'remove' }
  /** The owner or group does not exist, so it cannot be set. */
  | { readonly kind: 'impossible'; readonly message: string }
type Desired = Extract<ArchiveContext, { ensure: 'present' }>

// The archive may contain secrets, so only its owner may read it.
const ARCHIVE_MODE = 0o600

/**
 * Compares an archive with its file and with `creates`, following the decision tables of CCM's archive type: if `creates` exists,
 * a missing archive is compliant, an existing one is compared, and one due for cleanup is removed.
 */
export function decideArchive(
  desired: ArchiveDesired,
  observed: Seen<ArchiveState, ArchiveContext>,
): Decision<ArchiveAction> {
  const { context } = observed
  const state = observed.kind === 'present' ? observed.state : undefined
  return context.ensure === 'absent' ? decideAbsent(desired, state) : decidePresent(desired, state, context)
}

function decideAbsent({ name }: ArchiveDesired, state: ArchiveState | undefined): Decision<ArchiveAction> {
  const observed = state === undefined ? 'absent' : ensureWord(state.kind)
  const ensure = { desired: 'absent', observed }
  if (state === undefined) return { ensure, drift: [], unknown: [], plan: NO_PLAN }
  const plan: Plan<ArchiveAction> =
    state.kind === 'directory'
      ? refuse(`${name} is a directory; an archive resource only removes files`)
      : { kind: 'act', action: { kind: 'remove' }, text: 'Would have removed', effects: [REMOVAL], obstacles: [] }
  return { ensure, drift: [{ property: 'ensure', ...ensure }], unknown: [], plan }
}

/** The comparison of the archive, in the order of the state checks. */
interface ArchivePart extends PartialDecision {
  /** Whether the existing archive is unusable. */
  readonly needsDownload: boolean
}

function decidePresent(
  desired: ArchiveDesired,
  state: ArchiveState | undefined,
  wanted: Desired,
): Decision<ArchiveAction> {
  const ensure = { desired: 'present', observed: state === undefined ? 'absent' : ensureWord(state.kind) }
  const archive = compareArchive(desired, state, wanted)
  const marker = compareMarker(desired, wanted)
  // Order of the checks: presence of the archive, `creates`, then attributes of the archive.
  const isEnsure = ({ property }: DecidedDrift): boolean => property === 'ensure'
  const drift = [
    ...archive.drift.filter(isEnsure),
    ...marker.drift,
    ...archive.drift.filter((found) => !isEnsure(found)),
  ]
  const unknown = [...marker.unknown, ...archive.unknown]
  const plan = drift.length === 0 ? NO_PLAN : planFix(desired, state, { wanted, needsDownload: archive.needsDownload })
  return { ensure, drift, unknown, plan }
}

function compareArchive(desired: ArchiveDesired, state: ArchiveState | undefined, wanted: Desired): ArchivePart {
  const none: ArchivePart = { ...AS_WANTED, needsDownload: false }
  const isCreated = hasCreates(wanted)
  if (state === undefined || state.kind === 'symlink') {
    if (isCreated) return none
    // If `creates` is unknown, so is whether the archive is required; with cleanup it never is.
    const isMissed = !desired.cleanup && wanted.creates?.kind !== 'unknown'
    return { ...none, drift: isMissed ? [missingDrift(state)] : [], needsDownload: true }
  }
  if (state.kind !== 'file') return { ...none, drift: [wrongKind(state.kind)] }
  if (isCreated && desired.cleanup) {
    return { ...none, drift: [{ property: 'cleanup', desired: 'absent', observed: 'present' }] }
  }
  return compareFile(desired, state, wanted)
}

function compareFile({ checksum }: ArchiveDesired, state: ArchiveState, { owner, group }: Desired): ArchivePart {
  const parts = [
    compareOwner('owner', owner, state.owner),
    compareOwner('group', group, state.group),
    compareChecksum(checksum, state),
  ]
  return { ...mergeParts(parts), needsDownload: parts.some(({ needsDownload }) => needsDownload) }
}

function compareMarker({ creates }: ArchiveDesired, wanted: Desired): PartialDecision {
  const reading = wanted.creates
  if (reading === undefined || !isSet(creates)) return AS_WANTED
  if (reading.kind === 'unknown') return undecided('creates', reading)
  return reading.value ? AS_WANTED : drifted({ property: 'creates', desired: creates, observed: null })
}

function compareOwner(property: AccountProperty, wanted: DesiredAccounts, observed: Account): ArchivePart {
  const comparison = compareAccounts(property, wanted, observed)
  return { ...comparison, needsDownload: comparison.drift.length > 0 }
}

function compareChecksum(wanted: string | undefined, { checksum: seen }: ArchiveState): ArchivePart {
  if (!isSet(wanted) || seen === undefined) return { ...AS_WANTED, needsDownload: false }
  // An unreadable archive cannot be unpacked either.
  if (seen.kind === 'unknown') return { ...undecided('checksum', seen), needsDownload: true }
  const desired = wanted.toLowerCase()
  if (seen.value === desired) return { ...AS_WANTED, needsDownload: false }
  return { ...drifted({ property: 'checksum', desired, observed: seen.value }), needsDownload: true }
}

interface Step {
  readonly text: string
  readonly kind: EffectKind
}

const REMOVAL: Effect = { kind: 'remove', object: 'the archive' }
const DOWNLOAD: Step = { text: 'Would have downloaded', kind: 'download' }
const EXTRACT: Step = { text: 'Would have extracted', kind: 'extract' }
const CLEAN_UP: Step = { text: 'Would have cleaned up', kind: 'remove' }

interface PlanInput {
  readonly wanted: Desired
  readonly needsDownload: boolean
}

function planFix(
  desired: ArchiveDesired,
  state: ArchiveState | undefined,
  { wanted, needsDownload }: PlanInput,
): Plan<ArchiveAction> {
  const { name, extract_parent: parent, cleanup, creates } = desired
  if (state !== undefined && state.kind !== 'file' && state.kind !== 'symlink') {
    return refuse(conflict(name, state.kind, 'an archive'))
  }
  // `creates` is missing, but the policy does not unpack the archive.
  const isStuck = creates !== undefined && isMissing(wanted) && !isSet(parent)
  if (isStuck && !needsDownload) return { kind: 'refuse', obstacles: [missingCreatesObstacle(creates)] }
  const extract = isSet(parent) && (needsDownload || isMissing(wanted))
  const obstacles = [
    ...(isStuck ? [missingCreatesObstacle(creates)] : []),
    // Whether to unpack depends on `creates`.
    ...(wanted.creates?.kind === 'unknown' ? [{ reason: wanted.creates.detail }] : []),
    ...(needsDownload ? [...ownerObstacles(wanted, state), ...wanted.downloadObstacles] : []),
    ...(extract ? wanted.extractObstacles : []),
  ]
  const steps: readonly Step[] = [
    ...(needsDownload ? [DOWNLOAD] : []),
    ...(extract ? [EXTRACT] : []),
    ...(cleanup ? [CLEAN_UP] : []),
  ]
  return {
    kind: 'act',
    action: settleAction({ wanted, state, needsDownload, extract, cleanup, isProved: isSet(desired.checksum) }),
    text: steps.map(({ text }) => text).join('. '),
    effects: steps.map(({ kind }) => ({ kind, object: 'the archive' })),
    obstacles,
  }
}

interface Steps extends PlanInput {
  readonly state: ArchiveState | undefined
  readonly extract: boolean
  readonly cleanup: boolean
  /** Whether a checksum identifies the archive. */
  readonly isProved: boolean
}

function settleAction({ wanted, state, needsDownload, extract, cleanup, isProved }: Steps): ArchiveAction {
  const attributes = settleAttributes(wanted, state)
  if (!needsDownload) {
    const refetch = extract && !isProved ? attributes : undefined
    return { kind: 'install', download: undefined, extract, cleanup, ...defined({ refetch }) }
  }
  if (attributes !== undefined) return { kind: 'install', download: attributes, extract, cleanup }
  const reasons = ownerObstacles(wanted, state).map(({ reason }) => reason)
  return { kind: 'impossible', message: reasons.join('; ') }
}

function missingCreatesObstacle(creates: string): Obstacle {
  const reason = `${creates} is missing, and the archive is not unpacked without extract_parent`
  return { reason, missing: creates }
}

function refuse(reason: string): Plan<ArchiveAction> {
  return { kind: 'refuse', obstacles: [{ reason }] }
}

function hasCreates({ creates }: Desired): boolean {
  return creates?.kind === 'known' && creates.value
}

function isMissing({ creates }: Desired): boolean {
  return creates?.kind === 'known' && !creates.value
}

/** Attributes of a download: it replaces the existing file and keeps an accepted owner or group. */
function settleAttributes({ owner, group }: Desired, state: ArchiveState | undefined): FileAttributes | undefined {
  const uid = acceptedId(owner, state?.owner)
  const gid = acceptedId(group, state?.group)
  return uid === undefined || gid === undefined ? undefined : { uid, gid, mode: ARCHIVE_MODE }
}

function ownerObstacles({ owner, group }: Desired, state: ArchiveState | undefined): readonly Obstacle[] {
  return [...accountsObstacles('owner', owner, state?.owner), ...accountsObstacles('group', group, state?.group)]
}

function missingDrift(state: ArchiveState | undefined): Drift {
  const drift = { property: 'ensure', desired: 'present', observed: 'absent' }
  return state === undefined ? drift : { ...drift, observed: 'symlink', note: 'dangling link' }
}

function wrongKind(kind: FileKind): Drift {
  return { property: 'ensure', desired: 'present', observed: ensureWord(kind) }
}
