import { isLeft, type PuttingBack, type UndoneItem } from './put-back.ts'
import { isSame, type Step, type UndoItem } from './step.ts'
import type { TakenBack } from './taken-back.ts'
import { wayOf } from './ways/index.ts'
import { describeStates } from '../../host/undo-handler.ts'

/**
 * Observes the restored items again after the last step of an undo: a later step, the kernel or systemd may have
 * changed them. Returns the final results.
 */
export async function recheckRestored(
  steps: readonly Step[],
  results: ReadonlyMap<string, TakenBack>,
  { keyOf, ...looking }: Pick<PuttingBack, 'target' | 'signal'> & { readonly keyOf: (owner: Step['owner']) => string },
): Promise<readonly TakenBack[]> {
  if (!steps.some(runsPrograms)) return [...results.values()]
  const checked = new Map(results)
  const isFirst = firstOfEach()
  for (const { owner, things } of steps) {
    for (const thing of things) {
      const result = checked.get(keyOf(owner))
      // The first step holds the state before the fix.
      if (!isFirst(thing) || result === undefined || looking.signal.aborted) continue
      const message = await changedAgain(thing, result, looking)
      if (message === undefined) continue
      const isIt = ({ kind, name: other }: UndoneItem): boolean => kind === thing.kind && other === thing.name
      const failed = (each: UndoneItem): UndoneItem => ({ ...each, outcome: 'failed', message })
      checked.set(keyOf(owner), {
        ...result,
        things: result.things.map((each) => (isIt(each) ? failed(each) : each)),
      })
    }
  }
  return [...checked.values()]
}

const FILES: ReadonlySet<string> = new Set(['path', 'attributes', 'records'])

/** True for the first item that concerns an object: a file, its parents and children, its attributes. */
function firstOfEach(): (thing: UndoItem) => boolean {
  const others = new Set<string>()
  const files = new Set<string>()
  const above = new Set<string>()
  return (thing) => {
    const { kind, name } = thing
    if (!isFile(thing)) {
      const key = JSON.stringify([kind, name])
      return !others.has(key) && others.add(key).has(key)
    }
    const folders = [...name.matchAll(/(?<=.)\//g)].map(({ index }) => name.slice(0, index))
    const isFirst = !files.has(name) && !above.has(name) && !folders.some((folder) => files.has(folder))
    files.add(name)
    for (const folder of folders) above.add(folder)
    return isFirst
  }
}

function isFile({ kind }: Pick<UndoItem, 'kind'>): boolean {
  return FILES.has(kind)
}

/** True if undoing a step runs a program or changes kernel state; restoring files has no side effects. */
function runsPrograms({ back, again, things }: Step): boolean {
  return back !== undefined || again !== undefined || !things.every(isFile)
}

async function changedAgain(
  { kind, name, before }: UndoItem,
  { things }: TakenBack,
  { target, signal }: Pick<PuttingBack, 'target' | 'signal'>,
): Promise<string | undefined> {
  const way = await wayOf(kind)
  const undone = things.find((each) => each.kind === kind && each.name === name)
  // A shared file need not be restored as a whole, and unrestored items were already reported.
  if (way.merges === true || undone === undefined || isLeft(undone)) return undefined
  const now = await way.look(target, name, signal)
  if (now.kind === 'unknown') return `can no longer be observed: ${now.detail}`
  if (isSame(withoutLinks(before), withoutLinks(now.value))) return undefined
  const [is, was] = describeStates(way, [now.value, before])
  return `changed again by a later step of the undo: it is ${is}, expected ${was}`
}

/** Later removals of hard links change the recorded names of a file. */
function withoutLinks(state: unknown): unknown {
  return typeof state === 'object' && state !== null ? { ...state, names: undefined } : state
}
