import type { ApplyOutcome } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'

/** A line of the modprobe configuration; a continued line has the number of its first line. */
export interface ConfigurationLine {
  readonly file: string
  readonly line: number
}

/** The command that modprobe runs instead of loading a module. */
export interface InstallLine extends ConfigurationLine {
  readonly command: string
}

/** An install line in a file that a file of the same name shadows. */
export interface MaskedLine extends InstallLine {
  readonly by: string
}

export interface ModuleConfiguration {
  /** In modprobe's order: the first one is effective. */
  readonly install: readonly InstallLine[]
  readonly blacklist: readonly ConfigurationLine[]
  /** Modules that modprobe loads for this name. */
  readonly aliases: readonly (ConfigurationLine & { readonly module: string })[]
  readonly masked: readonly MaskedLine[]
  /** The drop-in of driftgate; `other` if its contents differ from what a fix writes. */
  readonly own: { readonly path: string; readonly state: 'none' | 'ours' | 'other' }
}

/** The state of a module in the running kernel. */
export type ModulePresence =
  | { readonly kind: 'loaded'; readonly references: number | undefined; readonly holders: readonly string[] }
  | { readonly kind: 'built-in' }
  | { readonly kind: 'not-loaded' }

/** The lookup of a name in the module tree of the running kernel. */
export type ModulePlace = 'loadable' | 'built-in' | 'absent'

export interface ModuleStatus {
  readonly presence: Reading<ModulePresence>
  readonly place: Reading<ModulePlace>
  readonly configuration: Reading<ModuleConfiguration>
  /** Whether the kernel refuses to load or unload modules until the next boot. */
  readonly isLocked: Reading<boolean>
  /** Whether the boot argument `module_blacklist` makes the running kernel refuse the module. */
  readonly isRefused: Reading<boolean>
}

/** How the running kernel treats modules without a trusted signature. */
export interface SignatureCheck {
  /** `module.sig_enforce`; `null` if the kernel has no such parameter. */
  readonly isEnforced: Reading<boolean | null>
  /** `none`, `integrity` or `confidentiality`; `null` if the kernel does not support lockdown. */
  readonly lockdown: Reading<string | null>
  /** Whether the kernel refuses all modules until the next boot. */
  readonly isLocked: Reading<boolean>
}

/** The kernel modules of a target, read-only. */
export interface KernelModules {
  signatures(): Reading<SignatureCheck>
  /** Returns a module by name; `-` and `_` are equivalent. Never loads a module. */
  status(name: string): Reading<ModuleStatus>
}

/** A change of a module. `block` and `unblock` change the configuration, the others the running kernel. */
export type ModuleStep = 'block' | 'unblock' | 'load' | 'unload'

export interface KernelModuleControl {
  /**
   * Takes the steps in order and stops at the first failure. `block` writes the modprobe.d drop-in of the module,
   * `unblock` removes it, `load` runs modprobe, which also loads dependencies, and `unload` removes only this module,
   * which the kernel refuses while it is in use.
   */
  change(name: string, steps: readonly ModuleStep[], signal: AbortSignal): Promise<ApplyOutcome>
}
