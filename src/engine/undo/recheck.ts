import { isLeft, type PuttingBack, type UndoneItem } from './put-back.ts'
import { isSame, type Step, type UndoItem } from './step.ts'
import type { TakenBack } from './taken-back.ts'
import { wayOf } from './ways/index.ts'
import { describeStates } from '../../host/undo-handler.ts'

/**
 * Observes again, after the last step of an undo, what its earlier steps have restored: a later one, the kernel or systemd may have
 * changed it again. Gives the results as they are at the end.
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
      // What the first step found is what was there before the fix.
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

/** Says of each thing whether none before it concerned the same: a file, what lies above or below it, its attributes. */
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

/** Whether undoing a step runs a program or tells the kernel something; restoring files changes nothing but them. */
function runsPrograms({ back, again, things }: Step): boolean {
  return back !== undefined || again !== undefined || !things.every(isFile)
}

async function changedAgain(
  { kind, name, before }: UndoItem,
  { things }: TakenBack,
  { target, signal }: Pick<PuttingBack, 'target' | 'signal'>,
): Promise<string | undefined> {
  const way = wayOf(kind)
  const undone = things.find((each) => each.kind === kind && each.name === name)
  // What holds records of others need not be as it was as a whole, and what was not restored has said so.
  if (way.merges === true || undone === undefined || isLeft(undone)) return undefined
  const now = await way.look(target, name, signal)
  if (now.kind === 'unknown') return `cannot be looked at any more: ${now.detail}`
  if (isSame(withoutLinks(before), withoutLinks(now.value))) return undefined
  const [is, was] = describeStates(way, [now.value, before])
  return `changed again by a later step of the undo, it is ${is} and not ${was}`
}

/** A file whose other names went before it had fewer of them when it was looked at. */
function withoutLinks(state: unknown): unknown {
  return typeof state === 'object' && state !== null ? { ...state, names: undefined } : state
}
