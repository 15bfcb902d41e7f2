import type { FleetHost } from '../census.ts'
import type { Addressee } from '../nats/names.ts'
import { countRing, type HostSigns, judge, type JudgedRing, type RingCount, type Verdict } from './gate.ts'
import { type Rollout, type RolloutRing, rulesOf, type Target } from './state.ts'
import type { FleetFinding } from '../findings.ts'
import type { PolicyState } from '../rollup.ts'
import { createRingFinder } from './rings.ts'

/** State of a rollout with its hosts; all counts and lists derive from it. */
export interface ObservedRollout {
  readonly rollout: Rollout
  readonly rings: readonly ObservedRing[]
  /** Decision of the gate; absent unless the rollout is running. */
  readonly verdict?: Verdict
  /** Addressees with a later assignment, which stays unchanged. */
  readonly later: readonly Addressee[]
}

/** A ring with its current hosts. */
export interface ObservedRing {
  readonly name: string
  /** Release time in milliseconds since 1970; absent if not released. */
  readonly releasedAtMs?: number
  readonly hosts: readonly string[]
  /** Counts of its hosts; absent if not released. */
  readonly count?: RingCount
}

/** Evaluates a rollout with the current hosts. */
export function seeRollout(
  rollout: Rollout,
  hosts: readonly FleetHost[],
  { nowMs, later = [] }: { readonly nowMs: number; readonly later?: readonly Addressee[] },
): ObservedRollout {
  const judged = judgedRings(rollout, hosts)
  const rings = judged.map((ring): ObservedRing => {
    const { name, releasedAtMs } = ring
    const seen = { name, hosts: ring.hosts.map((host) => host.name) }
    return releasedAtMs === undefined ? seen : { ...seen, releasedAtMs, count: countRing(ring, nowMs) }
  })
  const verdict = rollout.phase === 'running' ? { verdict: judge(judged, rulesOf(rollout), nowMs) } : {}
  return { rollout, rings, ...verdict, later }
}

/** Rings of a rollout with their hosts, for the gate. Excludes retired hosts and those outside all rings. */
export function judgedRings(rollout: Rollout, hosts: readonly FleetHost[]): readonly JudgedRing[] {
  const members = new Map<RolloutRing, HostSigns[]>(rollout.rings.map((ring) => [ring, []]))
  const find = createRingFinder(rollout.rings.flatMap((ring) => ring.targets.map((target) => ({ ...target, ring }))))
  for (const host of hosts) {
    const target = host.presence === 'retired' ? undefined : find(host)
    if (target !== undefined) members.get(target.ring)?.push(signsOf(host, rollout, target))
  }
  return rollout.rings.map((ring): JudgedRing => {
    const inRing = { name: ring.name, hosts: members.get(ring) ?? [] }
    return ring.releasedAt === undefined ? inRing : { ...inRing, releasedAtMs: Date.parse(ring.releasedAt) }
  })
}

function signsOf(host: FleetHost, { policies }: Rollout, { before }: Target): HostSigns {
  const { name, intervalMs, heardAtMs, presence } = host
  const isUnheard = presence === 'silent' || presence === 'never' || presence === 'forged'
  const heard = heardAtMs === undefined ? { name, intervalMs, isUnheard } : { name, intervalMs, isUnheard, heardAtMs }
  const texts = policies.map(({ text }) => text)
  const now = host.policies.filter(({ sha256 }) => texts.includes(sha256))
  if (!texts.every((text) => now.some(({ sha256 }) => sha256 === text))) return heard
  const then = [...host.policies, ...host.earlier].filter(({ sha256 }) => before.includes(sha256))
  const sinceMs = Math.max(...now.map((policy) => sinceOf(host, policy)))
  const unperformed = host.isPerformed === false ? ['the newest run could not be performed'] : []
  const errors = [...unperformed, ...newlySo('undecided', now, then)]
  return { ...heard, after: { sinceMs, errors, drifts: newlySo('drifted', now, then) } }
}

function sinceOf({ texts }: FleetHost, { ownId, sha256, evaluatedAtMs }: PolicyState): number {
  return texts.find((mark) => mark.policy === ownId && mark.sha256 === sha256)?.sinceMs ?? evaluatedAtMs
}

/**
 * New findings by control and resource, since fingerprints change with the policy. Without an earlier report, all
 * findings are new, also for a host that never reported about the policies.
 */
function newlySo(
  standing: 'drifted' | 'undecided',
  now: readonly PolicyState[],
  then: readonly PolicyState[],
): readonly string[] {
  const found = new Set<string>()
  for (const { sums } of now) {
    for (const finding of sums.findings)
      if (finding.standing === standing && !then.some((before) => wasSo(finding, before))) found.add(keyOf(finding))
  }
  return [...found]
}

function wasSo({ kind, name, standing }: FleetFinding, { unmet }: PolicyState): boolean {
  const before = unmet.get(name)
  return before?.standing === standing && before.kind === kind
}

function keyOf({ kind, name }: FleetFinding): string {
  return `${kind} ${name}`
}
