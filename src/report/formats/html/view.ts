import { createHash } from 'node:crypto'
import { defined } from '../../../model/defined.ts'
import { hostNameOf } from '../../../model/host-name.ts'
import { withoutRollUps } from '../../../model/roll-up.ts'
import type { ControlResult, PolicyResult, ResourceResult, Run, RunOrigin } from '../../../model/run.ts'
import { CONTROLS_WORST_FIRST, type ControlVerdict, SEVERITIES, type Severity } from '../../../model/verdict.ts'
import { hostsOf, type Matrix, matrixOf, rowsOf } from '../../words/matrix.ts'
import { originOf } from '../../words/origin.ts'
import { type Requirement, requirementsOf } from '../../words/requirements.ts'

/** Length of a digest that avoids collisions within a report. */
const ANCHOR_CHARACTERS = 12

export interface Entry {
  readonly result: ResourceResult
  /** The id of its element, which is stable across runs. */
  readonly anchor: string
  /** Its position in the policy. */
  readonly order: number
  /** The indices of the machines with exactly this result; empty if the page has a single machine. */
  readonly machines: readonly number[]
}

export interface ControlEntry {
  readonly control: ControlResult
  readonly anchor: string
  readonly requirement: Requirement
}

/** A policy on the page; results of several machines are merged if equal. */
export interface Group {
  readonly index: number
  readonly anchor: string
  readonly policy: PolicyResult
  /** The scans it comes from, at least one. */
  readonly origins: readonly RunOrigin[]
  /** In the order of the policy. */
  readonly entries: readonly Entry[]
  readonly controls: readonly ControlEntry[]
  /** The anchor of a resource, by an id used in the manifest at `path`; undefined if missing. */
  readonly findResource: (path: readonly string[], id: string) => string | undefined
  /** The anchor of the nearest control with an id: in the same manifest or an enclosing one. */
  readonly findControl: (path: readonly string[], id: string) => string | undefined
}

export interface View {
  readonly run: Run
  readonly groups: readonly Group[]
  /** The names of the machines, without duplicates. */
  readonly hosts: readonly string[]
  /** All machines side by side; undefined for a single one. */
  readonly matrix?: Matrix
  readonly requirements: readonly Requirement[]
  /** Every result, including equal ones of several machines. */
  readonly results: readonly ResourceResult[]
  /** Whether the policies come from several runs, so that each shows its time. */
  readonly hasSeveralRuns: boolean
}

/** Converts a run to the view of the page, with an element id for every link target. */
export function viewOf(run: Run): View {
  const taken = new Set<string>()
  const origins = run.policies.map((policy) => originOf(run, policy))
  const requirements = requirementsOf(run)
  const matrix = matrixOf(run, requirements)
  const parts = run.policies.map((policy): Part => ({ policy, origin: originOf(run, policy) }))
  const grouped = matrix === undefined ? parts.map((part): Parts => [part]) : byPolicy(parts)
  const byRow = matrix === undefined ? requirements : rowsOf(matrix).map(({ worst }) => worst)
  const hosts = matrix?.hosts ?? hostsOf(run)
  return {
    run,
    groups: grouped.map((own, index) => toGroup({ parts: own, index, hosts, taken, requirements: byRow })),
    hosts,
    ...defined({ matrix }),
    requirements,
    results: run.policies.flatMap(({ resources }) => withoutRollUps(resources)),
    hasSeveralRuns: new Set(origins.map(({ runId }) => runId)).size > 1,
  }
}

/** Sorts by verdict, then by severity, worst first; stable. */
export function worstFirst<T>(
  items: readonly T[],
  rank: (item: T) => { verdict: ControlVerdict; severity: Severity },
): T[] {
  return items.toSorted((left, right) => compareGravity(rank(left), rank(right)))
}

interface Part {
  readonly policy: PolicyResult
  readonly origin: RunOrigin
}

type Parts = readonly [Part, ...Part[]]

/** Groups the results of several machines by policy. */
function byPolicy(parts: readonly Part[]): readonly Parts[] {
  const groups = new Map<string, [Part, ...Part[]]>()
  for (const part of parts) {
    const known = groups.get(part.policy.id)
    if (known === undefined) groups.set(part.policy.id, [part])
    else known.push(part)
  }
  return [...groups.values()]
}

interface Making {
  readonly parts: Parts
  readonly index: number
  readonly hosts: readonly string[]
  /** The element ids in use. */
  readonly taken: Set<string>
  /** The requirements of the whole page, without duplicates of machines. */
  readonly requirements: readonly Requirement[]
}

function toGroup({ parts, index, hosts, taken, requirements }: Making): Group {
  const [{ policy }] = parts
  const name = (kind: string, names: readonly string[]): string => unique(anchorOf(kind, [policy.id, ...names]), taken)
  const entries = distinctResults(parts, hosts).map((entry): Entry => {
    return { ...entry, anchor: name('resource', [...(entry.result.path ?? []), entry.result.id]) }
  })
  const policies = new Set(parts.map((part) => part.policy))
  const controls = requirements.flatMap((requirement): readonly ControlEntry[] => {
    const { control } = requirement
    if (control === undefined || !policies.has(requirement.policy)) return []
    return [{ control, requirement, anchor: name('control', [...(control.path ?? []), control.id]) }]
  })
  // If a resource has several results, the first one is linked.
  const resourcesByKey = new Map(
    entries.toReversed().map(({ result, anchor }) => [keyOf(result.path, result.id), anchor]),
  )
  const controlsByKey = new Map(controls.map(({ control, anchor }) => [keyOf(control.path, control.id), anchor]))
  return {
    index,
    anchor: name('policy', []),
    policy,
    origins: parts.map(({ origin }) => origin),
    entries,
    controls,
    findResource: (path, id) => findNearest(resourcesByKey, path, id),
    findControl: (path, id) => findNearest(controlsByKey, path, id),
  }
}

/** The results of a policy; equal results of several machines are merged at their first occurrence. */
function distinctResults(parts: Parts, hosts: readonly string[]): readonly Omit<Entry, 'anchor'>[] {
  const [first, ...others] = parts
  if (others.length === 0 && hosts.length < 2) {
    return withoutRollUps(first.policy.resources).map((result, order) => ({ result, order, machines: [] }))
  }
  const known = new Map<string, { result: ResourceResult; order: number; machines: number[] }>()
  for (const { policy, origin } of parts) {
    const machine = hosts.indexOf(hostNameOf(origin.target))
    for (const [order, result] of withoutRollUps(policy.resources).entries()) {
      const key = JSON.stringify({ ...result, durationMs: 0 })
      const entry = known.get(key) ?? { result, order, machines: [] }
      known.set(key, entry)
      entry.machines.push(machine)
    }
  }
  return [...known.values()].toSorted((left, right) => left.order - right.order)
}

function anchorOf(kind: string, parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return `${kind}-${digest.slice(0, ANCHOR_CHARACTERS)}`
}

function unique(anchor: string, taken: Set<string>): string {
  let candidate = anchor
  for (let number = 2; taken.has(candidate); number++) candidate = `${anchor}-${number}`
  taken.add(candidate)
  return candidate
}

function keyOf(path: readonly string[] = [], id: string): string {
  return JSON.stringify([...path, id])
}

function findNearest(anchors: ReadonlyMap<string, string>, path: readonly string[], id: string): string | undefined {
  const found = anchors.get(keyOf(path, id))
  return found !== undefined || path.length === 0 ? found : findNearest(anchors, path.slice(0, -1), id)
}

interface Gravity {
  readonly verdict: ControlVerdict
  readonly severity: Severity
}

function compareGravity(left: Gravity, right: Gravity): number {
  const byVerdict = CONTROLS_WORST_FIRST.indexOf(left.verdict) - CONTROLS_WORST_FIRST.indexOf(right.verdict)
  return byVerdict === 0 ? SEVERITIES.indexOf(right.severity) - SEVERITIES.indexOf(left.severity) : byVerdict
}
