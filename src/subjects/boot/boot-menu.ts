import type { ApplyOutcome } from '../../model/decision.ts'

/** A menu of a boot loader that is generated. */
export interface GeneratedMenu {
  /** What generates it; it takes `-o FILE`. */
  readonly program: string
  readonly file: string
  /** What is wrong with what was generated, undefined where nothing is. */
  readonly judge: (text: string) => string | undefined
}

/** What a fix may do to the menus of boot loaders. */
export interface BootMenuControl {
  /** Generates a menu beside the one that is there, and puts it in place only where nothing is wrong with it. */
  generate(menu: GeneratedMenu, signal: AbortSignal): Promise<ApplyOutcome>
}
