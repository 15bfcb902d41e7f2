import type { ResourceResult, Run, RunStart } from '../../model/run.ts'
import { withoutConfidential, withoutConfidentialDiffs } from '../../report/confidential.ts'
import type { ReportFormat, ReportStream } from '../../report/format.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { Io } from './io.ts'
import type { GrowingFile } from '../../host/live/output-file.ts'
import { cannotMake, type OpenReport } from './open-reports.ts'
import { renderWithin } from './render-within.ts'

type Output = Pick<Io, 'print' | 'isOutputPrivate'>

/** Number of unread characters on standard output from which the scan waits for the reader. */
const WAITING_CHARACTERS = 64 * 1024

/**
 * A report written while the scan runs. An error ends only this report: the scan continues and `finish` throws the
 * error.
 */
export interface LiveReport {
  /** `start` and `resource` return a promise if the scan should wait for a slow reader. */
  readonly start: (start: RunStart) => Promise<void> | undefined
  readonly resource: (policy: string, result: ResourceResult) => Promise<void> | undefined
  /** Writes the end of the report. Throws an `OperatorError` if the report is incomplete. */
  readonly finish: (run: Run) => Promise<void>
}

type Open = NonNullable<ReportFormat['stream']>

/** Output of a live report. Throws an `OperatorError` if a write fails. */
interface Sink {
  /** True if only root and the current user can read it. */
  readonly isPrivate: boolean
  readonly write: (text: string) => Promise<void> | undefined
  /** Resolves when everything is written. */
  readonly end: () => Promise<void>
}

/**
 * Starts the reports whose formats can be streamed. An aborted signal ends every wait. Throws an `OperatorError` if a
 * file cannot be written.
 */
export async function startLiveReports(
  reports: readonly OpenReport[],
  io: Output,
  signal: AbortSignal,
): Promise<ReadonlyMap<OpenReport, LiveReport>> {
  const live = new Map<OpenReport, LiveReport>()
  // Files come first, as in the delivery of finished reports.
  const ordered = [
    ...reports.filter(({ file }) => file !== undefined),
    ...reports.filter(({ file }) => file === undefined),
  ]
  for (const report of ordered) {
    const { format, file } = report
    if (format.stream === undefined) continue
    const sink = file === undefined ? outputSink(io, signal) : fileSink(file.grow(), signal)
    live.set(report, await liveReport(format.name, format.stream, sink))
  }
  return live
}

/** Calls all reports; waits for those that return a promise. */
export function tellAll(
  live: Iterable<LiveReport>,
  tell: (report: LiveReport) => Promise<void> | undefined,
): Promise<void> | undefined {
  const waits = [...live].flatMap((report) => tell(report) ?? [])
  return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined)
}

async function liveReport(name: string, open: Open, sink: Sink): Promise<LiveReport> {
  let failure: OperatorError | undefined
  let opened: ReportStream | undefined
  try {
    opened = await renderWithin(open())
  } catch (error) {
    failure = cannotMake(name, error)
  }
  const write = (make: (stream: ReportStream) => string): Promise<void> | undefined => {
    if (failure !== undefined || opened === undefined) return undefined
    try {
      return sink.write(textOf(name, opened, make))
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      failure = error
      return undefined
    }
  }
  const shown = sink.isPrivate ? (result: ResourceResult) => result : withoutConfidentialDiffs
  return {
    start: (start) => write((stream) => stream.start(start)),
    resource: (policy, result) => write((stream) => stream.resource(policy, shown(result))),
    async finish(run) {
      void write((stream) => stream.end(sink.isPrivate ? run : withoutConfidential(run)))
      await sink.end()
      if (failure !== undefined) throw failure
    },
  }
}

/** A format may be plugin code. */
function textOf(name: string, stream: ReportStream, make: (stream: ReportStream) => unknown): string {
  let text: unknown
  try {
    text = make(stream)
  } catch (error) {
    throw cannotMake(name, error)
  }
  if (typeof text !== 'string') throw cannotMake(name)
  return text
}

/** Writes to a file at once, so that a follower sees each event immediately; a pipe may be full. */
function fileSink(file: GrowingFile, signal: AbortSignal): Sink {
  let failure: OperatorError | undefined
  let last: Promise<void> | undefined
  const keep = (error: unknown): void => {
    if (!(error instanceof OperatorError)) throw error
    failure ??= error
  }
  return {
    isPrivate: file.isPrivate,
    write(text) {
      if (failure !== undefined) throw failure
      const taken =
        last === undefined
          ? file.append(text)
          : last.then(() => (failure === undefined ? file.append(text) : undefined))
      last = taken?.catch(keep)
      return last === undefined ? undefined : unlessAborted(last, signal)
    },
    async end() {
      await last
      file.close()
      if (failure !== undefined) throw failure
    },
  }
}

/**
 * Standard output buffers up to a limit, beyond which the scan waits, so that unread output does not fill the memory.
 * An interruption does not wait.
 */
function outputSink(io: Output, signal: AbortSignal): Sink {
  let waiting = 0
  let failure: OperatorError | undefined
  let last: Promise<void> = Promise.resolve()
  const print = async (text: string): Promise<void> => {
    waiting += text.length
    try {
      await io.print(text)
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      failure ??= error
    }
    waiting -= text.length
  }
  return {
    isPrivate: io.isOutputPrivate(),
    write(text) {
      if (failure !== undefined) throw failure
      last = print(text)
      return waiting > WAITING_CHARACTERS ? unlessAborted(last, signal) : undefined
    },
    async end() {
      await last
      if (failure !== undefined) throw failure
    },
  }
}

function unlessAborted(done: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const goOn = (): void => {
      signal.removeEventListener('abort', goOn)
      resolve()
    }
    signal.addEventListener('abort', goOn)
    void done.then(goOn)
  })
}
