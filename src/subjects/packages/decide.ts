import { type Acceptance, formatAcceptance, isAcceptance } from '../../model/acceptance.ts'
import { defined } from '../../model/defined.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../model/decision.ts'
import type { Drift } from '../../model/drift.ts'
import type { EffectKind } from '../../model/effect.ts'
import type { Reading, Seen, Unknown } from '../../model/observation.ts'
import { compareDebianVersions } from '../../model/versions/debian.ts'
import { compareRpmVersions, compareToWantedRpmVersion } from '../../model/versions/rpm.ts'
import type { PackageCandidate, PackageInstance } from './packages.ts'
import type { PackageAction, PackageContext, PackageStateObserved, PackageDesired } from './model.ts'
import { areAccepted, type Manager, namesVersion, versionToInstall } from './accepted.ts'
import { countedInstances, describeInstances, installedVersions, isInstalled, isThere, noteOf } from './instances.ts'

/** Version order of one package manager. */
interface VersionOrder {
  /** Compares two full versions. */
  readonly compare: (left: string, right: string) => number
  /** Compares an installed version with a version in a policy, which may be partial. */
  readonly compareToWanted: (installed: string, wanted: string) => number
}

const VERSION_ORDERS: Readonly<Record<PackageContext['manager'], VersionOrder>> = {
  apt: { compare: compareDebianVersions, compareToWanted: compareDebianVersions },
  dnf: { compare: compareRpmVersions, compareToWanted: compareToWantedRpmVersion },
}

/** Desired state, counted installations, and context of a decision. */
interface Case {
  readonly desired: { readonly name: string; readonly ensure: string }
  readonly counted: readonly PackageInstance[]
  readonly context: PackageContext
}

/**
 * Compares a package resource with the package database. Only a completely installed package counts as installed; only a
 * removed one, except for its configuration, as absent.
 */
export function decidePackage(
  desired: PackageDesired,
  observed: Seen<PackageStateObserved, PackageContext>,
): Decision<PackageAction> {
  const { context } = observed
  const { name, ensure } = desired
  const instances = observed.kind === 'present' ? observed.state.instances : []
  const counted = countedInstances(instances)
  if (isAcceptance(ensure)) {
    const words = formatAcceptance(ensure, String)
    return decideAccepted({ desired: { name, ensure: words }, counted, context }, ensure)
  }
  const it: Case = { desired: { name, ensure }, counted, context }
  if (ensure === 'absent') return decideAbsent({ ...it, counted: instances })
  if (!counted.some(isInstalled)) return decideMissing(it)
  switch (ensure) {
    case 'present':
      return compliant(it)
    case 'latest':
      return decideLatest(it)
    default:
      return decideVersion(it)
  }
}

function compliant({ desired, counted }: Case): Decision<PackageAction> {
  return {
    ensure: { desired: desired.ensure, observed: describeInstances(counted) },
    drift: [],
    unknown: [],
    plan: NO_PLAN,
  }
}

function driftDecision(
  { desired, counted }: Case,
  {
    wanted = desired.ensure,
    note,
  }: { readonly wanted?: string | Acceptance<string>; readonly note?: string | undefined },
  plan: Plan<PackageAction>,
): Decision<PackageAction> {
  const observed = describeInstances(counted)
  const drift: Drift = { property: 'ensure', desired: wanted, observed, ...defined({ note }) }
  return { ensure: { desired: desired.ensure, observed }, drift: [drift], unknown: [], plan }
}

/** A message of CCM and its meaning. */
interface Words {
  readonly text: string
  readonly effect: EffectKind
}

function act(action: PackageAction, { text, effect }: Words, obstacles: readonly Obstacle[]): Plan<PackageAction> {
  return { kind: 'act', action, text, effects: [{ kind: effect, object: objectOf(action, effect) }], obstacles }
}

function objectOf(action: PackageAction, effect: EffectKind): string {
  const version = 'version' in action ? action.version : undefined
  if (version === undefined) return 'the package'
  return effect === 'install' ? `version ${version} of the package` : `the package to version ${version}`
}

/** All installations must be removed, so that no other architecture or version remains. */
function decideAbsent(it: Case): Decision<PackageAction> {
  const there = it.counted.filter(isThere)
  const [first, ...others] = there.map(({ id }) => id)
  if (first === undefined) return compliant(it)
  const seen = { ...it, counted: there }
  const action = { kind: 'remove', ids: [first, ...others] } as const
  return driftDecision(
    seen,
    { note: noteOf(there) },
    act(action, { text: 'Would have uninstalled', effect: 'remove' }, obstaclesOf(seen)),
  )
}

function decideMissing(it: Case): Decision<PackageAction> {
  const { desired, counted } = it
  const obstacles = obstaclesOf(it)
  const note = noteOf(counted)
  switch (desired.ensure) {
    case 'present':
      return driftDecision(
        it,
        { note },
        act({ kind: 'install' }, { text: 'Would have installed', effect: 'install' }, obstacles),
      )
    case 'latest':
      return decideMissingLatest(it)
    default: {
      const action = { kind: 'install', version: desired.ensure } as const
      return driftDecision(
        it,
        { note },
        act(action, { text: `Would have installed version ${desired.ensure}`, effect: 'install' }, obstacles),
      )
    }
  }
}

/** Absence is proved without the index; if the index is unreadable, the package manager may still find the package. */
function decideMissingLatest(it: Case): Decision<PackageAction> {
  const { counted, desired } = it
  const reading = candidateOf(it)
  const candidate = reading.kind === 'known' ? reading.value : undefined
  const note = noteOf(counted) ?? (candidate === undefined ? undefined : indexNote(candidate))
  if (candidate?.version === null) {
    const reason = `the package index does not contain ${desired.name}`
    return driftDecision(it, { note }, { kind: 'refuse', obstacles: [{ reason }] })
  }
  const version = candidate === undefined ? {} : { version: candidate.version }
  const plan = act(
    { kind: 'install', ...version },
    { text: 'Would have installed latest', effect: 'install' },
    obstaclesOf(it),
  )
  return driftDecision(it, { note }, plan)
}

/** Drift only if the index offers something newer. */
function decideLatest(it: Case): Decision<PackageAction> {
  const { desired, context, counted } = it
  const { compare } = VERSION_ORDERS[context.manager]
  const versions = counted.filter(isInstalled).map(({ version }) => version)
  const newest = versions.reduce((best, version) => (compare(version, best) > 0 ? version : best))
  const candidate = candidateOf(it)
  if (candidate.kind === 'unknown') return undecidedDecision(it, candidate)
  const { version } = candidate.value
  if (version === null) {
    const detail = `the package index does not contain ${desired.name}, so the latest version is unknown (installed: ${newest})`
    return undecidedDecision(it, { kind: 'unknown', reason: 'not-observable', detail })
  }
  if (compare(newest, version) >= 0) return compliant(it)
  const plan = act(
    { kind: 'install', version },
    { text: 'Would have upgraded to latest', effect: 'upgrade' },
    obstaclesOf(it),
  )
  return driftDecision(it, { wanted: version, note: indexNote(candidate.value) }, plan)
}

function candidateOf({ context: { candidate }, desired }: Case): Reading<PackageCandidate> {
  if (candidate === undefined) throw new Error(`no candidate was looked up for ${desired.name}`)
  return candidate
}

function undecidedDecision(it: Case, { reason, detail }: Unknown): Decision<PackageAction> {
  return { ...compliant(it), unknown: [{ property: 'ensure', reason, detail }] }
}

function indexNote({ version, indexUpdated }: PackageCandidate): string {
  const latest = version === null ? 'nothing' : version
  return indexUpdated === undefined
    ? `the package index offers ${latest}; its last update is unknown`
    : `the package index, last updated ${indexUpdated}, offers ${latest}`
}

function decideVersion(it: Case): Decision<PackageAction> {
  const { desired, context, counted } = it
  const { compareToWanted } = VERSION_ORDERS[context.manager]
  const installed = counted.filter(isInstalled)
  const differences = installed.map(({ version }) => compareToWanted(version, desired.ensure))
  if (differences.includes(0)) return compliant(it)
  const isOlder = differences.every((difference) => difference < 0)
  // If several versions are installed, as for kernels, the version is added.
  const kind = isOlder || installed.length > 1 ? 'install' : 'downgrade'
  const text = `Would have ${isOlder ? 'upgraded' : 'downgraded'} to ${desired.ensure}`
  const words = { text, effect: isOlder ? 'upgrade' : kind === 'install' ? 'install' : 'downgrade' } as const
  return driftDecision(it, {}, act({ kind, version: desired.ensure }, words, obstaclesOf(it)))
}

/** Every installed version must be an accepted one. */
function decideAccepted(it: Case, accepted: Acceptance<string>): Decision<PackageAction> {
  const { counted, context } = it
  const { manager } = context
  const installed = installedVersions(counted)
  if (installed.length > 0 && areAccepted(manager, accepted, installed)) return compliant(it)
  const said = { wanted: accepted, note: noteOf(counted) }
  if (installed.length > 1) {
    const surplus = installed.filter((version) => !areAccepted(manager, accepted, [version]))
    const reason = `several versions are installed, and a fix does not choose which to remove: remove ${surplus.join(', ')}`
    return driftDecision(it, said, { kind: 'refuse', obstacles: [{ reason }] })
  }
  const found = versionToInstall(manager, accepted, context.candidate)
  if ('problem' in found) return driftDecision(it, said, { kind: 'refuse', obstacles: [{ reason: found.problem }] })
  const [action, words] = stepTo(found.version, installed[0], manager)
  return driftDecision(it, said, act(action, words, obstaclesOf(it)))
}

function stepTo(version: string, installed: string | undefined, manager: Manager): [PackageAction, Words] {
  if (installed === undefined) {
    return [
      { kind: 'install', version },
      { text: `Would have installed version ${version}`, effect: 'install' },
    ]
  }
  return VERSION_ORDERS[manager].compareToWanted(installed, version) < 0
    ? [
        { kind: 'install', version },
        { text: `Would have upgraded to ${version}`, effect: 'upgrade' },
      ]
    : [
        { kind: 'downgrade', version },
        { text: `Would have downgraded to ${version}`, effect: 'downgrade' },
      ]
}

/** Whether the decision needs the package index: for the latest version, or if a fix must find one. */
export function asksIndex(
  { ensure }: PackageDesired,
  manager: Manager,
  instances: readonly PackageInstance[],
): boolean {
  if (!isAcceptance(ensure)) return ensure === 'latest'
  const installed = installedVersions(countedInstances(instances))
  return !namesVersion(ensure) && (installed.length === 0 || !areAccepted(manager, ensure, installed))
}

function obstaclesOf({ counted, context }: Case): readonly Obstacle[] {
  const program = context.manager === 'apt' ? 'apt-get' : 'dnf'
  const missing = context.canChange ? [] : [{ reason: `${program} is not installed` }]
  const held = counted.filter((instance) => instance.held)
  return [
    ...missing,
    ...held.map(({ id }) => ({ reason: `${id} is on hold; run apt-mark unhold ${id} to release it` })),
  ]
}
