import type { Problem } from '../../model/problem.ts'
import type { PolicyDocument } from '../../policy/read/policy.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { checkTemplates } from './check-templates.ts'
import { defined } from '../../model/defined.ts'
import { createRedactor, redactProblem } from '../../policy/secrets/redactor.ts'
import { errorAt } from '../../policy/document/lines.ts'

/** Problems and hints of loadable policies. */
export interface Soundness {
  readonly documents: readonly PolicyDocument[]
  readonly problems: readonly Problem[]
  readonly hints: readonly Problem[]
}

/** Checks policies with their child manifests; one applied several times is checked once. */
export function soundnessOf(loaded: readonly PolicyDocument[], types: readonly ResourceType[]): Soundness {
  const documents = [...new Map(withChildren(loaded).map((document) => [document.policy.source, document])).values()]
  return {
    documents,
    problems: documents.flatMap((document) => [...(document.unusableParts ?? []), ...checkTemplates(document, types)]),
    hints: documents.flatMap((document) => hintsOf(document, types)),
  }
}

/** Policies followed by their child manifests. */
export function withChildren(documents: readonly PolicyDocument[]): readonly PolicyDocument[] {
  return documents.flatMap((document) => [document, ...withChildren(document.children)])
}

/** Warnings about valid but probably unintended parts of a policy, at the resource. */
export function hintsOf(
  { writtenIn, written, policy, evaluation }: PolicyDocument,
  types: readonly ResourceType[],
): readonly Problem[] {
  const redactor = createRedactor(evaluation?.secrets ?? [])
  const context = { hasControls: policy.controls.length > 0 }
  return policy.resources.flatMap(({ id, type, properties, provider, sensitive }): Problem[] => {
    const message = types
      .find((each) => each.type === type)
      ?.hint?.({ ...properties, ...defined({ provider }) }, context)
    if (message === undefined) return []
    const { name, source = writtenIn } = written.get(id) ?? {}
    const problem = redactProblem(errorAt(source, name?.offset ?? 0, message), redactor)
    // The source line may contain the whole resource.
    const { sourceLine: _secret, ...hidden } = problem
    return [{ ...(sensitive ? hidden : problem), severity: 'warning' }]
  })
}
