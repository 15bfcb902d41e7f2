import type { ApplyOutcome } from '../../model/decision.ts'

export interface GeneratedMenu {
  /** Generator program; it accepts `-o FILE`. */
  readonly program: string
  readonly file: string
  /** Problem of the generated menu; undefined if valid. */
  readonly judge: (text: string) => string | undefined
}

/** Changes that a fix may make to boot menus. */
export interface BootMenuControl {
  /** Generates a menu next to the existing one, and replaces it only if the new one is valid. */
  generate(menu: GeneratedMenu, signal: AbortSignal): Promise<ApplyOutcome>
}
