import type { Problem } from '../../model/problem.ts'
import type { PolicyDocument } from '../../policy/read/policy.ts'
import type { ResourceType } from '../../resource-type/define.ts'
import { checkTemplates } from './check-templates.ts'
import { hintsOf } from './hints.ts'

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
