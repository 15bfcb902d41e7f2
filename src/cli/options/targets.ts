import type { Target } from '../../host/target.ts'
import type { Problem } from '../../model/problem.ts'
import type { OptionsOf, OptionSpecs } from '../command.ts'
import { usageError } from '../errors.ts'
import { type ChosenTarget, specOf, TARGET_SUMMARY, targetComplaint } from './target.ts'

/** Default number of parallel targets. */
const PARALLEL = 8

/** Higher values are a mistake: each target takes memory, and remote ones a connection. */
const MOST_PARALLEL = 256

/** Options of commands with one or several targets. */
export const TARGETS_OPTIONS = {
  target: {
    kind: 'list',
    group: 'Target:',
    placeholder: 'SPEC',
    holds: 'target',
    complain: targetComplaint,
    summary: `${TARGET_SUMMARY} (repeatable)`,
  },
  targets: {
    kind: 'value',
    group: 'Target:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Scan the targets of an inventory (driftgate or Ansible)',
  },
  on: {
    kind: 'list',
    group: 'Target:',
    placeholder: 'SELECTOR',
    summary: 'Select inventory targets by name, group or LABEL=VALUE (! excludes)',
  },
  parallel: {
    kind: 'value',
    group: 'Target:',
    placeholder: 'N',
    complain: (text) =>
      /^[1-9]\d*$/.test(text) && Number(text) <= MOST_PARALLEL
        ? undefined
        : `must be a number from 1 to ${MOST_PARALLEL}`,
    summary: `Number of targets to scan at the same time (default: ${PARALLEL})`,
  },
  'fail-fast': {
    kind: 'flag',
    group: 'Target:',
    summary: 'Start no further target after one fails the gate or is unreachable',
  },
  'offline-as': {
    kind: 'text',
    group: 'Target:',
    placeholder: 'VERDICT',
    choices: ['error', 'not-applicable'],
    default: 'error',
    summary: 'Verdict for checks that need a running system',
  },
} as const satisfies OptionSpecs

type TargetsFlags = OptionsOf<typeof TARGETS_OPTIONS>

/** Several targets, or an inventory, with its warnings. */
interface SeveralTargets {
  readonly targets: readonly [ChosenTarget, ...ChosenTarget[]]
  readonly warnings: readonly Problem[]
}

/**
 * Targets of a command with several targets or an inventory; undefined otherwise. Throws an `OperatorError` for wrong
 * usage, an invalid inventory, or an unmatched selection.
 */
export async function chosenTargets(
  { target: texts, targets: file, on: selectors }: TargetsFlags,
  command: string,
): Promise<SeveralTargets | undefined> {
  if (file !== undefined) {
    if (texts.length > 0)
      throw usageError('--targets and --target are mutually exclusive: add the target to the inventory', command)
    const { targetsOfInventory } = await import('./inventory.ts')
    return targetsOfInventory(file, selectors)
  }
  if (selectors.length > 0) throw usageError('--on requires --targets', command)
  const twice = texts.find((text, index) => texts.indexOf(text) !== index)
  if (twice !== undefined) throw usageError(`--target ${twice} is named more than once`, command)
  const [first, ...others] = texts.map(namedTarget)
  return first === undefined || others.length === 0 ? undefined : { targets: [first, ...others], warnings: [] }
}

export function namedTarget(text: string): ChosenTarget {
  const position = { file: '--target', line: 1, column: 1 }
  return { name: text, spec: specOf(text), way: {}, labels: {}, data: [], position }
}

export function parallelOf({ parallel }: Pick<TargetsFlags, 'parallel'>): number {
  return parallel === undefined ? PARALLEL : Number(parallel)
}

/**
 * Sets the verdict for checks that need a running system: an error by default. A running target always evaluates them.
 */
export function offlineAs(target: Target, { 'offline-as': wanted }: Pick<TargetsFlags, 'offline-as'>): Target {
  return wanted === 'error' || target.kind === 'local' ? target : { ...target, offlineAs: wanted }
}
