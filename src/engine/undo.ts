import { join } from 'node:path'
import { countOf } from '../model/count-of.ts'
import { defined } from '../model/defined.ts'
import { OperatorError } from '../model/operator-error.ts'
import { decideExit, interruptionOf, summarize } from '../model/gate.ts'
import type { Drift } from '../model/drift.ts'
import type { Problem } from '../model/problem.ts'
import type { PolicyResult, ResourceResult, Run, RunStart } from '../model/run.ts'
import { type Machine, THIS_MACHINE } from '../host/live/machine.ts'
import type { FixLock } from '../host/live/fix-lock.ts'
import type { Target } from '../host/target.ts'
import { whyAnother } from '../host/root/identity.ts'
import { listDeadlines } from './rescue/deadline.ts'
import { createBarrier } from './undo/barrier.ts'
import { journalsIn } from './undo/journal.ts'
import { readAllJournals } from './undo/journals.ts'
import { openKeeping } from './undo/keeping.ts'
import { leftOf, nextSequence, noteLastFix } from './undo/last-fix.ts'
import { ownStatesOf } from './undo/own-states.ts'
import { pendingChanges } from './undo/pending.ts'
import { previewUndo } from './undo/preview.ts'
import { isLeft, type UndoneItem } from './undo/put-back.ts'
import type { WrittenJournal } from './undo/read-journal.ts'
import { takeBack } from './undo/take-back.ts'
import { countUndone, type TakenBack } from './undo/taken-back.ts'
import { withFixLock } from './local-lock.ts'
import { notPerformed, startClock } from './run.ts'

export interface UndoOptions {
  /** Ids of the resources to undo; default: all. */
  readonly only?: ReadonlySet<string>
  /** Overwrite later changes. */
  readonly force?: boolean
  /** Time to wait for another fix to end, in milliseconds; default: some seconds. */
  readonly waitMs?: number
  /** Directory of journals and the fix lock; default: that of the current user. */
  readonly stateDirectory?: string
  readonly signal?: AbortSignal
}

export interface UndoOutcome {
  /** The run for reports and the exit code, as in a fix. */
  readonly run: Run
  /** Outcome of each item, by resource; empty if nothing was attempted. */
  readonly taken: readonly TakenBack[]
}

/**
 * Undoes a fix on this machine or below its root directory. Resolves to a run like that of a fix: `fixed` means
 * restored, `fix-failed` not restored. Replaced state is backed up, so the undo can itself be undone.
 */
export async function undo(journal: WrittenJournal, options: UndoOptions = {}): Promise<UndoOutcome> {
  const { only, force = false, waitMs, stateDirectory, signal = new AbortController().signal } = options
  const found = await machineOf(journal)
  if (typeof found === 'string') return { run: refusedUndo(found), taken: [] }
  const machine = found
  const target = machine.openTarget()
  const clock = startClock(target, 'fix')
  const work = (lock: FixLock): Promise<Taken> =>
    takeBackLocked(journal, lock, { machine, target, start: clock.start, only, force, signal })
  const outcome = await withFixLock(machine, work, { waitMs, stateDirectory })
  if (outcome.kind === 'refused') {
    return { run: notPerformed(target, 'fix', [{ message: outcome.message, severity: 'error' }]), taken: [] }
  }
  const { taken, problems } = outcome.value
  const resources = taken.map(resultOf)
  const { run, startedAt, root } = journal.head
  const result: Run = {
    ...clock.stop(signal.aborted),
    policies: policiesOf(journal, taken, resources),
    summary: summarize(resources),
    exit: decideExit({
      results: resources,
      failOn: 'info',
      mode: 'fix',
      ...defined({ interruption: interruptionOf(signal) }),
    }),
    notes: [`this undid fix ${run} of ${startedAt}${root === undefined ? '' : ` below ${root.path}`}`],
    ...(problems.length > 0 && { problems }),
  }
  return { run: result, taken }
}

interface Taken {
  readonly taken: readonly TakenBack[]
  readonly problems: readonly Problem[]
}

interface Undoing {
  readonly only: ReadonlySet<string> | undefined
  readonly machine: Machine
  readonly target: Target
  readonly start: RunStart
  readonly force: boolean
  readonly signal: AbortSignal
}

/** Undoes the steps under the fix lock, with a backup of the replaced state. */
async function takeBackLocked(
  journal: WrittenJournal,
  lock: FixLock,
  { machine, target, start, only, force, signal }: Undoing,
): Promise<Taken> {
  const barrier = createBarrier()
  const sequence = nextSequence(lock.directory)
  const waiting = listDeadlines(lock.directory).map((deadline) => deadline.run)
  const keeping = openKeeping({
    machine,
    barrier,
    directory: journalsIn(lock.directory),
    start: start,
    sequence,
    pending: pendingChanges(lock.directory, waiting, journal.head.run),
    policies: journal.head.policies,
    undoes: journal.head.run,
    signal,
  })
  try {
    const remediator = machine.openRemediator({ ...lock.journal, beforeReplacing: barrier.pass })
    const { recorder } = keeping
    const { directory } = journal
    const taken = await takeBack(journal, only, {
      target,
      remediator,
      recorder,
      directory,
      site: { root: machine.root, journal: lock.journal },
      own: ownStatesOf(interruptedUndosOf(journal)),
      force,
      signal,
    })
    keeping.close()
    const unclosed = keeping.trouble()
    const run = start.run.id
    const left = leftOf(journalsIn(lock.directory), run)
    if (left === 'journal' || !signal.aborted) noteLastFix(lock.directory, { run, sequence, left })
    return { taken, problems: unclosed === undefined ? [] : [{ message: unclosed, severity: 'warning' }] }
  } finally {
    keeping.close()
  }
}

function refusedUndo(message: string): Run {
  return notPerformed(THIS_MACHINE.openTarget(), 'fix', [{ message, severity: 'error' }])
}

/** Previews an undo without changes. Throws an `OperatorError` if the fixed system is gone. */
export async function previewOf(
  journal: WrittenJournal,
  { only, force = false, signal = new AbortController().signal }: UndoOptions = {},
): Promise<readonly TakenBack[]> {
  const machine = await machineOf(journal)
  if (typeof machine === 'string') throw new OperatorError(machine)
  const own = ownStatesOf(interruptedUndosOf(journal))
  return previewUndo(journal, only, { target: machine.openTarget(), own, force, signal })
}

function interruptedUndosOf({ directory, head }: WrittenJournal): readonly WrittenJournal[] {
  const { journals } = readAllJournals([join(directory, '../..')])
  return journals.filter(({ head: { undoes }, isWhole }) => undoes === head.run && !isWhole)
}

/** The fixed machine, or a sentence why it is unavailable. */
async function machineOf({ head: { root, run }, steps }: WrittenJournal): Promise<Machine | string> {
  if (root === undefined) return THIS_MACHINE
  const { openRootedMachine } = await import('../host/root/rooted-machine.ts')
  const opened = openRootedMachine(root.path)
  if (opened.kind === 'refused') return `fix ${run} was made below ${root.path}: ${opened.message}`
  const { below } = opened.machine
  // A machine id that the fix itself changed does not identify the machine.
  const isOwnChange = steps.some(({ things }) => things.some(({ name }) => MACHINE_IDS.includes(name)))
  const is = isOwnChange && below !== undefined ? { ...below, ...defined({ machineId: root.machineId }) } : below
  const another = is === undefined ? undefined : whyAnother(root, is)
  return another === undefined ? opened.machine : `fix ${run} is not undone: ${root.path} ${another}`
}

const MACHINE_IDS = ['/etc/machine-id', '/var/lib/dbus/machine-id']

function policiesOf(
  { head }: WrittenJournal,
  taken: readonly TakenBack[],
  resources: readonly ResourceResult[],
): readonly PolicyResult[] {
  return head.policies
    .map((policy) => ({
      ...policy,
      resources: resources.filter((_, index) => taken[index]?.owner.policy === policy.id),
      controls: [],
    }))
    .filter(({ resources: own }) => own.length > 0)
}

function resultOf(taken: TakenBack): ResourceResult {
  const { owner, things, commands, byHand, warnings } = taken
  const { policy: _, ...identity } = owner
  const differing = things.filter(({ outcome, found }) => outcome !== 'as-before' && found !== undefined)
  const ran = commands.map((command) => ({ property: 'run', desired: 'undone', observed: command }))
  const left = differing.filter(isLeft).map(driftOf)
  const more = warnings.length === 0 ? {} : { warnings }
  const drift = [...differing.map(driftOf), ...ran]
  const base = { ...identity, drift, controls: [], durationMs: 0, ...more }
  if (countUndone(taken) > 0) {
    const message = [...things.filter(isLeft).map(problemOf), ...byHand].join('; ')
    const failed = { ...base, verdict: 'fix-failed', change: 'cannot', message, actions: [] } as const
    // If differences are listed, reports show this reason next to them instead of the message.
    return left.length === 0 ? failed : { ...failed, changeReason: message, remaining: left }
  }
  if (drift.length === 0)
    return { ...base, verdict: 'compliant', actions: [], message: 'it is in its state before the fix' }
  return { ...base, verdict: 'fixed', actions: [`Restored ${countOf(drift.length, 'item')}`] }
}

function driftOf({ kind, name, before, found }: UndoneItem): Drift {
  return { property: kind === 'path' ? name : `${name} (${kind})`, desired: before, observed: found ?? 'unknown' }
}

function problemOf({ name, outcome, message, before, after, found }: UndoneItem): string {
  if (outcome !== 'conflict' || after === undefined) return `${name}: ${message}`
  return `${name}: ${message}: it was ${before} before the fix, ${after} after it, and is ${found ?? 'unknown'} now`
}
