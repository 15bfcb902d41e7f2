import { columnsOf } from '../../model/columns.ts'
import { escapeForTerminal } from '../../model/escape.ts'
import type { Progress } from '../../engine/progress.ts'
import type { DownloadProgress } from '../../host/http/progress.ts'
import type { Screen } from '../output/io.ts'

/** Shorter runs show nothing: a line that flashes by says nothing either. */
const FIRST_SHOWN_AFTER_MS = 500
const REDRAWN_AFTER_MS = 100

const START_OF_LINE = '\r'
const CLEAR_LINE = '\r\u001b[K'

/** One line on a terminal that tells how far a run has come. */
export interface ProgressLine {
  readonly update: (progress: Progress) => void
  /** Tells beside the current resource how far its download has come. */
  readonly download: (progress: DownloadProgress) => void
  /** Makes room for something that is written in its place; the line comes back after that. */
  readonly stepAside: () => void
  /** Removes the line. It stays away after that. */
  readonly finish: () => void
}

const NO_LINE: Line = {
  draw: () => undefined,
  stepAside: () => undefined,
  finish: () => undefined,
}

/** A progress line on a screen; without a screen it does nothing. `now` tells milliseconds. */
export function startProgress(screen: Screen | undefined, now: () => number = () => performance.now()): ProgressLine {
  let latest: Progress | undefined
  let download: DownloadProgress | undefined
  const compose = (columns: number): string | undefined => latest && formatProgress(latest, columns, download)
  const line = startLine(screen, compose, now)
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

/** A line on a terminal that is drawn anew from time to time. */
export interface Line {
  /** To be called when what it says may be something else. */
  readonly draw: () => void
  /** Makes room for something that is written in its place; the line comes back after that. */
  readonly stepAside: () => void
  /** Removes the line. It stays away after that. */
  readonly finish: () => void
}

/** A line that says what `compose` gives for a width, nothing as long as that is undefined; without a screen it does nothing. */
export function startLine(
  screen: Screen | undefined,
  compose: (columns: number) => string | undefined,
  now: () => number = () => performance.now(),
): Line {
  if (screen === undefined) return NO_LINE
  let nextDraw = now() + FIRST_SHOWN_AFTER_MS
  let isShown = false
  const draw = (): void => {
    if (now() < nextDraw) return
    const text = compose(screen.columns())
    if (text === undefined) return
    nextDraw = now() + REDRAWN_AFTER_MS
    isShown = true
    screen.write(`${START_OF_LINE}${text}\u001b[K`)
  }
  const clear = (): void => {
    if (isShown) screen.write(CLEAR_LINE)
    isShown = false
  }
  // A resource that takes long must not keep the line from appearing.
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

/** The line for a progress, at most `columns - 1` wide, so that no terminal wraps it. */
export function formatProgress(
  { done, total, drifted, current }: Progress,
  columns: number,
  download?: DownloadProgress,
): string {
  const received = download === undefined ? '' : `${formatDownload(download)}, `
  return fitLine(`${done}/${total} resources, ${drifted} drifted, ${received}${escapeForTerminal(current)}`, columns)
}

/** A line that no terminal of that width wraps: at most `columns - 1` wide. */
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

/** `12.3 of 40.0 MB at 1.2 MB/s`; megabytes are millions of bytes. */
function formatDownload({ receivedBytes, totalBytes, bytesPerSecond }: DownloadProgress): string {
  const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1)
  const total = totalBytes === undefined ? '' : ` of ${megabytes(totalBytes)}`
  return `${megabytes(receivedBytes)}${total} MB at ${megabytes(bytesPerSecond)} MB/s`
}
