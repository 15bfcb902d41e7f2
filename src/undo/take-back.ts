import { defined } from '../core/defined.ts'
import type { Drift } from '../core/drift.ts'
import type { CommandOutcome, StoredCommand } from '../target/command.ts'
import type { WrittenJournal } from './read-journal.ts'
import { type PutBack, putBack, type PuttingBack } from './put-back.ts'
import { recheckRestored } from './recheck.ts'
import type { Intent } from './recorder.ts'
import type { Step, StepOwner, Thing } from './step.ts'

/** What taking back came to for one resource. */
export interface TakenBack {
  readonly owner: StepOwner
  /** What was put back. */
  readonly back: readonly Drift[]
  /** What was not, although it is not as it was before. */
  readonly left: readonly Drift[]
  /** Why something was not taken back; none where everything was. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** Which resources are taken back, by their ids; all where it is absent. */
export type Chosen = ReadonlySet<string> | undefined

/**
 * Takes back the steps of a fix, the last first, and then runs again what makes files effective. What cannot be taken back does not keep
 * the rest from it.
 */
export async function takeBack(
  { steps }: WrittenJournal,
  chosen: Chosen,
  putting: PuttingBack,
): Promise<readonly TakenBack[]> {
  const results = new Map<string, TakenBack>()
  const again = new Map<string, Step>()
  const wanted = steps.filter(({ owner }) => chosen?.has(owner.id) !== false)
  for (const step of joinedChanges(wanted).toReversed()) {
    if (putting.signal.aborted) break
    const key = keyOf(step.owner)
    const result = results.get(key) ?? { owner: step.owner, back: [], left: [], problems: [], warnings: [] }
    const next = await takeStepBack(step, result, putting)
    results.set(key, next)
    const isNeeded = step.unlessBack !== true || next.problems.length > result.problems.length
    if (step.again !== undefined && isNeeded) again.set(JSON.stringify(step.again.argv), step)
  }
  // In the order of the fix: what reads the unit files comes before what restarts units.
  const isAnythingBack = [...results.values()].some(({ back }) => back.length > 0)
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
function joinedChanges(steps: readonly Step[]): readonly Step[] {
  const last = new Map<string, number>()
  const first = new Map<string, Thing>()
  const each = (use: (key: string, thing: Thing, number: number) => void): void => {
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
      const { kind, name, after } = thing
      return [{ kind, name, before, ...defined({ after, kept }) }]
    }),
  }))
}

function keyOf({ policy, path = [], id }: StepOwner): string {
  return JSON.stringify([policy, path, id])
}

async function takeStepBack(step: Step, result: TakenBack, putting: PuttingBack): Promise<TakenBack> {
  let sum = result
  for (const thing of step.things.toReversed()) sum = withOutcome(sum, thing.name, await putBack(thing, step, putting))
  if (step.lost !== undefined) sum = { ...sum, problems: [...sum.problems, `cannot be taken back: ${step.lost}`] }
  if (step.back === undefined) return sum
  const lost = `what ${step.back.argv[0]} took back`
  const failure = await run(step.back, { owner: step.owner, intent: { lost } }, putting)
  if (failure !== undefined) return { ...sum, problems: [...sum.problems, failure] }
  const difference = { property: 'run', desired: 'taken back', observed: step.back.argv.join(' ') }
  return { ...sum, back: [...sum.back, difference] }
}

function withOutcome(result: TakenBack, name: string, outcome: PutBack): TakenBack {
  switch (outcome.kind) {
    case 'as-before':
      return result
    case 'back':
      return { ...result, back: joined(result.back, outcome.difference) }
    case 'refused':
      return {
        ...result,
        problems: [...result.problems, `${name}: ${outcome.message}`],
        left: outcome.difference === undefined ? result.left : joined(result.left, outcome.difference),
      }
  }
}

/** Several steps may have changed one thing: what it was at first, and what it came to be. */
function joined(differences: readonly Drift[], next: Drift): readonly Drift[] {
  const earlier = differences.find(({ property }) => property === next.property)
  if (earlier === undefined) return [...differences, next]
  return differences.map((each) => (each === earlier ? { ...each, desired: next.desired } : each))
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
