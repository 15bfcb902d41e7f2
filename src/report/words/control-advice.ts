import type { ControlResult } from '../../core/run.ts'

const UNMET: ReadonlySet<ControlResult['verdict']> = new Set(['fix-failed', 'error', 'drifted', 'blocked'])

/** Whether a control asks somebody to do something. */
export function isUnmet({ verdict }: ControlResult): boolean {
  return UNMET.has(verdict)
}

/** What the author of a control says about mending it and where it comes from, each with its label; not escaped. */
export function adviceOf({ remediation, references = {} }: ControlResult): readonly (readonly [string, string])[] {
  const catalogues = Object.entries(references).map(([catalogue, ids]) => `${catalogue} ${ids.join(', ')}`)
  return [
    ...(remediation === undefined ? [] : [['remediation', remediation.trim()] as const]),
    ...(catalogues.length === 0 ? [] : [['references', catalogues.join('; ')] as const]),
  ]
}
