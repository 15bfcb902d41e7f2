import type { Problem } from '../../model/problem.ts'
import type { PolicyDocument } from '../../policy/read/policy.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { checkTemplates } from './check-templates.ts'
import { hintsOf } from './hints.ts'

/** What is wrong with policies that could be loaded, and what is merely odd. */
export interface Soundness {
  readonly documents: readonly PolicyDocument[]
  readonly problems: readonly Problem[]
  readonly hints: readonly Problem[]
}

/** Looks at policies with those that they apply; one that is applied several times is judged once. */
export function soundnessOf(loaded: readonly PolicyDocument[], types: readonly ResourceType[]): Soundness {
  const documents = [...new Map(withChildren(loaded).map((document) => [document.policy.source, document])).values()]
  return {
    documents,
    problems: documents.flatMap((document) => [...(document.unusableParts ?? []), ...checkTemplates(document, types)]),
    hints: documents.flatMap((document) => hintsOf(document, types)),
  }
}

/** Policies with their child manifests, each before those below it. */
export function withChildren(documents: readonly PolicyDocument[]): readonly PolicyDocument[] {
  return documents.flatMap((document) => [document, ...withChildren(document.children)])
}
