import { defined } from '../../../model/defined.ts'
import type { Declaration } from '../../../model/policy.ts'
import { type ControlOutcome, controlOutcome, type RunnablePolicy } from '../../../policy/runnable/policy.ts'
import { SECRET } from '../../../policy/secrets/redactor.ts'
import { readsOfSource } from '../../../policy/template/reads.ts'
import { isGiven, member } from '../../../policy/document/tree.ts'
import { explainReads } from './inputs.ts'
import type { ExplainedCondition, ExplainedControl } from './model.ts'
import { originOf, positionOf, type WrittenResource } from './properties.ts'

/** Condition of a resource with the result of each part; undefined without one. */
export function explainControl(
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
