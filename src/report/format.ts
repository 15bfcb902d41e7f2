import type { ResourceResult, Run, RunStart, Summary } from '../model/run.ts'
import type { ControlVerdict, Severity } from '../model/verdict.ts'

/** The meaning of a piece of a text report; the caller decides on its appearance. */
export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'strong'

export const SEVERITY_TONES: Readonly<Record<Severity, Tone>> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'dim',
  info: 'dim',
}

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

/** Rendering options. */
export interface RenderOptions {
  /** Whether compliant resources are listed, too. */
  readonly verbose: boolean
  /** Whether a report that would be long lists controls without the resources that support them. */
  readonly brief?: boolean
  /** Applies a tone; returns the text unchanged without colour. */
  readonly paint: (tone: Tone, text: string) => string
  /** Width of the screen in columns; no limit if undefined. */
  readonly width?: number
  /** The output file as the operator wrote it; undefined for standard output. */
  readonly file?: string
  /** Earlier runs, oldest first, for formats that show a trend. */
  readonly trend?: readonly TrendPoint[]
}

/** A run in a trend. */
export interface TrendPoint {
  readonly runId: string
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly summary: Summary
  readonly exitCode: number
}

/** A report written while the scan runs. Each text is empty or ends in a line feed. */
export interface ReportStream {
  /** Called before the first result. */
  readonly start: (start: RunStart) => string
  /** Called after each resource, in the order of evaluation. */
  readonly resource: (policy: string, result: ResourceResult) => string
  /** Called at the end, even if nothing was evaluated. */
  readonly end: (run: Run) => string
}

/**
 * A report format. Rendering is pure, so the same run gives the same bytes: it prints nothing, reads no clock and
 * touches no file. Formats with large libraries load them inside `render`.
 */
export interface ReportFormat {
  readonly name: string
  readonly summary: string
  /** The file that `--out` writes; formats without one are not part of `--out`. */
  readonly fileName?: string
  /**
   * Set for a format that contains only numbers and names: its files are world-readable, those of other formats
   * readable by their owner only, by default.
   */
  readonly isPublic?: true
  /** Renders a run as text with a final line feed. An error fails only this report. */
  readonly render: (run: Run, options: RenderOptions) => string | Promise<string>
  /** The same text in pieces, for runs whose text would take much memory. */
  readonly pieces?: (run: Run) => Promise<Iterable<string>>
  /**
   * The output with `--quiet` on a screen, for formats read by people. On a screen, they omit that a scan could not be
   * performed, because that was reported already.
   */
  readonly summarize?: (run: Run, options: RenderOptions) => string | Promise<string>
  /** Writes the report while the scan runs; `render` must give the same text. */
  readonly stream?: () => ReportStream | Promise<ReportStream>
}

/** Options for a file or a pipe: no colour, not verbose. */
export const PLAIN: RenderOptions = { verbose: false, paint: (_tone, text) => text }
