import type { Drift } from '../core/drift.ts'
import { isSame, type PuttingBack } from './put-back.ts'
import type { Step, Thing } from './step.ts'
import type { TakenBack } from './take-back.ts'
import { type ThingKind, wayOf } from './ways/index.ts'

/**
 * Observes again, after the last step of an undo, what its earlier steps have restored: a later one, the kernel or systemd may have
 * changed it again. Gives the results as they are at the end.
 */
export async function recheckRestored(
  steps: readonly Step[],
  results: ReadonlyMap<string, TakenBack>,
  {
    keyOf,
    target,
    signal,
  }: Pick<PuttingBack, 'target' | 'signal'> & { readonly keyOf: (owner: Step['owner']) => string },
): Promise<readonly TakenBack[]> {
  if (!steps.some(runsPrograms)) return [...results.values()]
  const checked = new Map(results)
  const seen = new Set<string>()
  for (const { owner, things } of steps) {
    for (const thing of things) {
      const name = JSON.stringify([thing.kind, thing.name])
      const result = checked.get(keyOf(owner))
      // What the first step found is what was there before the fix.
      if (seen.has(name) || result === undefined || signal.aborted) continue
      seen.add(name)
      const difference = await changedAgain(thing, result, { target, signal })
      if (difference === undefined) continue
      const problem = `${thing.name}: changed again by a later step of the undo, it is ${difference.observed} and not ${difference.desired}`
      checked.set(keyOf(owner), {
        ...result,
        back: result.back.filter(({ property }) => property !== difference.property),
        left: [...result.left, difference],
        problems: [...result.problems, problem],
      })
    }
  }
  return [...checked.values()]
}

const FILES: ReadonlySet<ThingKind> = new Set(['path', 'attributes', 'records'])

/** Whether undoing a step runs a program or tells the kernel something; restoring files changes nothing but them. */
function runsPrograms({ back, again, things }: Step): boolean {
  return back !== undefined || again !== undefined || things.some(({ kind }) => !FILES.has(kind))
}

async function changedAgain(
  { kind, name, before }: Thing,
  { problems }: TakenBack,
  { target, signal }: Pick<PuttingBack, 'target' | 'signal'>,
): Promise<(Drift & { readonly desired: string; readonly observed: string }) | undefined> {
  const way = wayOf(kind)
  const property = kind === 'path' ? name : `${name} (${kind})`
  // What holds records of others need not be as it was as a whole, and what was not restored has said so.
  if (way.merges === true || problems.some((each) => each.startsWith(`${name}: `))) return undefined
  const now = await way.look(target, name, signal)
  if (now.kind === 'unknown') return { property, desired: way.describe(before), observed: now.detail }
  if (isSame(before, now.value)) return undefined
  return { property, desired: way.describe(before), observed: way.describe(now.value) }
}
