import { join } from 'node:path'
import { defined } from '../../model/defined.ts'
import type { Problem } from '../../model/problem.ts'
import type { Run } from '../../model/run.ts'
import type { Selection } from '../../model/selection.ts'
import type { Invocation } from '../command.ts'
import { usageError } from '../errors.ts'
import type { Scanned } from '../../engine/run.ts'
import { checksumOf } from '../options/bundle.ts'
import { ONLY_CARRIED, saysOfCarrying } from '../options/carry.ts'
import { isUntrusted } from '../options/input.ts'
import type { ScanFlags } from '../options/scan.ts'
import type { ChosenTarget } from '../options/target.ts'
import { chosenTargets } from '../options/targets.ts'
import type { Layer } from '../../policy/data/merge.ts'
import type { Target } from '../../host/target.ts'
import { parseRemote } from '../../remote/spec.ts'
import { reportFormats } from '../../report/index.ts'
import { refuseInputs } from '../output/refuse-inputs.ts'
import { wrongChoice } from './choosing.ts'
import type { Watch } from './watch.ts'

/** A scan requested on the command line. */
export interface ScanRequest {
  readonly sources: readonly string[]
  readonly options: ScanFlags
  readonly selection: Selection
  /** True if the policies are untrusted. */
  readonly isUntrusted: boolean
  /** Expected checksum of the only remote bundle. */
  readonly checksum?: string
  /** Sources that are not files, by name. */
  readonly texts?: ReadonlyMap<string, string>
  /** Targets, if there are several or they come from an inventory. */
  readonly targets?: readonly [ChosenTarget, ...ChosenTarget[]]
  /** Warnings about their inventory. */
  readonly warnings?: readonly Problem[]
  /** Target; default: this machine. */
  readonly target?: Target
  /** Performs the scan outside this process. */
  readonly elsewhere?: Elsewhere
  /** Operator's name of the target, if there are several. */
  readonly name?: string
  /** Data for this target only; overrides that of files. */
  readonly data?: readonly Layer[]
}

/** A scan outside this process. */
export interface Elsewhere {
  /** Target properties known in advance. */
  readonly scanned: Scanned
  /**
   * `kept` is the run for the history, if it differs from the reported run. Throws an `OperatorError` for local errors.
   */
  readonly perform: (watch: Watch) => Promise<{ readonly run: Run; readonly kept?: Run }>
}

/** Builds the scan request of a command line. Throws an `OperatorError` for invalid selectors or checksums. */
export async function scanRequestOf(
  { operands: sources, options }: Pick<Invocation<ScanFlags & WatchFiles>, 'operands' | 'options'>,
  command: string,
): Promise<ScanRequest> {
  const checksum = await checksumOf(sources, options, command)
  const areOfOthers = isUntrusted(sources, options)
  if (areOfOthers && options.fix) throw usageError(NO_UNTRUSTED_FIX, command)
  if (options.wait !== undefined && options.fix) throw usageError(NO_WAITING_FIX, command)
  const several = await chosenTargets(options, command)
  const targets = several?.targets
  const wrong =
    wrongUseOfPlan(options) ??
    wrongUseOfRegister(options) ??
    wrongChoice(options, command) ??
    wrongUseOfTargets(options, sources, targets)
  if (wrong !== undefined) throw usageError(wrong, command)
  refuseInputs(outputsOf(options), [...sources, ...inputFilesOf(options)])
  return {
    sources,
    options,
    selection: selectionOf(options),
    isUntrusted: areOfOthers,
    ...checksum,
    ...defined({ targets, warnings: several?.warnings }),
  }
}

/** Files of a watch in addition to those of its scans. */
interface WatchFiles {
  readonly metrics?: string | undefined
  readonly 'ccm-config'?: string | undefined
}

/** Files that are written directly. */
function outputsOf({ report, out, 'save-plan': savePlan, metrics }: ScanFlags & WatchFiles): readonly string[] {
  const directory =
    out === undefined
      ? []
      : reportFormats.flatMap(({ fileName }) => (fileName === undefined ? [] : join(out, fileName)))
  return [
    ...report.map((text) => text.replace(/^[^=]*=?/, '')),
    ...directory,
    ...[savePlan, metrics].flatMap((path) => path ?? []),
  ]
}

type FileOption = 'config' | 'baseline' | 'plan' | 'targets' | 'env-file' | 'sign-key'
type InputFiles = Pick<ScanFlags, 'facts' | 'data' | 'vars' | 'waivers'> & Partial<Pick<ScanFlags, FileOption>>

/** Input files besides the policies. */
export function inputFilesOf(options: InputFiles & WatchFiles): readonly string[] {
  const { facts, data, vars, waivers, config = [], baseline, plan, targets, 'env-file': env, 'sign-key': key } = options
  const others = [baseline, plan, targets, env, key, options['ccm-config']]
  return [...facts, ...data, ...vars, ...waivers, ...config, ...others.flatMap((path) => path ?? [])]
}

function wrongUseOfPlan(options: ScanFlags): string | undefined {
  const { fix, plan, wait, 'save-plan': savePlan, 'monitor-only': monitorOnly } = options
  if (savePlan !== undefined && fix) return '--save-plan conflicts with --fix: save the plan, then fix with --plan'
  if (savePlan !== undefined && (wait !== undefined || monitorOnly)) {
    return '--save-plan conflicts with --wait and --monitor-only'
  }
  return plan !== undefined && !fix ? '--plan requires --fix; "driftgate show FILE" shows a plan' : undefined
}

function wrongUseOfRegister(options: ScanFlags): string | undefined {
  if (!options.register) return undefined
  if (!options.fix) return '--register requires --fix: it publishes verified results'
  const isElsewhere = options.targets !== undefined || options.target.some((text) => text !== 'local')
  if (isElsewhere) return NO_REGISTER_THERE
  return isGiven(options['confirm-within']) || isGiven(options.probe) ? NO_REGISTER_BEFORE : undefined
}

const NO_REGISTER_THERE = '--register works on the local host only: run driftgate on each host'

const NO_REGISTER_BEFORE =
  '--register conflicts with --confirm-within and --probe, which may revert the fix: register with the next fix'

/** Options that apply to a single machine only. */
const OF_ONE_MACHINE = ['plan', 'save-plan', 'max-changes', 'confirm-within', 'probe', 'ask'] as const

function wrongUseOfTargets(
  options: ScanFlags,
  sources: readonly string[],
  several: readonly ChosenTarget[] | undefined,
): string | undefined {
  const { 'offline-as': offlineAs } = options
  const targets = several?.map(({ spec }) => spec.text) ?? options.target
  if (offlineAs !== 'error' && targets.every((text) => text === 'local' || parseRemote(text) !== undefined))
    return ONLY_OFFLINE
  const found = several === undefined ? undefined : OF_ONE_MACHINE.find((name) => isGiven(options[name]))
  if (found !== undefined) return `--${found} supports one target: pass one --target, and scan the others separately`
  const isRescued = isGiven(options['confirm-within']) || isGiven(options.probe)
  if (isRescued && targets.some((text) => text !== 'local' && parseRemote(text) === undefined)) return NO_RESCUE
  const areCarriedTo = targets.some((text) => parseRemote(text) !== undefined)
  if (!areCarriedTo && saysOfCarrying(options)) return ONLY_CARRIED
  if (several === undefined) return undefined
  if (areCarriedTo && options.baseline !== undefined) return NO_BASELINE_THERE
  if (areCarriedTo && sources.includes('-')) return NO_INPUT_THERE
  const once = READ_FOR_EACH.find((name) => options[name].includes('-'))
  return once && `standard input can be read only once, and --${once} is read for each target: name a file`
}

const READ_FOR_EACH = ['data', 'facts', 'vars', 'waivers'] as const

function isGiven(value: boolean | string | readonly string[] | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
}

const NO_BASELINE_THERE = '--baseline supports one remote target: scan remote targets one by one'

const NO_INPUT_THERE = 'standard input can be read only once, and each remote target reads it: name a file'

const ONLY_OFFLINE = '--offline-as requires an offline --target such as root:DIR'

const NO_RESCUE =
  '--confirm-within and --probe work on the local host only: undo the fix of a --target with "driftgate undo"'

const NO_WAITING_FIX = '--wait conflicts with --fix: fix first, then repeat the audit with --wait'

const NO_UNTRUSTED_FIX = '--fix requires trusted policies: pass --trusted if you trust the URL'

function selectionOf({ only, skip }: ScanFlags): Selection {
  return { only: only.flatMap(splitSelectors), skip: skip.flatMap(splitSelectors) }
}

function splitSelectors(text: string): string[] {
  const selectors = text.split(',').map((selector) => selector.trim())
  if (selectors.includes('')) throw usageError(`empty selector in "${text}"`, 'scan')
  return selectors
}
