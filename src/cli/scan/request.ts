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
  /** What is looked at, where that is several or from an inventory. */
  readonly targets?: readonly [ChosenTarget, ...ChosenTarget[]]
  /** What is to be said of their inventory. */
  readonly warnings?: readonly Problem[]
  /** What is looked at; this machine where it is absent. */
  readonly target?: Target
  /** What performs it somewhere else than in this process. */
  readonly elsewhere?: Elsewhere
  /** What the operator calls it, where it is one of several. */
  readonly name?: string
  /** Data for it alone, over that of files. */
  readonly data?: readonly Layer[]
}

/** A scan that is performed somewhere else. */
export interface Elsewhere {
  /** What is known of the target before. */
  readonly scanned: Scanned
  /** `kept` is what a history keeps, where that is not the run of the report. Throws an `OperatorError` for what is wrong here. */
  readonly perform: (watch: Watch) => Promise<{ readonly run: Run; readonly kept?: Run }>
}

/** The scan that a command line asks for. Throws an `OperatorError` for selectors or a checksum that mean nothing. */
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

/** The files that a watch writes and reads beside those of its scans. */
interface WatchFiles {
  readonly metrics?: string | undefined
  readonly 'ccm-config'?: string | undefined
}

/** The files that are written at once. */
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

/** The files that are read beside the policies. */
export function inputFilesOf(options: InputFiles & WatchFiles): readonly string[] {
  const { facts, data, vars, waivers, config = [], baseline, plan, targets, 'env-file': env, 'sign-key': key } = options
  const others = [baseline, plan, targets, env, key, options['ccm-config']]
  return [...facts, ...data, ...vars, ...waivers, ...config, ...others.flatMap((path) => path ?? [])]
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

function wrongUseOfRegister(options: ScanFlags): string | undefined {
  if (!options.register) return undefined
  if (!options.fix) return '--register publishes what a fix has proved: say --fix, too'
  const isElsewhere = options.targets !== undefined || options.target.some((text) => text !== 'local')
  if (isElsewhere) return NO_REGISTER_THERE
  return isGiven(options['confirm-within']) || isGiven(options.probe) ? NO_REGISTER_BEFORE : undefined
}

const NO_REGISTER_THERE = '--register works on the local host only: run driftgate on each host'

const NO_REGISTER_BEFORE =
  '--register would publish what --confirm-within and --probe may still take back: leave it out, and register with the next fix'

/** What is of one machine alone. */
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
  return once && `standard input is there once, and --${once} is read for each target: name a file`
}

const READ_FOR_EACH = ['data', 'facts', 'vars', 'waivers'] as const

function isGiven(value: boolean | string | readonly string[] | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
}

const NO_BASELINE_THERE =
  '--baseline of several targets does not travel: scan those to which driftgate is carried one by one, each with its own'

const NO_INPUT_THERE =
  'standard input is there once, and each target that driftgate is carried to needs it: name a file'

const ONLY_OFFLINE = '--offline-as needs a --target that does not run, such as root:DIR'

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
