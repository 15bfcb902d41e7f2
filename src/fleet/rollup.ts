import type { Severity } from '../core/verdict.ts'
import { isOpen, type Standing } from '../report/words/requirements.ts'
import { heardAt } from './presence.ts'
import type { HeardPolicy, HeardRequirement, HeardRun } from './source.ts'

/** What the runs of one host amount to. Times are in milliseconds since 1970. */
export interface HostState {
  readonly name: string
  /** The newest run, whatever came of it; absent where all there is was left by somebody else. */
  readonly newest?: Pick<HeardRun, 'runId' | 'startedAtMs' | 'storedAtMs' | 'place' | 'isPerformed'>
  readonly policies: ReadonlyMap<string, PolicyState>
  /** Runs of other hosts that lie where this one stores its own. */
  readonly foreign: readonly Pick<HeardRun, 'host' | 'place'>[]
}

/** How a policy stands on one host: what its last run found, and what earlier ones found where that one was selective. */
export interface PolicyState {
  readonly id: string
  readonly sha256: string
  /** When a run last looked at all of it; where none ever did, at any of it. */
  readonly evaluatedAtMs: number
  readonly isWhole: boolean
  /** What it asks for, shared by all hosts of which it asks the same. */
  readonly asked: Asked
  /** All of that which is not met. */
  readonly unmet: ReadonlyMap<string, Unmet>
}

/** What a policy asks for, by name. */
export type Asked = ReadonlyMap<string, Pick<HeardRequirement, 'kind' | 'title' | 'severity'>>

export interface Unmet {
  readonly standing: Exclude<Standing, 'met'>
  readonly severity: Severity
  /** When a run first found it so; what drifts and cannot be decided in turn is open all the time. */
  readonly sinceMs: number
}

/** The latest state of all hosts. */
export interface Rollup {
  /** Takes what a run says. What is older than what is known changes nothing. */
  readonly add: (run: HeardRun) => void
  /** By name; hosts of which anything was heard. */
  readonly hosts: ReadonlyMap<string, HostState>
  /** Since when hosts have gone over from this text of a policy to another one; undefined where none has. */
  readonly leftSince: (policy: Pick<PolicyState, 'id' | 'sha256'>) => number | undefined
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/** Makes an empty one. */
export function createRollup(): Rollup {
  const hosts = new Map<string, HostState>()
  const versions = createVersions()
  const share = sharedAsked()

  function stateOf(name: string): Writable<HostState> {
    const state: HostState = hosts.get(name) ?? { name, policies: new Map(), foreign: [] }
    hosts.set(name, state)
    return state
  }

  function add(run: HeardRun): void {
    if (run.owner !== undefined && run.owner !== run.host) {
      const owner = stateOf(run.owner)
      owner.foreign = [...owner.foreign, { host: run.host, place: run.place }]
      return
    }
    const state = stateOf(run.host)
    const atMs = heardAt(run)
    if (state.newest === undefined || atMs >= heardAt(state.newest)) {
      const { runId, startedAtMs, storedAtMs, place, isPerformed } = run
      state.newest = { runId, startedAtMs, storedAtMs, place, isPerformed }
    }
    const policies = new Map(state.policies)
    for (const policy of run.policies) {
      const before = policies.get(policy.id)
      if (before !== undefined && before.evaluatedAtMs > atMs) continue
      if (before !== undefined && before.sha256 !== policy.sha256) versions.replaced(before, policy, atMs)
      policies.set(policy.id, policyState(policy, atMs, { before, share }))
    }
    state.policies = policies
  }

  return { add, hosts, leftSince: versions.leftSince }
}

interface Known {
  readonly before: PolicyState | undefined
  readonly share: (requirements: readonly HeardRequirement[]) => Asked
}

function policyState(policy: HeardPolicy, atMs: number, { before, share }: Known): PolicyState {
  const { id, sha256, isPartial, requirements } = policy
  const asked = share(requirements)
  const unmet = new Map<string, Unmet>()
  for (const { name, standing, severity } of requirements) {
    if (standing === 'met') continue
    const earlier = before?.unmet.get(name)
    const isSame = earlier !== undefined && (earlier.standing === standing || (isOpen(earlier) && isOpen({ standing })))
    unmet.set(name, { standing, severity, sinceMs: isSame ? earlier.sinceMs : atMs })
  }
  if (!isPartial || before?.sha256 !== sha256) {
    return { id, sha256, evaluatedAtMs: atMs, isWhole: !isPartial, asked, unmet }
  }
  for (const [name, each] of before.unmet) if (!asked.has(name)) unmet.set(name, each)
  const { isWhole } = before
  const evaluatedAtMs = isWhole ? before.evaluatedAtMs : atMs
  return { id, sha256, evaluatedAtMs, isWhole, asked: new Map([...before.asked, ...asked]), unmet }
}

/** Gives the same map for the same requirements: thousands of hosts are asked the same. */
function sharedAsked(): Known['share'] {
  const known = new Map<string, Asked>()
  return (requirements) => {
    const key = requirements.map(({ name, severity }) => `${severity} ${name}`).join('\n')
    const asked: Asked = known.get(key) ?? new Map(requirements.map(({ name, ...each }) => [name, aboutOf(each)]))
    known.set(key, asked)
    return asked
  }
}

function aboutOf({
  kind,
  title,
  severity,
}: Omit<HeardRequirement, 'name'>): Pick<HeardRequirement, 'kind' | 'title' | 'severity'> {
  return title === undefined ? { kind, severity } : { kind, title, severity }
}

interface Versions {
  readonly replaced: (
    before: Pick<PolicyState, 'id' | 'sha256'>,
    after: Pick<PolicyState, 'id' | 'sha256'>,
    atMs: number,
  ) => void
  readonly leftSince: Rollup['leftSince']
}

/**
 * Which texts of policies were replaced, and when first. Only a host that goes over from one to the other proves that one is
 * the older; different hosts may have different texts under one id for ever.
 */
function createVersions(): Versions {
  const left = new Map<string, number>()
  const keyOf = ({ id, sha256 }: Pick<PolicyState, 'id' | 'sha256'>): string => `${sha256} ${id}`
  return {
    replaced: (before, after, atMs) => {
      // Who goes back makes the older text the one in force.
      left.delete(keyOf(after))
      const key = keyOf(before)
      left.set(key, Math.min(left.get(key) ?? atMs, atMs))
    },
    leftSince: (policy) => left.get(keyOf(policy)),
  }
}
