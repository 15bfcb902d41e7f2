import { dirname } from 'node:path'
import { defined } from '../../model/defined.ts'
import type { CommandOutcome, StoredCommand } from '../../host/command.ts'
import { openDirectory } from '../../host/live/open-directory.ts'
import type { Site } from '../../host/live/site.ts'
import { errorCode } from '../../host/live/system-error.ts'
import type { WrittenJournal } from './read-journal.ts'
import { putBack, type PuttingBack, type UndoneItem } from './put-back.ts'
import { recheckRestored } from './recheck.ts'
import type { Intent } from '../../host/keeping.ts'
import type { Step, StepOwner, UndoItem } from './step.ts'
import { countUndone, emptyResult, isBack, type TakenBack } from './taken-back.ts'

/** Ids of the resources to undo; undefined for all. */
export type Chosen = ReadonlySet<string> | undefined

/**
 * Undoes the steps of a fix in reverse order, then runs the activation commands again. A failed step does not stop the
 * others.
 */
export async function takeBack(
  { steps, isWhole }: WrittenJournal,
  chosen: Chosen,
  putting: PuttingBack,
): Promise<readonly TakenBack[]> {
  const results = new Map<string, TakenBack>()
  const again = new Map<string, Step>()
  const wanted = steps.filter(({ owner }) => chosen?.has(owner.id) !== false)
  if (!isWhole) await sweepBeside(wanted, putting.site)
  for (const step of joinedChanges(wanted).toReversed()) {
    if (putting.signal.aborted) break
    const key = keyOf(step.owner)
    const result = results.get(key) ?? emptyResult(step.owner)
    const next = await takeStepBack(step, result, putting)
    results.set(key, next)
    const isNeeded = step.unlessBack !== true || countUndone(next) > countUndone(result)
    if (step.again !== undefined && isNeeded) again.set(JSON.stringify(step.again.argv), step)
  }
  // In the order of the fix: reloading unit files precedes restarting units.
  const isAnythingBack = [...results.values()].some(isBack)
  for (const step of isAnythingBack ? [...again.values()].toReversed() : []) {
    const key = keyOf(step.owner)
    const result = results.get(key)
    if (result !== undefined && step.again !== undefined) results.set(key, await runAgain(step.again, result, putting))
  }
  return recheckRestored(wanted, results, { keyOf, ...putting })
}

/**
 * Joins changes of one resource to the same path, such as staging and checking a file, so that the first state replaces
 * the last one at once.
 */
export function joinedChanges(steps: readonly Step[]): readonly Step[] {
  const last = new Map<string, number>()
  const first = new Map<string, UndoItem>()
  const each = (use: (key: string, thing: UndoItem, number: number) => void): void => {
    for (const { owner, things, number } of steps) {
      for (const thing of things) if (thing.kind === 'path') use(`${keyOf(owner)} ${thing.name}`, thing, number)
    }
  }
  each((key, thing, number) => {
    last.set(key, number)
    if (!first.has(key)) first.set(key, thing)
  })
  return steps.map((step) => ({
    ...step,
    things: step.things.flatMap((thing) => {
      const key = `${keyOf(step.owner)} ${thing.name}`
      const earliest = thing.kind === 'path' ? first.get(key) : undefined
      if (earliest === undefined) return [thing]
      if (last.get(key) !== step.number) return []
      const { before, kept } = earliest
      const { kind, name, after, inPlace } = thing
      return [{ kind, name, before, ...defined({ after, kept, inPlace }) }]
    }),
  }))
}

/** Removes temporary files that a fix left next to its files in a power failure. */
async function sweepBeside(steps: readonly Step[], { root, journal }: Site): Promise<void> {
  const paths = steps.flatMap(({ things }) =>
    things.flatMap(({ kind, name }) => (kind === 'path' ? [dirname(name)] : [])),
  )
  for (const path of new Set(paths)) {
    const opened = openDirectory(path, { root })
    if (opened.kind !== 'open') continue
    try {
      await journal.beforeStaging?.(opened.directory, path)
    } catch (error) {
      // Not fatal: the next fix in the directory tries again.
      if (errorCode(error) === undefined) throw error
    } finally {
      opened.directory.close()
    }
  }
}

/** Unique key of a resource in a journal. */
export function keyOf({ policy, path = [], id }: StepOwner): string {
  return JSON.stringify([policy, path, id])
}

async function takeStepBack(step: Step, result: TakenBack, putting: PuttingBack): Promise<TakenBack> {
  const things: UndoneItem[] = []
  for (const thing of step.things.toReversed()) things.push(await putBack(thing, step, putting))
  const sum = { ...result, things: things.reduce(mergeUndone, result.things) }
  // Observing its items shows whether an unfinished step had an effect; for a command, nothing does.
  const isUntouched = !step.isOver && things.length > 0 && things.every(({ outcome }) => outcome === 'as-before')
  if (step.lost !== undefined && !isUntouched) return { ...sum, byHand: [...sum.byHand, lostOf(step, step.lost)] }
  if (step.back === undefined || isUntouched) return sum
  const lost = `undo by ${step.back.argv[0]}`
  const failure = await runUndoCommand(step.back, { owner: step.owner, intent: { lost } }, putting)
  if (failure !== undefined) return { ...sum, byHand: [...sum.byHand, failure] }
  return { ...sum, commands: [...sum.commands, step.back.argv.join(' ')] }
}

function lostOf({ isOver }: Step, lost: string): string {
  return `cannot be undone: ${lost}${isOver ? '' : ' (the fix was interrupted, so it may not have run)'}`
}

/** Merges the outcomes of several steps for one item: its first found state and its last outcome. */
export function mergeUndone(things: readonly UndoneItem[], next: UndoneItem): readonly UndoneItem[] {
  const earlier = things.find(({ kind, name }) => kind === next.kind && name === next.name)
  if (earlier === undefined) return [...things, next]
  const { found, after } = earlier
  const isRestored = earlier.outcome === 'restored' && next.outcome === 'as-before'
  const sum = { ...next, ...(isRestored && { outcome: 'restored' as const }), ...defined({ found, after }) }
  return things.map((each) => (each === earlier ? sum : each))
}

async function runAgain(command: StoredCommand, result: TakenBack, putting: PuttingBack): Promise<TakenBack> {
  const failure = await runUndoCommand(command, { owner: result.owner, intent: { again: command } }, putting)
  return failure === undefined ? result : { ...result, warnings: [...result.warnings, failure] }
}

/** Runs a command to completion; returns the reason of a failure. */
async function runUndoCommand(
  command: StoredCommand,
  { owner, intent }: { readonly owner: StepOwner; readonly intent: Intent },
  { recorder, remediator, signal }: PuttingBack,
): Promise<string | undefined> {
  const outcome = await recorder.perform<CommandOutcome>(owner, intent, () => remediator.run({ ...command, signal }))
  const called = command.argv.join(' ')
  switch (outcome.kind) {
    case 'failed':
    case 'not-started':
      return `${called}: ${outcome.message}`
    case 'killed':
      return `${called}: ${outcome.reason}`
    case 'exited': {
      const { exitCode, output } = outcome
      return exitCode === 0 ? undefined : `${called} ended with ${exitCode}: ${output.trim()}`
    }
  }
}
