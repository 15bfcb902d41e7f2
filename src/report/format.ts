import type { ResourceResult, Run, RunStart, Summary } from '../model/run.ts'
import type { ControlVerdict, Severity } from '../model/verdict.ts'

/** What a piece of the text report means; the caller decides how that looks on its channel. */
export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'strong'

/** How each severity is shown. */
export const SEVERITY_TONES: Readonly<Record<Severity, Tone>> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'dim',
  info: 'dim',
}

/** How each verdict is shown. */
export const VERDICT_TONES: Readonly<Record<ControlVerdict, Tone>> = {
  compliant: 'good',
  drifted: 'bad',
  fixed: 'good',
  'fix-failed': 'bad',
  error: 'bad',
  blocked: 'warn',
  'not-applicable': 'dim',
  waived: 'warn',
  'not-evaluated': 'warn',
}

/** How to render. `paint` returns its text unchanged where there is no colour. */
export interface RenderOptions {
  /** Also list what is compliant. */
  readonly verbose: boolean
  /** Shows a tone on the channel; returns the text unchanged where there is no colour. */
  readonly paint: (tone: Tone, text: string) => string
  /** How many columns the screen has; absent where lines may be as long as they are. */
  readonly width?: number
  /** The file that it is written to, as the operator names it; absent for standard output. */
  readonly file?: string
  /** Earlier runs, oldest first, for formats that show a trend. */
  readonly trend?: readonly TrendPoint[]
}

/** What a trend shows of a run. */
export interface TrendPoint {
  readonly runId: string
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly summary: Summary
  readonly exitCode: number
}

/** A report that grows while the scan runs. Each text ends in a line feed, or is empty. */
export interface ReportStream {
  /** Before the first result. */
  readonly start: (start: RunStart) => string
  /** After each resource, in the order they are evaluated. */
  readonly resource: (policy: string, result: ResourceResult) => string
  /** At the end, also where nothing could be evaluated. */
  readonly end: (run: Run) => string
}

/**
 * A report format: pure, the same run gives the same bytes. It prints nothing, reads no clock and touches no file.
 * Formats with heavy libraries load them inside `render`.
 */
export interface ReportFormat {
  readonly name: string
  readonly summary: string
  /** The file `--out` writes it to; formats without one are not part of `--out`. */
  readonly fileName?: string
  /**
   * Set for a format that shows nothing but numbers and names: its files are world-readable, those of others are for
   * their owner by default.
   */
  readonly isPublic?: true
  /** The text of a run, with a line feed at its end. What it throws costs this report alone. */
  readonly render: (run: Run, options: RenderOptions) => string | Promise<string>
  /**
   * What is left of it on a screen with `--quiet`. Formats that people read have it, and on a screen they say nothing about
   * a scan that could not be performed, because that was said already.
   */
  readonly summarize?: (run: Run, options: RenderOptions) => string | Promise<string>
  /** Writes it while the scan runs instead of at its end; `render` must give the same text. */
  readonly stream?: () => ReportStream | Promise<ReportStream>
}

/** Options for a file or a pipe: no colour, no extras. */
export const PLAIN: RenderOptions = { verbose: false, paint: (_tone, text) => text }
