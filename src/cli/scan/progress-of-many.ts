import { escapeForTerminal } from '../../model/escape.ts'
import type { Progress } from '../../engine/progress.ts'
import type { Screen } from '../output/io.ts'
import { fitLine, startLine } from './progress.ts'

/** Progress line of a scan of several targets on a terminal. */
export interface ProgressOfMany {
  /** Updates the progress of a target. */
  readonly update: (name: string, progress: Progress) => void
  /** Marks a target as finished. */
  readonly end: (name: string) => void
  readonly stepAside: () => void
  /** Removes the line permanently. */
  readonly finish: () => void
}

/** Progress line for a number of targets; without a screen it does nothing. */
export function startProgressOfMany(screen: Screen | undefined, total: number): ProgressOfMany {
  const busy = new Map<string, Progress>()
  let done = 0
  const line = startLine(screen, (columns) => formatProgressOfMany({ done, total, busy }, columns))
  return {
    update(name, progress) {
      busy.set(name, progress)
      line.draw()
    },
    end(name) {
      busy.delete(name)
      done++
      line.draw()
    },
    stepAside: line.stepAside,
    finish: line.finish,
  }
}

interface State {
  readonly done: number
  readonly total: number
  readonly busy: ReadonlyMap<string, Progress>
}

/** Formats the line, at most `columns - 1` wide: `12/100 targets: web03 40/300, web04 12/300`. */
export function formatProgressOfMany({ done, total, busy }: State, columns: number): string {
  const each = [...busy].map(([name, progress]) => `${escapeForTerminal(name)} ${progress.done}/${progress.total}`)
  return fitLine(`${done}/${total} targets${each.length === 0 ? '' : `: ${each.join(', ')}`}`, columns)
}
