import { countOf } from '../core/count-of.ts'
import { defined } from '../core/defined.ts'
import { decideExit, summarize } from '../core/gate.ts'
import type { PolicyResult, ResourceResult, Run } from '../core/run.ts'
import { type Machine, THIS_MACHINE } from '../target/local/machine.ts'
import type { FixLock } from '../target/local/fix-lock.ts'
import { whyAnother } from '../target/local/rooted/identity.ts'
import { createBarrier } from '../undo/barrier.ts'
import { journalsIn } from '../undo/journal.ts'
import { openKeeping } from '../undo/keeping.ts'
import type { WrittenJournal } from '../undo/read-journal.ts'
import { type TakenBack, takeBack } from '../undo/take-back.ts'
import { withFixLock } from './local-lock.ts'
import { notPerformed, startClock } from './run.ts'

/** How a fix is taken back. */
export interface UndoOptions {
  /** The ids of the resources that are taken back; all where it is absent. */
  readonly only?: ReadonlySet<string>
  /** Whether what somebody has changed since the fix is put back all the same. */
  readonly force?: boolean
  /** How long to wait for another fix to end, in milliseconds; some seconds where it is absent. */
  readonly waitMs?: number
  readonly signal?: AbortSignal
}

/**
 * Takes a fix back, on this machine or below the root directory that it was one of. Resolves to a run like that of any other fix: `fixed` is what is as it was before, `fix-failed`
 * what is not. It keeps what it replaces, so it can be taken back itself.
 */
export async function undo(journal: WrittenJournal, options: UndoOptions = {}): Promise<Run> {
  const { only, force = false, waitMs, signal = new AbortController().signal } = options
  const found = await machineOf(journal)
  if (typeof found === 'string') return refusedUndo(found)
  const machine = found
  const target = machine.openTarget()
  const clock = startClock(target, 'fix')
  const work = async (lock: FixLock): Promise<readonly TakenBack[]> => {
    const barrier = createBarrier()
    const keeping = openKeeping({
      machine,
      barrier,
      directory: journalsIn(lock.directory),
      start: clock.start,
      policies: journal.head.policies,
      undoes: journal.head.run,
      signal,
    })
    try {
      const remediator = machine.openRemediator({ ...lock.journal, beforeReplacing: barrier.pass })
      const { recorder } = keeping
      const { directory } = journal
      return await takeBack(journal, only, {
        target,
        remediator,
        recorder,
        directory,
        site: { root: machine.root, journal: lock.journal },
        force,
        signal,
      })
    } finally {
      keeping.close()
    }
  }
  const outcome = await withFixLock(machine, work, waitMs)
  if (outcome.kind === 'refused') return notPerformed(target, 'fix', [{ message: outcome.message, severity: 'error' }])
  const resources = outcome.value.map(resultOf)
  const { run, startedAt, root } = journal.head
  return {
    ...clock.stop(signal.aborted),
    policies: policiesOf(journal, outcome.value, resources),
    summary: summarize(resources),
    exit: decideExit({
      results: resources,
      failOn: 'info',
      mode: 'fix',
      ...(signal.aborted && { interruptedBy: 'SIGINT' }),
    }),
    notes: [`this took back the fix ${run} of ${startedAt}${root === undefined ? '' : ` below ${root.path}`}`],
  }
}

function refusedUndo(message: string): Run {
  return notPerformed(THIS_MACHINE.openTarget(), 'fix', [{ message, severity: 'error' }])
}

/** What was fixed, if it is still there; a sentence says why not. */
async function machineOf({ head: { root, run }, steps }: WrittenJournal): Promise<Machine | string> {
  if (root === undefined) return THIS_MACHINE
  const { openRootedMachine } = await import('../target/local/rooted/rooted-machine.ts')
  const opened = openRootedMachine(root.path)
  if (opened.kind === 'refused') return `the fix ${run} was one below ${root.path}: ${opened.message}`
  const { below } = opened.machine
  // What the fix has changed itself tells nothing.
  const isOwnChange = steps.some(({ things }) => things.some(({ name }) => MACHINE_IDS.includes(name)))
  const is = isOwnChange && below !== undefined ? { ...below, ...defined({ machineId: root.machineId }) } : below
  const another = is === undefined ? undefined : whyAnother(root, is)
  return another === undefined ? opened.machine : `the fix ${run} is not taken back: ${root.path} ${another}`
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

function resultOf({ owner, back, left, problems, warnings }: TakenBack): ResourceResult {
  const { policy: _, ...identity } = owner
  const [first] = problems
  const more = warnings.length === 0 ? {} : { warnings }
  const base = { ...identity, drift: [...back, ...left], controls: [], durationMs: 0, ...more }
  if (first !== undefined) {
    const message = problems.join('; ')
    const failed = { ...base, verdict: 'fix-failed', change: 'cannot', message, actions: [] } as const
    // Where differences are listed, reports show the reason beside them in place of the message.
    return left.length === 0 ? failed : { ...failed, changeReason: message, remaining: left }
  }
  if (back.length === 0)
    return { ...base, verdict: 'compliant', actions: [], message: 'it is as it was before the fix' }
  return { ...base, verdict: 'fixed', actions: [`Put back ${countOf(back.length, 'thing')}`] }
}
