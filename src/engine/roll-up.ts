import { defined } from '../model/defined.ts'
import type { Drift } from '../model/drift.ts'
import { countOf } from '../model/count-of.ts'
import { withoutRollUps } from '../model/roll-up.ts'
import type { ResourceResult } from '../model/run.ts'
import { type Change, type Verdict, WORST_FIRST, worstVerdict } from '../model/verdict.ts'
import type { Identity } from './result.ts'

/** Details of a child manifest's run besides its results. */
export interface ChildRun {
  readonly provider: string
  /** True if its resources are only audited, even in a fix. */
  readonly isNoop: boolean
  /** In milliseconds. */
  readonly durationMs: number
}

/** Result of an apply resource: the worst verdict below it, with the number of affected resources. */
export function rollUp(identity: Identity, below: readonly ResourceResult[], run: ChildRun): ResourceResult {
  const counted = withoutRollUps(below).filter(({ verdict }) => verdict !== 'not-applicable')
  const verdict = worstVerdict(counted.map((result) => result.verdict))
  const message = describe(counted)
  return {
    ...identity,
    provider: run.provider,
    verdict,
    ensure: { desired: 'present', observed: 'present' },
    drift: [],
    actions: [],
    ...verdictDetails(verdict, counted, run),
    ...defined({ message }),
    durationMs: run.durationMs,
  }
}

/** Fields of a specific verdict. */
function verdictDetails(verdict: Verdict, counted: readonly ResourceResult[], run: ChildRun): Partial<ResourceResult> {
  const matched = counted.filter((result) => result.drift.length === 0 && isMatch(result)).length
  const drift = compare(matched, counted.length)
  switch (verdict) {
    case 'drifted':
      return { drift, ...changeOf(counted, run) }
    case 'fixed':
      return { drift }
    case 'fix-failed': {
      const remaining = compare(counted.filter(isMatch).length, counted.length)
      return { drift, remaining, ...changeOf(counted, run), errors: [describe(counted) ?? ''] }
    }
    case 'error': {
      const reason = counted.find((result) => result.verdict === 'error')?.reason
      return { ...defined({ reason }), errors: [describe(counted) ?? ''] }
    }
    case 'compliant':
    case 'blocked':
    case 'not-applicable':
    case 'waived':
      return {}
  }
}

function isMatch({ verdict }: ResourceResult): boolean {
  return verdict === 'compliant' || verdict === 'fixed'
}

function compare(observed: number, desired: number): readonly Drift[] {
  if (observed === desired) return []
  return [{ property: 'resources', desired: `${desired} compliant`, observed: `${observed} compliant` }]
}

/** Effect of a fix on the whole: it succeeds only if it does for every resource. */
function changeOf(counted: readonly ResourceResult[], { isNoop }: ChildRun): Partial<ResourceResult> {
  if (isNoop) return { change: 'cannot', changeReason: 'noop: the child manifest is only audited' }
  const changes = counted.flatMap(({ change }) => change ?? [])
  const count = (wanted: Change): number => changes.filter((change) => change === wanted).length
  if (count('cannot') > 0) {
    return {
      change: 'cannot',
      changeReason: `${count('cannot')} of ${countOf(changes.length, 'resource')} cannot be fixed`,
    }
  }
  if (count('may') === 0) return { change: 'will' }
  return { change: 'may', changeReason: `${count('may')} of ${countOf(changes.length, 'resource')} may be fixed` }
}

const WORDS: Readonly<Record<Verdict, string>> = {
  compliant: 'compliant',
  drifted: 'drifted',
  fixed: 'fixed',
  'fix-failed': 'failed to fix',
  error: 'unknown',
  blocked: 'blocked',
  'not-applicable': 'not applicable',
  waived: 'waived',
}

/** Counts the resources that are not compliant, worst first; undefined if all are. */
function describe(counted: readonly ResourceResult[]): string | undefined {
  if (counted.length === 0) return 'child manifest: no resource applies to this host'
  const found = WORST_FIRST.flatMap((verdict) => {
    const { length } = counted.filter((result) => result.verdict === verdict)
    return length === 0 || verdict === 'compliant' ? [] : [[length, WORDS[verdict]] as const]
  })
  const [worst, ...others] = found
  if (worst === undefined) return undefined
  const rest = others.map(([length, words]) => `, ${length} ${words}`).join('')
  return `child manifest: ${worst[0]} of ${countOf(counted.length, 'resource')} ${worst[1]}${rest}`
}
