import type { Child, Declaration } from '../../../model/policy.ts'
import type { Position } from '../../../model/problem.ts'
import type { PolicyResult, ResourceResult } from '../../../model/run.ts'
import type { RunnablePolicy } from '../../../policy/runnable/policy.ts'
import type { Located } from './find.ts'

/**
 * Reduces a policy to one resource, the resources it reads, and the apply resources above it. A run gives the same
 * result for the resource as a run of the whole policy, as far as that does not depend on others.
 */
export function isolate(located: Located, onExports: NonNullable<RunnablePolicy['onExports']>): RunnablePolicy {
  const { document, declaration, above } = located
  const own: RunnablePolicy = { ...document.policy, resources: [...neededBy(located), declaration], onExports }
  return above.reduceRight<RunnablePolicy>(
    (below, link) => wrapInParent(link.document.policy, link.declaration.id, below),
    own,
  )
}

/** Resources whose values a resource reads, directly or indirectly, in policy order. */
export function neededBy({ document, declaration }: Located): readonly Declaration[] {
  const { resources } = document.policy
  const needed = new Set<string>()
  const add = ({ reads = [] }: Declaration): void => {
    for (const { resource } of reads) {
      const found = needed.has(resource) ? undefined : resources.find(({ id }) => id === resource)
      if (found === undefined) continue
      needed.add(resource)
      add(found)
    }
  }
  add(declaration)
  return resources.filter(({ id }) => needed.has(id))
}

function wrapInParent(policy: RunnablePolicy, id: string, below: RunnablePolicy): RunnablePolicy {
  const child = policy.children?.get(id)
  if (child?.kind !== 'loaded') throw new Error(`${id} does not resolve to a child manifest`)
  const children = new Map<string, Child<RunnablePolicy>>([[id, { ...child, policy: below }]])
  return { ...policy, resources: policy.resources.filter((each) => each.id === id), children }
}

/**
 * Result of the resource in a run of its isolated policy, and those below it; the first is undefined after an
 * interruption.
 */
export function resultsOf(
  { above, declaration }: Located,
  policies: readonly PolicyResult[],
): readonly [result: ResourceResult | undefined, below: readonly ResourceResult[]] {
  const results = policies.flatMap(({ resources }) => resources)
  const depth = ({ path = [] }: ResourceResult): number => path.length
  // Ids are not unique after redaction.
  const isOwn = (result: ResourceResult): boolean =>
    depth(result) === above.length &&
    result.type === declaration.type &&
    isSamePlace(result.source, declaration.position)
  return [results.find(isOwn), results.filter((result) => depth(result) > above.length)]
}

function isSamePlace(left: Position, right: Position): boolean {
  return left.file === right.file && left.line === right.line && left.column === right.column
}
