import { defined } from '../../../model/defined.ts'
import { type Policy, withChildren } from '../../../model/policy.ts'
import type { Problem } from '../../../model/problem.ts'
import type { Run } from '../../../model/run.ts'
import { worstSeverity } from '../../../model/verdict.ts'
import { hidingSecrets } from '../../exported.ts'
import { judgeProviders } from '../../prepare.ts'
import { controlOutcome, type ExportedReads, type RunnablePolicy } from '../../../policy/runnable/policy.ts'
import { createRedactor } from '../../../policy/secrets/redactor.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import type { Target } from '../../../host/target.ts'
import type { PolicyDocument } from '../../../policy/read/policy.ts'
import { explainControl } from './control.ts'
import { readValues } from './exported.ts'
import { findResource, type Located } from './find.ts'
import { hidingWith } from './hide.ts'
import { isolate, resultsOf } from './isolate.ts'
import type { Explanation } from './model.ts'
import { explainProperties, unsetProperties, type WrittenResource } from './properties.ts'
import { explainControls, explainRelations, notEvaluated } from './relations.ts'

export interface ExplainOptions {
  readonly types: readonly ResourceType[]
  /** Machine on which providers are chosen. */
  readonly target: Target
  /** Audits a policy that contains only the resource. */
  readonly audit: (policy: RunnablePolicy) => Promise<Run>
}

/** An explanation and its run, whose problems are warnings. */
export type Explained =
  | { readonly ok: true; readonly explanation: Explanation; readonly run: Run }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/**
 * Explains one resource of a policy: the origin of each value, its condition and relations, and its audit result.
 * `reference` as in `findResource`. The document must be loaded for evaluation. Excluded and undecidable resources are
 * explained as well.
 */
export async function explain(
  document: PolicyDocument,
  reference: string,
  options: ExplainOptions,
): Promise<Explained> {
  const located = findResource(document, reference)
  if ('message' in located) return { ok: false, problems: [{ message: located.message, severity: 'error' }] }
  let exported: ExportedReads | undefined
  const run = await options.audit(isolate(located, (store) => (exported = store)))
  return { ok: true, explanation: explainLocated(document, located, { ...options, run, exported }), run }
}

interface Audited extends Omit<ExplainOptions, 'audit'> {
  readonly run: Run
  readonly exported: ExportedReads | undefined
}

function explainLocated(
  document: PolicyDocument,
  located: Located,
  { types, target, run, exported }: Audited,
): Explanation {
  const declaration = hidingSecrets(located.declaration, exported)
  const { policy, evaluation, written, writtenIn } = located.document
  const type = types.find((each) => each.type === declaration.type)
  const own = written.get(declaration.id)
  if (type === undefined || own === undefined) {
    throw new Error(`policy ${policy.id} was loaded with different resource types than it is explained with`)
  }
  const known = withChildren([document.policy]).flatMap(({ secrets = [] }) => secrets)
  const redactor = createRedactor(known, target.system.identity)
  const hiding = hidingWith(redactor)
  const values = readValues(located, exported, redactor)
  const outcome = controlOutcome(policy, declaration, values.of)
  const resource: WrittenResource = {
    declaration,
    type,
    written: own,
    source: own.source ?? writtenIn,
    explaining: { place: located, evaluation, hiding, exported: values },
    redactor,
    ruledOut: outcome.kind === 'managed' ? undefined : 'not expanded: the control condition of the resource is false',
  }
  // First, since this registers secrets to be redacted in the rest.
  const properties = explainProperties(resource)
  const control = explainControl(outcome, policy, resource)
  const [result, below] = resultsOf(located, run.policies)
  const controls = explainControls(located, hiding)
  return {
    schema: 'driftgate.explanation/v1',
    policy: describePolicy(policy),
    resource: {
      id: hiding.text(declaration.id),
      ...describePath(located, hiding.text),
      type: declaration.type,
      name: hiding.text(declaration.name),
      ...(declaration.alias === undefined ? {} : { alias: hiding.text(declaration.alias) }),
      sensitive: declaration.sensitive,
      severity: worstSeverity(controls.map(({ severity }) => severity)),
      source: declaration.position,
    },
    properties,
    unset: unsetProperties(resource),
    ...defined({ control }),
    controls,
    ...explainRelations(located, hiding),
    providers: judgeProviders(type, declaration.provider, target),
    ...defined({ result }),
    ...(below.length === 0 ? {} : { below }),
    notEvaluated: notEvaluated(located, hiding),
  }
}

function describePolicy({ id, title, version, source }: Policy): Explanation['policy'] {
  return {
    id,
    ...defined({ title, version }),
    source,
  }
}

function describePath({ above }: Located, text: (text: string) => string): { readonly path?: readonly string[] } {
  return above.length === 0 ? {} : { path: above.map((link) => text(link.declaration.id)) }
}
