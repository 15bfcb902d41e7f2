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

/** Which resources are taken back, by their ids; all where it is absent. */
export type Chosen = ReadonlySet<string> | undefined

/**
 * Takes back the steps of a fix, the last first, and then runs again what makes files effective. What cannot be taken back does not keep
 * the rest from it.
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
  // In the order of the fix: what reads the unit files comes before what restarts units.
  const isAnythingBack = [...results.values()].some(isBack)
  for (const step of isAnythingBack ? [...again.values()].toReversed() : []) {
    const key = keyOf(step.owner)
    const result = results.get(key)
    if (result !== undefined && step.again !== undefined) results.set(key, await runAgain(step.again, result, putting))
  }
  return recheckRestored(wanted, results, { keyOf, ...putting })
}

/**
 * What a resource has done to one path several times, as staging and checking a file does, is taken back at once: what was there at
 * first takes the place of what is there at last.
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

/** Removes what a fix that was ended by a power failure has left beside its files: nothing else may know of it. */
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
      // What cannot be removed now is no hindrance, and the next fix of something in the directory tries again.
      if (errorCode(error) === undefined) throw error
    } finally {
      opened.directory.close()
    }
  }
}

/** What tells the resources of a journal apart. */
export function keyOf({ policy, path = [], id }: StepOwner): string {
  return JSON.stringify([policy, path, id])
}

async function takeStepBack(step: Step, result: TakenBack, putting: PuttingBack): Promise<TakenBack> {
  const things: UndoneItem[] = []
  for (const thing of step.things.toReversed()) things.push(await putBack(thing, step, putting))
  const sum = { ...result, things: things.reduce(joined, result.things) }
  // What was announced and not done is seen by what it was to change; of a command nothing is.
  const isUntouched = !step.isOver && things.length > 0 && things.every(({ outcome }) => outcome === 'as-before')
  if (step.lost !== undefined && !isUntouched) return { ...sum, byHand: [...sum.byHand, lostOf(step, step.lost)] }
  if (step.back === undefined || isUntouched) return sum
  const lost = `what ${step.back.argv[0]} took back`
  const failure = await run(step.back, { owner: step.owner, intent: { lost } }, putting)
  if (failure !== undefined) return { ...sum, byHand: [...sum.byHand, failure] }
  return { ...sum, commands: [...sum.commands, step.back.argv.join(' ')] }
}

function lostOf({ isOver }: Step, lost: string): string {
  return `cannot be taken back: ${lost}${isOver ? '' : ' (the fix was ended before it was over, so it may not have run)'}`
}

/** Several steps may have changed one thing: what it was found as, and what it came to be at last. */
export function joined(things: readonly UndoneItem[], next: UndoneItem): readonly UndoneItem[] {
  const earlier = things.find(({ kind, name }) => kind === next.kind && name === next.name)
  if (earlier === undefined) return [...things, next]
  const { found, after } = earlier
  const isRestored = earlier.outcome === 'restored' && next.outcome === 'as-before'
  const sum = { ...next, ...(isRestored && { outcome: 'restored' as const }), ...defined({ found, after }) }
  return things.map((each) => (each === earlier ? sum : each))
}

async function runAgain(command: StoredCommand, result: TakenBack, putting: PuttingBack): Promise<TakenBack> {
  const failure = await run(command, { owner: result.owner, intent: { again: command } }, putting)
  return failure === undefined ? result : { ...result, warnings: [...result.warnings, failure] }
}

/** Runs a command to its end; why it did not do what it should, if so. */
async function run(
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
