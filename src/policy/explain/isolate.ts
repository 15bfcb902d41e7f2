import type { Child, Policy } from '../../core/policy.ts'
import type { PolicyResult, ResourceResult } from '../../core/run.ts'
import type { RunnablePolicy } from '../../engine/prepare.ts'
import type { Located } from './find.ts'

/**
 * The policy with nothing in it but one resource, and the apply resources through which it was reached. A run of it says
 * of the resource what a run of the whole policy would, as far as that does not depend on others.
 */
export function isolate({ document, declaration, above }: Located): RunnablePolicy {
  const own: RunnablePolicy = { ...document.policy, resources: [declaration] }
  return above.reduceRight<RunnablePolicy>(
    (below, link) => around(link.document.policy, link.declaration.id, below),
    own,
  )
}

function around(policy: RunnablePolicy, id: string, below: Policy): RunnablePolicy {
  const child = policy.children?.get(id)
  if (child?.kind !== 'loaded') throw new Error(`${id} leads to no child manifest`)
  const children = new Map<string, Child>([[id, { ...child, policy: below }]])
  return { ...policy, resources: policy.resources.filter((each) => each.id === id), children }
}

/** The result of that resource in a run of its isolated policy, and those below it; the first is absent if the run was interrupted. */
export function resultsOf(
  { above }: Located,
  policies: readonly PolicyResult[],
): readonly [result: ResourceResult | undefined, below: readonly ResourceResult[]] {
  const results = policies.flatMap(({ resources }) => resources).slice(above.length)
  return [results[0], results.slice(1)]
}
