import type { Run } from '../../core/run.ts'
import type { Selection } from '../../core/selection.ts'
import type { Invocation } from '../command.ts'
import { usageError } from '../errors.ts'
import { checksumOf } from '../options/bundle.ts'
import { isUntrusted } from '../options/input.ts'
import type { ScanFlags } from '../options/scan.ts'
import type { Target } from '../../target/target.ts'
import { wrongChoice } from './choosing.ts'
import type { Watch } from './watch.ts'

/** A scan as the command line asks for it. */
export interface ScanRequest {
  readonly sources: readonly string[]
  readonly options: ScanFlags
  readonly selection: Selection
  /** Whether others wrote the policies. */
  readonly isUntrusted: boolean
  /** What the one remote bundle must be. */
  readonly checksum?: string
  /** Sources that are no files, by name. */
  readonly texts?: ReadonlyMap<string, string>
  /** What is looked at; this machine where it is absent. */
  readonly target?: Target
  /** Performs it somewhere else than in this process. Throws an `OperatorError` where it cannot. */
  readonly elsewhere?: (watch: Watch) => Promise<Run>
}

/** The scan that a command line asks for. Throws an `OperatorError` for selectors or a checksum that mean nothing. */
export async function scanRequestOf(
  { operands: sources, options }: Pick<Invocation<ScanFlags>, 'operands' | 'options'>,
  command: string,
): Promise<ScanRequest> {
  const checksum = await checksumOf(sources, options, command)
  const areOfOthers = isUntrusted(sources, options)
  if (areOfOthers && options.fix) throw usageError(NO_UNTRUSTED_FIX, command)
  if (options.wait !== undefined && options.fix) throw usageError(NO_WAITING_FIX, command)
  const wrong = wrongUseOfPlan(options) ?? wrongChoice(options, command)
  if (wrong !== undefined) throw usageError(wrong, command)
  return { sources, options, selection: selectionOf(options), isUntrusted: areOfOthers, ...checksum }
}

function wrongUseOfPlan(options: ScanFlags): string | undefined {
  const { fix, plan, wait, 'save-plan': savePlan, 'monitor-only': monitorOnly } = options
  if (savePlan !== undefined && fix)
    return '--save-plan writes what a fix would do: leave --fix out, then fix with --plan'
  if (savePlan !== undefined && (wait !== undefined || monitorOnly)) {
    return '--save-plan needs one audit of the resources: leave --wait and --monitor-only out'
  }
  return plan !== undefined && !fix ? '--plan is carried out by --fix; "driftgate show FILE" shows it' : undefined
}

const NO_WAITING_FIX =
  '--wait repeats an audit, and --fix changes the machine: fix first, then wait for the audit to pass'

const NO_UNTRUSTED_FIX =
  'a policy of others changes nothing: --fix needs policies of your own; say --trusted for a URL that you trust like one'

function selectionOf({ only, skip }: ScanFlags): Selection {
  return { only: only.flatMap(splitSelectors), skip: skip.flatMap(splitSelectors) }
}

function splitSelectors(text: string): string[] {
  const selectors = text.split(',').map((selector) => selector.trim())
  if (selectors.includes('')) throw usageError(`empty selector in "${text}"`, 'scan')
  return selectors
}
