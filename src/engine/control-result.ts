import type { Control } from '../core/policy.ts'
import type { ControlResult } from '../core/run.ts'
import { type ControlVerdict, CONTROLS_WORST_FIRST, type Verdict, worstVerdict } from '../core/verdict.ts'
import type { Redactor } from '../secrets/redactor.ts'
import type { Place } from './result.ts'

/** What the results of controls are made of. */
export interface Known {
  readonly verdicts: ReadonlyMap<string, Verdict>
  readonly redactor: Redactor
}

/** The result of a control; `not-evaluated` is the best that one for a person to look at can get. One none of whose resources was selected says nothing about the machine and has none. */
export function controlResult(control: Control, { path }: Place, { verdicts, redactor }: Known): ControlResult[] {
  const evaluated = control.resources.flatMap((id) => verdicts.get(id) ?? [])
  if (evaluated.length === 0 && control.resources.length > 0) return []
  const { id, title, severity, description, remediation, references, tags, manual, resources } = control
  return [
    {
      id,
      ...(path.length === 0 ? {} : { path }),
      ...(title === undefined ? {} : { title }),
      severity,
      ...(description === undefined ? {} : { description }),
      ...(remediation === undefined ? {} : { remediation }),
      ...(Object.keys(references).length === 0 ? {} : { references }),
      ...(tags.length === 0 ? {} : { tags }),
      verdict: manual === true ? atBestNotEvaluated(evaluated) : worstVerdict(evaluated),
      resources: resources.map(redactor.text),
    },
  ]
}

function atBestNotEvaluated(verdicts: readonly Verdict[]): ControlVerdict {
  const found: ReadonlySet<ControlVerdict> = new Set<ControlVerdict>([...verdicts, 'not-evaluated'])
  return CONTROLS_WORST_FIRST.find((verdict) => found.has(verdict)) ?? 'not-evaluated'
}
