import { createHash } from 'node:crypto'
import { withoutRollUps } from '../../../core/roll-up.ts'
import type { ControlResult, PolicyResult, ResourceResult, Run, RunOrigin } from '../../../core/run.ts'
import { CONTROLS_WORST_FIRST, type ControlVerdict, SEVERITIES, type Severity } from '../../../core/verdict.ts'
import { originOf } from '../../words/origin.ts'

/** Enough of a digest that no two names of a report share it. */
const ANCHOR_CHARACTERS = 12

/** A resource on the page. */
export interface Entry {
  readonly result: ResourceResult
  /** The id of its element: the same for the same resource in every run. */
  readonly anchor: string
  /** Where it stands in its policy. */
  readonly order: number
}

/** A control on the page. */
export interface ControlEntry {
  readonly control: ControlResult
  readonly anchor: string
}

/** A policy with what is on the page of it. */
export interface Group {
  readonly index: number
  readonly anchor: string
  readonly policy: PolicyResult
  readonly origin: RunOrigin
  /** In the order of the policy. */
  readonly entries: readonly Entry[]
  readonly controls: readonly ControlEntry[]
  /** The anchor of what a resource or control reached through `path` means by the id of a resource; undefined if none. */
  readonly findResource: (path: readonly string[], id: string) => string | undefined
  /** The anchor of the nearest control of that id: that of the same manifest or of one that applies it. */
  readonly findControl: (path: readonly string[], id: string) => string | undefined
}

/** A run as the page shows it. */
export interface View {
  readonly run: Run
  readonly groups: readonly Group[]
  /** The names of the machines, each once. */
  readonly hosts: readonly string[]
  /** Whether the policies come from several runs, so that each has to say from when it is. */
  readonly hasSeveralRuns: boolean
}

/** Brings a run into the form of the page, with an element id for everything that links lead to. */
export function viewOf(run: Run): View {
  const taken = new Set<string>()
  const origins = run.policies.map((policy) => originOf(run, policy))
  const hosts = [...new Set(origins.map(({ target }) => target.hostname))]
  const groups = run.policies.map((policy, index) => {
    const origin = originOf(run, policy)
    const scope = hosts.length > 1 ? [origin.target.hostname, policy.id] : [policy.id]
    return toGroup({ policy, origin, index, scope, taken })
  })
  return { run, groups, hosts, hasSeveralRuns: new Set(origins.map(({ runId }) => runId)).size > 1 }
}

/** Sorts the gravest first: by verdict, then by severity, else in the given order. */
export function worstFirst<T>(
  items: readonly T[],
  rank: (item: T) => { verdict: ControlVerdict; severity: Severity },
): T[] {
  return items.toSorted((left, right) => compareGravity(rank(left), rank(right)))
}

interface Naming {
  readonly policy: PolicyResult
  readonly origin: RunOrigin
  readonly index: number
  /** What tells the policy from others in the report. */
  readonly scope: readonly string[]
  /** The element ids given so far. */
  readonly taken: Set<string>
}

function toGroup({ policy, origin, index, scope, taken }: Naming): Group {
  const name = (kind: string, parts: readonly string[]): string => unique(anchorOf(kind, [...scope, ...parts]), taken)
  const entries = withoutRollUps(policy.resources).map((result, order) => {
    return { result, order, anchor: name('resource', [...(result.path ?? []), result.id]) }
  })
  const controls = policy.controls.map((control) => {
    return { control, anchor: name('control', [...(control.path ?? []), control.id]) }
  })
  const resourcesByKey = new Map(entries.map(({ result, anchor }) => [keyOf(result.path, result.id), anchor]))
  const controlsByKey = new Map(controls.map(({ control, anchor }) => [keyOf(control.path, control.id), anchor]))
  return {
    index,
    anchor: name('policy', []),
    policy,
    origin,
    entries,
    controls,
    findResource: (path, id) => findNearest(resourcesByKey, path, id),
    findControl: (path, id) => findNearest(controlsByKey, path, id),
  }
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
