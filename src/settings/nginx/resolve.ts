import { ANY_KEY, type Assignment, type Block } from '../assignment.ts'
import type { Effective } from '../surface.ts'
import { directiveNamed, namedIn } from './directives.ts'

/**
 * The effective values of a directive in each server, and in each location that overrides it. A value inherited from
 * `http` is global; if no server inherits it, the first server's value is used instead.
 */
export function resolveBlocks(assignments: readonly Assignment[]): readonly [Effective, ...Effective[]] {
  const own = assignments.filter(({ key }) => key !== ANY_KEY)
  const blocks = [...new Set(assignments.flatMap(({ block }) => (block === undefined ? [] : [block])))]
  const [sample] = own
  const rules = sample === undefined ? undefined : directiveNamed(sample.key)
  const root = blocks.find(({ kind }) => kind === 'main')
  if (sample === undefined || rules === undefined || rules.isMain === true)
    return [toEffective(own.filter(({ block }) => block === root))]
  const list = rules.isList === true ? (namedIn(sample.key)?.directive ?? sample.key) : undefined
  const at = (block: Block | undefined): readonly Assignment[] => {
    if (block === undefined) return []
    const here = own.filter((each) => each.block === block)
    if (here.length > 0) return list === undefined ? here.slice(-1) : here
    return list !== undefined && block.lists.has(list) ? [] : at(block.parent)
  }
  const isMeant = (block: Block): boolean => (rules.isTls === true ? block.isTls : block.isWeb)
  const servers = blocks.filter((block) => block.kind === 'server' && isMeant(block))
  const web = blocks.find(({ kind, isWeb }) => kind === 'group' && isWeb)
  const says = (block: Block): boolean =>
    own.some((each) => each.block === block) || (list !== undefined && block.lists.has(list))
  const inherits = servers.filter((block) => !says(block))
  const apart = blocks.filter(
    (block) => isMeant(block) && says(block) && (block.kind === 'server' || block.kind === 'inner'),
  )
  const scoped = apart.map((block) => ({ scope: block.label, standsAlone: true as const, ...toEffective(at(block)) }))
  const groups = [...new Set(inherits.map(({ parent }) => parent))]
  const [shared, ...others] = servers.length === 0 ? [web] : groups
  const [first, ...rest] = [
    ...(servers.length === 0 || inherits.length > 0 ? [toEffective(at(shared))] : []),
    ...others.map((group) => ({ scope: group?.label ?? '', standsAlone: true as const, ...toEffective(at(group)) })),
    ...scoped,
  ]
  return [first ?? toEffective([]), ...rest]
}

function toEffective(winners: readonly Assignment[]): Effective {
  return { winners, losers: [] }
}
