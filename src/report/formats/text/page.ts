import { columnsOf } from '../../../model/columns.ts'
import type { WaiverRecord } from '../../../model/waiver.ts'
import type { Channel } from '../../words/rows.ts'

/** The channel of a text report, with settings of the whole report. */
export interface Page extends Channel {
  /** Wraps lines wider than the page. */
  readonly fit: (lines: readonly string[], hanging: number) => readonly string[]
  readonly width: number | undefined
  /** The waivers of the run, for their remaining time. */
  readonly waivers: readonly WaiverRecord[] | undefined
  readonly verbose: boolean
  /** Whether resources are left out if they are many and their controls are listed. */
  readonly brief: boolean
}

export function narrowWidth({ width }: Pick<Page, 'width'>, margin: number): number | undefined {
  return width === undefined ? undefined : Math.max(width - margin, 1)
}

export function pad(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - columnsOf(text)))
}

/**
 * Takes items until the lines are used up, but always at least the first; returns their number of lines. Stops at the
 * first item that does not fit, so that no later item is preferred.
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
