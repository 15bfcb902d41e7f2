/** The parts of the Heimdall Data Format, version 1, that driftgate writes, with the names of the format. */
export interface HdfReport {
  readonly platform: { readonly name: string; readonly release: string; readonly target_id: string }
  readonly version: string
  /** Duration in seconds. */
  readonly statistics: { readonly duration: number }
  readonly profiles: readonly HdfProfile[]
  /** Data outside of the format, which viewers keep. */
  readonly passthrough: Readonly<Record<string, unknown>>
}

export interface HdfProfile {
  readonly name: string
  readonly title?: string
  readonly version?: string
  readonly sha256: string
  readonly supports: readonly never[]
  readonly attributes: readonly never[]
  readonly groups: readonly never[]
  readonly status: 'loaded'
  readonly controls: readonly HdfControl[]
}

export interface HdfControl {
  readonly id: string
  readonly title: string
  readonly desc: string | null
  readonly descriptions: readonly { readonly label: string; readonly data: string }[]
  /** From 0 to 1; 0 means that the control does not apply. */
  readonly impact: number
  readonly refs: readonly { readonly ref: string }[]
  readonly tags: Readonly<Record<string, readonly string[]>>
  readonly code: string
  readonly source_location: { readonly ref: string; readonly line: number }
  readonly waiver_data?: HdfWaiver
  readonly results: readonly HdfResult[]
}

/** Readers treat any non-empty value as true, even the text "false". */
export interface HdfWaiver {
  readonly expiration_date: string | null
  readonly justification: string
  readonly message: string
  readonly run: boolean
  readonly skipped_due_to_waiver: boolean
}

export interface HdfResult {
  readonly status: 'passed' | 'failed' | 'skipped' | 'error'
  readonly code_desc: string
  /** ISO 8601. */
  readonly start_time: string
  /** In seconds. */
  readonly run_time?: number
  readonly message?: string
  readonly skip_message?: string
  readonly exception?: string
}
