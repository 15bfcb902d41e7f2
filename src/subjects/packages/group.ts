import type { Decision } from '../../model/decision.ts'
import type { Seen } from '../../model/observation.ts'
import { decideGroup, type GroupOfType, unclearMember } from '../shared/decide-group.ts'
import { groupIn, type GroupMember, type GroupObserved, type GroupDesired } from '../shared/group.ts'
import { decidePackage } from './decide.ts'
import type { PackageAction, PackageContext, PackageStateObserved, PackageDesired } from './model.ts'

/** What a policy says: of one package, or of a group. */
export type PackageOrGroup = Pick<PackageDesired, 'name'> & {
  readonly ensure?: PackageDesired['ensure'] | undefined
  readonly allow_removals?: boolean | undefined
} & GroupDesired

export type PackageOrGroupObserved = PackageStateObserved | GroupObserved<PackageStateObserved, PackageContext>

/** Compares one package, or a group of packages, with the package database. */
export function decidePackages(
  { name, ensure }: PackageOrGroup,
  observed: Seen<PackageOrGroupObserved, PackageContext>,
): Decision<PackageAction> {
  const seen = groupIn(observed)
  if (seen === undefined) {
    if (ensure === undefined) throw new Error(`no requirement on the package ${name}`)
    return decidePackage({ name, ensure }, observed as Seen<PackageStateObserved, PackageContext>)
  }
  const members = seen.members.map((member) => ({
    name: member.name,
    on: decideOffered(member),
    off: decideMember(member, 'absent'),
  }))
  return decideGroup(seen.group, members, PACKAGES)
}

type Member = GroupMember<PackageStateObserved, PackageContext>

const PACKAGES: GroupOfType<PackageAction> = {
  property: 'installed',
  combine(steps) {
    const ids = steps.flatMap(({ action }) => (action.kind === 'remove' ? action.ids : []))
    const [id, ...others] = ids
    if (id !== undefined) return { kind: 'remove', ids: [id, ...others] }
    const [step] = steps
    if (step === undefined) throw new Error('an action for no package')
    return { kind: 'install', name: step.name }
  },
}

function decideMember({ name, seen }: Member, ensure: 'present' | 'absent'): Decision<PackageAction> {
  return seen.kind === 'unknown' ? unclearMember(PACKAGES, ensure, seen) : decidePackage({ name, ensure }, seen)
}

/** What the index is known not to offer cannot be the one that is installed. */
function decideOffered(member: Member): Decision<PackageAction> {
  const { name, seen } = member
  const decision = decideMember(member, 'present')
  if (seen.kind === 'unknown' || decision.drift.length === 0) return decision
  const { candidate } = seen.context
  if (candidate?.kind !== 'known' || candidate.value.version !== null) return decision
  return {
    ...decision,
    plan: { kind: 'refuse', obstacles: [{ reason: `the package index does not contain ${name}` }] },
  }
}
