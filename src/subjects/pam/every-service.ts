import { countOf } from '../../model/count-of.ts'
import { type Decision, NO_PLAN, type Obstacle, type Plan } from '../../model/decision.ts'
import { cannot, unreadable } from '../../model/differences.ts'
import { absent, known, type Observation, present, type Reading } from '../../model/observation.ts'
import { isServiceName, SERVICE_DIRECTORIES } from './stack/files.ts'
import { isStack } from './stack/stack.ts'
import { decidePam } from './decide.ts'
import type { PamAction, PamState, PamDesired } from './model.ts'
import type { PamView } from './stack/profiles.ts'

/** The resource name for all services. */
export const EVERY_SERVICE = '*'

/** All services that have a file, with their stacks. */
export interface PamServices {
  readonly services: readonly { readonly name: string; readonly seen: Observation<PamState> }[]
}

/** Observes each service that has a file in one of the directories, shared stacks first. */
export function observeServices(
  machine: PamView,
  observe: (name: string) => Observation<PamState>,
): Observation<PamServices> {
  const names = serviceNames(machine)
  if (names.kind === 'unknown') return names
  if (names.value === null) return absent()
  return present({ services: names.value.map((name) => ({ name, seen: observe(name) })) })
}

function serviceNames({ files: { stat }, probe }: PamView): Reading<readonly string[] | null> {
  const found = new Set<string>()
  let isThere = false
  for (const directory of SERVICE_DIRECTORIES) {
    const names = probe.list(directory)
    if (names.kind === 'unknown') return names
    if (names.value === null) continue
    isThere = true
    for (const name of names.value) {
      const seen = isServiceName(name) ? stat(`${directory}/${name}`) : absent()
      if (seen.kind === 'unknown') return seen
      if (seen.kind === 'present' && seen.state.kind !== 'directory') found.add(name)
    }
  }
  const names = [...found]
  return known(isThere ? [...names.filter(isStack), ...names.filter((name) => !isStack(name))] : null)
}

/** Compares each service with the desired state; drift in a shared stack is reported once. */
export function decideServices(wanted: PamDesired, { services: all }: PamServices): Decision<PamAction> {
  const services = all.filter(({ name }) => wanted.except?.includes(name) !== true)
  const decided = services.map(({ name, seen }) =>
    seen.kind === 'unknown'
      ? { name, trouble: unreadable('ensure', seen) }
      : { name, decision: decidePam({ ...wanted, name }, seen, wanted.unless ?? []) },
  )
  const drift = new Map<string, Decision<PamAction>['drift'][number]>()
  for (const { name, decision } of decided) {
    for (const each of decision?.drift ?? []) {
      const { property, path, note } = each
      const key = JSON.stringify([property, path, note])
      if (!drift.has(key)) drift.set(key, { ...each, path: path === undefined ? name : `${name} ${path}` })
    }
  }
  const isWrong = [...drift.values()].some(({ property }) => property === 'ensure')
  const opposite = wanted.ensure === 'present' ? 'absent' : 'present'
  const decisions = decided.flatMap(({ decision }) => decision ?? [])
  return {
    ensure: { desired: wanted.ensure, observed: isWrong ? opposite : wanted.ensure },
    drift: [...drift.values()],
    unknown: [...decided.flatMap(({ trouble }) => trouble ?? []), ...decisions.flatMap(({ unknown }) => unknown)],
    plan: planOf(decisions),
    messages: [`${countOf(services.length, 'service')} checked`],
    warnings: [...new Set(decisions.flatMap(({ warnings = [] }) => warnings))],
  }
}

/** The edits of module files that any service needs. Profiles are left to resources for a single service. */
function planOf(decisions: readonly Decision<PamAction>[]): Plan<PamAction> {
  const files = new Map<string, PamAction['files'][number]>()
  const reasons = new Map<string, Obstacle>()
  for (const { plan } of decisions) {
    if (plan.kind === 'none') continue
    const left = plan.kind === 'refuse' ? plan.obstacles : (plan.leaves ?? [])
    for (const obstacle of left) reasons.set(obstacle.reason, obstacle)
    if (plan.kind === 'refuse') continue
    const { profile, files: changed } = plan.action
    for (const file of changed) files.set(file.path, file)
    const byName = `enable the profile ${profile} with a resource that names the stack`
    if (profile !== undefined) reasons.set(byName, cannot(byName))
  }
  const [first, ...others] = reasons.values()
  if (files.size === 0) return first === undefined ? NO_PLAN : { kind: 'refuse', obstacles: [first, ...others] }
  const paths = [...files.keys()]
  const act = {
    kind: 'act',
    action: { files: [...files.values()] },
    text: `Would have changed ${paths.join(' and ')}`,
    effects: paths.map((path) => ({ kind: 'write', object: path }) as const),
    obstacles: [],
  } as const
  return first === undefined ? act : { ...act, leaves: [first, ...others] }
}
