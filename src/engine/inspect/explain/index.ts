import type { Target } from '../../../host/target.ts'
import { defined } from '../../../model/defined.ts'
import { type Policy, withChildren, type Declaration, type Control } from '../../../model/policy.ts'
import type { Problem } from '../../../model/problem.ts'
import type { Run } from '../../../model/run.ts'
import { worstSeverity } from '../../../model/verdict.ts'
import { isGiven, member } from '../../../policy/document/tree.ts'
import type { PolicyDocument } from '../../../policy/read/policy.ts'
import {
  controlOutcome,
  type ExportedReads,
  type RunnablePolicy,
  type ControlOutcome,
} from '../../../policy/runnable/policy.ts'
import { createRedactor, SECRET } from '../../../policy/secrets/redactor.ts'
import { readsOfSource } from '../../../policy/template/reads.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import { hidingSecrets } from '../../exported.ts'
import { judgeProviders } from '../../prepare.ts'
import { readValues } from './exported.ts'
import { findResource, type Located, pathOf } from './find.ts'
import { hidingWith, type Hiding } from './hide.ts'
import { explainReads } from './inputs.ts'
import { isolate, resultsOf, neededBy } from './isolate.ts'
import type { Explanation, ExplainedCondition, ExplainedControl, RelatedResource, SupportedControl } from './model.ts'
import { explainProperties, unsetProperties, type WrittenResource, originOf, positionOf } from './properties.ts'

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

/** Condition of a resource with the result of each part; undefined without one. */
function explainControl(
  outcome: ControlOutcome,
  policy: RunnablePolicy,
  resource: WrittenResource,
): ExplainedControl | undefined {
  const { declaration, explaining } = resource
  const { text } = explaining.hiding
  const { control } = declaration
  if (control === undefined) return undefined
  const values = conditionValues(declaration, outcome, (gate) => controlOutcome(policy, gate, explaining.exported.of))
  const conditions = (['if', 'unless'] as const).flatMap((key): ExplainedCondition[] => {
    const expression = control[key]
    const position = positionOf(`control.${key}`, resource)
    if (expression === undefined || position === undefined) return []
    const value = values[key]
    const own = member(resource.written.defaults?.own.get('control')?.value, key)
    const isOwn = resource.written.defaults === undefined || (own !== undefined && isGiven(own))
    return [
      {
        key,
        expression: declaration.sensitive ? SECRET : text(expression),
        ...defined({ value }),
        from: originOf(isOwn, position, resource),
        inputs: explainReads(readsOfSource(expression), { ...explaining, isSecret: false }),
      },
    ]
  })
  const message = outcome.kind === 'managed' ? undefined : outcome.kind === 'failed' ? outcome.message : outcome.because
  return { outcome: outcome.kind, ...(message === undefined ? {} : { message: text(message) }), conditions }
}

/** Results of the evaluated conditions: `unless` is not evaluated if `if` has decided. */
function conditionValues(
  declaration: Declaration,
  outcome: ControlOutcome,
  evaluate: (gate: Declaration) => ControlOutcome,
): { readonly if?: boolean; readonly unless?: boolean } {
  const { control = {} } = declaration
  if (outcome.kind === 'managed') return { if: true, unless: false }
  if (control.if === undefined) return outcome.kind === 'failed' ? {} : { unless: true }
  const byIf = evaluate({ ...declaration, control: { if: control.if } })
  if (byIf.kind === 'failed') return {}
  if (byIf.kind === 'not-managed') return { if: false }
  return outcome.kind === 'failed' ? { if: true } : { if: true, unless: true }
}

type Relations = Pick<Explanation, 'require' | 'subscribe' | 'reads' | 'requiredBy' | 'subscribedBy' | 'readBy'>

/** Resources that a resource refers to, and those that refer to it. */
function explainRelations({ document: { policy }, declaration }: Located, { text }: Hiding): Relations {
  const { id, require, subscribe } = declaration
  const readOf = ({ reads = [] }: Declaration): readonly string[] => [...new Set(reads.map(({ resource }) => resource))]
  const related = (resources: readonly Declaration[]): readonly RelatedResource[] =>
    resources.map((each) => ({ id: text(each.id), source: each.position }))
  const named = (ids: readonly string[]): readonly RelatedResource[] =>
    related(ids.flatMap((wanted) => policy.resources.find((each) => each.id === wanted) ?? []))
  return {
    require: named(require),
    subscribe: named(subscribe),
    reads: named(readOf(declaration)),
    requiredBy: related(policy.resources.filter((each) => each.require.includes(id))),
    subscribedBy: related(policy.resources.filter((each) => each.subscribe.includes(id))),
    readBy: related(policy.resources.filter((each) => readOf(each).includes(id))),
  }
}

/** Controls that a resource supports, directly or through an apply resource above it. */
function explainControls(located: Located, { text }: Hiding): readonly SupportedControl[] {
  const { above, document, declaration } = located
  const through = above.flatMap((link, at) => {
    const path = text(pathOf({ ...link, above: above.slice(0, at) }))
    return supportedBy(link.document.policy.controls, link.declaration).map((control) => ({
      ...control,
      through: path,
    }))
  })
  return [...through, ...supportedBy(document.policy.controls, declaration)]
}

function supportedBy(controls: readonly Control[], { id }: Declaration): readonly SupportedControl[] {
  return controls
    .filter(({ resources }) => resources.includes(id))
    .map(({ id: controlId, title, severity, remediation, references, tags }) => ({
      id: controlId,
      ...defined({ title }),
      severity,
      ...defined({ remediation }),
      ...(Object.keys(references).length === 0 ? {} : { references }),
      ...(tags.length === 0 ? {} : { tags }),
    }))
}

/** Resources that this one and those above it refer to, and that its audit omits. */
function notEvaluated(located: Located, { text }: Hiding): readonly string[] {
  const { above, document, declaration } = located
  const evaluated = neededBy(located).map(({ id }) => id)
  const named = [...above, { document, declaration }].flatMap((link) => [
    ...link.declaration.require,
    ...link.declaration.subscribe,
  ])
  return [...new Set(named)].filter((id) => !evaluated.includes(id)).map(text)
}
