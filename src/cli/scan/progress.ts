import { columnsOf } from '../../model/columns.ts'
import { escapeForTerminal } from '../../model/escape.ts'
import type { Progress } from '../../engine/progress.ts'
import type { DownloadProgress } from '../../host/http/progress.ts'
import type { Screen } from '../output/io.ts'

/** Delay before the first draw: a line that only flashes is useless. */
const FIRST_SHOWN_AFTER_MS = 500
const REDRAWN_AFTER_MS = 100

const START_OF_LINE = '\r'
const CLEAR_LINE = '\r\u001b[K'

/** Progress line of a run on a terminal. */
export interface ProgressLine {
  readonly update: (progress: Progress) => void
  /** Shows the download progress of the current resource. */
  readonly download: (progress: DownloadProgress) => void
  /** Clears the line for other output; it is redrawn afterwards. */
  readonly stepAside: () => void
  /** Removes the line permanently. */
  readonly finish: () => void
}

const NO_LINE: Line = {
  draw: () => undefined,
  stepAside: () => undefined,
  finish: () => undefined,
}

/** Progress line on a screen; without a screen it does nothing. */
export function startProgress(screen: Screen | undefined): ProgressLine {
  let latest: Progress | undefined
  let download: DownloadProgress | undefined
  const compose = (columns: number): string | undefined => latest && formatProgress(latest, columns, download)
  const line = startLine(screen, compose)
  return {
    update(progress) {
      latest = progress
      download = undefined
      line.draw()
    },
    download(progress) {
      download = progress
      line.draw()
    },
    stepAside: line.stepAside,
    finish: line.finish,
  }
}

/** A terminal line that is redrawn periodically. */
export interface Line {
  /** Call when the content may have changed. */
  readonly draw: () => void
  /** Clears the line for other output; it is redrawn afterwards. */
  readonly stepAside: () => void
  /** Removes the line permanently. */
  readonly finish: () => void
}

/**
 * A line with the result of `compose` for the terminal width, hidden while undefined; without a screen it does nothing.
 */
export function startLine(screen: Screen | undefined, compose: (columns: number) => string | undefined): Line {
  if (screen === undefined) return NO_LINE
  let nextDraw = performance.now() + FIRST_SHOWN_AFTER_MS
  let isShown = false
  const draw = (): void => {
    if (performance.now() < nextDraw) return
    const text = compose(screen.columns())
    if (text === undefined) return
    nextDraw = performance.now() + REDRAWN_AFTER_MS
    isShown = true
    screen.write(`${START_OF_LINE}${text}\u001b[K`)
  }
  const clear = (): void => {
    if (isShown) screen.write(CLEAR_LINE)
    isShown = false
  }
  // Draws the line also during a slow resource.
  const timer = setInterval(draw, REDRAWN_AFTER_MS).unref()
  return {
    draw,
    stepAside: clear,
    finish() {
      clearInterval(timer)
      nextDraw = Infinity
      clear()
    },
  }
}

/** Formats progress, at most `columns - 1` wide, so that terminals do not wrap it. */
export function formatProgress(
  { done, total, drifted, current }: Progress,
  columns: number,
  download?: DownloadProgress,
): string {
  const received = download === undefined ? '' : `${formatDownload(download)}, `
  return fitLine(`${done}/${total} resources, ${drifted} drifted, ${received}${escapeForTerminal(current)}`, columns)
}

/** Truncates a line to `columns - 1`, so that terminals do not wrap it. */
export function fitLine(line: string, columns: number): string {
  const room = columns - 1
  if (columnsOf(line) <= room) return line
  let short = ''
  for (const character of line) {
    if (columnsOf(short + character) > room - 1) return room < 1 ? '' : `${short}…`
    short += character
  }
  return short
}

/** `12.3 of 40.0 MB at 1.2 MB/s`, with 1 MB = 1,000,000 bytes. */
function formatDownload({ receivedBytes, totalBytes, bytesPerSecond }: DownloadProgress): string {
  const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1)
  const total = totalBytes === undefined ? '' : ` of ${megabytes(totalBytes)}`
  return `${megabytes(receivedBytes)}${total} MB at ${megabytes(bytesPerSecond)} MB/s`
}
