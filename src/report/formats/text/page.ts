import { columnsOf } from '../../../model/columns.ts'
import type { WaiverRecord } from '../../../model/waiver.ts'
import type { Channel } from '../../words/rows.ts'

/** The channel of a text report, with its width and what the whole report has in common. */
export interface Page extends Channel {
  /** Breaks lines between words where they are wider than the page. */
  readonly fit: (lines: readonly string[], hanging: number) => readonly string[]
  readonly width: number | undefined
  /** The waivers of the run, which tell how long they last. */
  readonly waivers: readonly WaiverRecord[] | undefined
  readonly verbose: boolean
}

/** What is left of the width beside a margin. */
export function narrowed({ width }: Pick<Page, 'width'>, margin: number): number | undefined {
  return width === undefined ? undefined : Math.max(width - margin, 1)
}

/** The spaces that a text lacks to be that wide. */
export function pad(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - columnsOf(text)))
}

/**
 * The first items that together take no more lines than there are, and how many they take; always at least the first. The
 * order is kept: nothing stands in a report whose better-placed neighbour was left out for want of room.
 */
export function takeWithin<T>(
  items: readonly T[],
  linesOf: (item: T) => number,
  room: number,
): { readonly taken: ReadonlySet<T>; readonly lines: number } {
  const taken = new Set<T>()
  let lines = 0
  for (const item of items) {
    const more = linesOf(item)
    if (lines + more > room && taken.size > 0) break
    lines += more
    taken.add(item)
  }
  return { taken, lines }
}
