import { defined } from '../../model/defined.ts'
import type { ApplyOutcome } from '../../model/decision.ts'
import { absent, type Observation, present, type Reading, unknown } from '../../model/observation.ts'
import { managedNameProblem } from './package-name.ts'
import type { PackageInstance } from './packages.ts'
import type { Remediator } from '../../host/remediator.ts'
import type { Target } from '../../host/target.ts'
import type { Awaitable, Provider, ResourceContext } from '../../resource-type/define.ts'
import { andThen } from '../shared/and-then.ts'
import { type Group, groupOf } from '../shared/group.ts'
import { asksIndex } from './decide.ts'
import type { PackageAction, PackageContext, PackageStateObserved, PackageDesired } from './model.ts'
import { decidePackages, type PackageOrGroup, type PackageOrGroupObserved } from './group.ts'
import { findOtherPackages } from './others.ts'
import { countedInstances, isInstalled } from './instances.ts'
import { PACKAGES } from './subject.ts'

type Seen = Observation<PackageStateObserved, PackageContext>

export function providerOf(
  manager: PackageContext['manager'],
  needs: string,
): Provider<PackageOrGroup, PackageOrGroupObserved, PackageContext, PackageAction> {
  return {
    name: manager,
    needs,
    usable: ({ open }) => open(PACKAGES)[manager].exists(),
    observe: (target, desired, { allowRemovals = false }) =>
      andThen(observeWanted(target, desired, manager), (seen) => {
        const plan = seen.kind === 'unknown' ? undefined : decidePackages(desired, seen).plan
        if (seen.kind === 'unknown' || plan?.kind !== 'act' || plan.obstacles.length > 0) return seen
        const consent = { name: desired.name, allowsRemovals: allowRemovals || desired.allow_removals === true }
        return findOtherPackages(target.open(PACKAGES)[manager], plan.action, consent).then((others) => ({
          ...seen,
          context: { ...seen.context, others },
        }))
      }),
    apply: (remediator, desired, action, context) => apply(remediator, action, { manager, desired, context }),
  }
}

function observeWanted(
  target: Target,
  desired: PackageOrGroup,
  manager: PackageContext['manager'],
): Awaitable<Observation<PackageOrGroupObserved, PackageContext>> {
  const group = groupOf(desired)
  if (group !== undefined) return observeGroup(target, group, manager)
  const { name, ensure } = desired
  if (ensure === undefined) throw new Error(`no requirement on the package ${name}`)
  return observe(target, { name, ensure }, manager)
}

function observe({ open }: Target, desired: PackageDesired, manager: PackageContext['manager']): Seen | Promise<Seen> {
  const { name } = desired
  const problem = managedNameProblem(manager, name)
  if (problem !== undefined) return unknown('invalid', problem)
  const database = open(PACKAGES)[manager]
  const found = database.find(name)
  const describe = (instances: readonly PackageInstance[], more: Partial<PackageContext> = {}): Seen => {
    const context = { manager, canChange: database.manager() !== undefined, ...more }
    return instances.length === 0 ? absent(context) : present({ instances }, context)
  }
  const look = (reading: Reading<readonly PackageInstance[]>): Seen | Promise<Seen> => {
    // Where the database cannot be read, the index says nothing about the machine.
    if (reading.kind === 'unknown') return reading
    if (!asksIndex(desired, manager, reading.value)) return describe(reading.value)
    return database.candidate(name).then((candidate) => describe(reading.value, { candidate }))
  }
  return found instanceof Promise ? found.then(look) : look(found)
}

/** Each of a group by itself. Where none is installed, also what the index offers: a fix installs the first of that. */
async function observeGroup(
  target: Target,
  group: Group,
  manager: PackageContext['manager'],
): Promise<Observation<PackageOrGroupObserved, PackageContext>> {
  const { names, kind } = group
  const database = target.open(PACKAGES)[manager]
  const members = await Promise.all(
    names.map(async (name) => ({ name, seen: await observe(target, { name, ensure: 'present' }, manager) })),
  )
  const context = { manager, canChange: database.manager() !== undefined }
  const needsNone = kind === 'none_of' || !members.every(({ seen }) => isMissing(seen))
  if (needsNone) return present({ group, members }, context)
  database.expect(names)
  const offered = members.map(async ({ name, seen }) => {
    if (seen.kind === 'unknown') return { name, seen }
    return { name, seen: { ...seen, context: { ...seen.context, candidate: await database.candidate(name) } } }
  })
  return present({ group, members: await Promise.all(offered) }, context)
}

/** Whether nothing of it is completely installed, for sure. */
function isMissing(seen: Seen): boolean {
  if (seen.kind !== 'present') return seen.kind === 'absent'
  return !countedInstances(seen.state.instances).some(isInstalled)
}

interface Work {
  readonly manager: PackageContext['manager']
  readonly desired: Pick<PackageDesired, 'name'>
  readonly context: ResourceContext
}

async function apply(
  { open }: Remediator,
  action: PackageAction,
  { manager, desired: { name }, context: { signal } }: Work,
): Promise<ApplyOutcome> {
  const operations = open(PACKAGES)[manager]
  switch (action.kind) {
    case 'install': {
      const { version, keepsOthers } = action
      return operations.install({ name: action.name ?? name, ...defined({ version, keepsOthers }), signal })
    }
    case 'downgrade':
      return operations.downgrade({
        name,
        version: action.version,
        ...defined({ keepsOthers: action.keepsOthers }),
        signal,
      })
    case 'remove':
      return operations.remove(action.ids, signal)
  }
}
