import type { Decision, Obstacle } from '../../model/decision.ts'
import type { Seen } from '../../model/observation.ts'
import type { PackageDatabase } from './packages.ts'
import type { OtherPackages, PackageAction, PackageContext } from './model.ts'
import { decidePackages, type PackageOrGroup, type PackageOrGroupObserved } from './group.ts'

/** Asks the package manager what else a planned change would do. */
export async function findOtherPackages(
  database: Pick<PackageDatabase, 'transaction' | 'isNamed'>,
  action: PackageAction,
  { name, allowsRemovals }: { readonly name: string; readonly allowsRemovals: boolean },
): Promise<OtherPackages> {
  const order = action.kind === 'remove' ? action : { name, ...action }
  const whole = await database.transaction(order)
  if (whole.kind === 'unknown') return { changes: whole, unwelcome: [], keepsOthers: !allowsRemovals }
  const own = new Set(
    action.kind === 'remove' ? action.ids.map(stripArchitecture) : [stripArchitecture(action.name ?? name)],
  )
  const changes = whole.value.filter((change) => !own.has(stripArchitecture(change.name)))
  const removed = changes.filter(({ kind }) => kind === 'remove').map((change) => stripArchitecture(change.name))
  const unwelcome = allowsRemovals ? [] : removed.filter((each) => !database.isNamed(each))
  return { changes: { kind: 'known', value: changes }, unwelcome, keepsOthers: !allowsRemovals && removed.length === 0 }
}

/** A name without its architecture; identifiers of rpm have a version before that. */
function stripArchitecture(name: string): string {
  return name.replace(/(?::|-\d).*/, '')
}

/** The decision about packages, with what a fix does to others beside them. */
export function decideWithOthers(
  desired: PackageOrGroup,
  observed: Seen<PackageOrGroupObserved, PackageContext>,
): Decision<PackageAction> {
  const decision = decidePackages(desired, observed)
  const { others } = observed.context
  const { plan } = decision
  if (others === undefined || plan.kind !== 'act') return decision
  const { changes, unwelcome, keepsOthers } = others
  if (changes.kind === 'unknown') {
    const warning = `the changes to other packages are unknown: ${changes.detail}`
    const action = withKeepsOthers(plan.action, keepsOthers)
    // An installation can be kept from removing others, a removal cannot.
    const isRefused = keepsOthers && action.kind === 'remove'
    const obstacles = isRefused ? [...plan.obstacles, { reason: `${warning}; ${CONSENT}` }] : plan.obstacles
    return { ...decision, plan: { ...plan, action, obstacles }, warnings: [warning] }
  }
  const effects = changes.value.map(({ kind, name, version = '' }) => {
    return { kind, object: version === '' ? name : `${name} ${version}`, alongside: true } as const
  })
  const removes = changes.value.filter(({ kind }) => kind === 'remove').map(({ name }) => stripArchitecture(name))
  const action = { ...withKeepsOthers(plan.action, keepsOthers), ...(removes.length > 0 && { removes }) }
  return {
    ...decision,
    plan: {
      ...plan,
      action,
      effects: [...(plan.effects ?? []), ...effects],
      obstacles: [...plan.obstacles, ...refusal(unwelcome)],
    },
  }
}

function withKeepsOthers(action: PackageAction, keepsOthers: boolean): PackageAction {
  return action.kind !== 'remove' && keepsOthers ? { ...action, keepsOthers } : action
}

function refusal(unwelcome: readonly string[]): readonly Obstacle[] {
  if (unwelcome.length === 0) return []
  const names = unwelcome.join(', ')
  return [{ reason: `it would remove ${names}, which no resource names: ${CONSENT}` }]
}

const CONSENT = "allow it with --allow-removals, or with 'allow_removals: true' in the policy"
