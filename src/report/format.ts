import type { Run } from '../core/run.ts'

/** What a piece of the text report means; the caller decides how that looks on its channel. */
export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'strong'

/** How to render. `paint` returns its text unchanged where there is no colour. */
export interface RenderOptions {
  /** Also list what is compliant. */
  readonly verbose: boolean
  /** Shows a tone on the channel; returns the text unchanged where there is no colour. */
  readonly paint: (tone: Tone, text: string) => string
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
  /** The text of a run, with a line feed at its end. What it throws costs this report alone. */
  readonly render: (run: Run, options: RenderOptions) => string | Promise<string>
  /**
   * What is left of it on a screen with `--quiet`. Formats that people read have it, and on a screen they say nothing about
   * a scan that could not be performed, because that was said already.
   */
  readonly summarize?: (run: Run, options: RenderOptions) => string | Promise<string>
}

/** Options for a file or a pipe: no colour, no extras. */
export const PLAIN: RenderOptions = { verbose: false, paint: (_tone, text) => text }
