import type { ApplyOutcome } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'

/** A line of modprobe's configuration; a continued one has the number of its first line. */
export interface ConfigurationLine {
  readonly file: string
  readonly line: number
}

/** What modprobe runs in place of loading a module. */
export interface InstallLine extends ConfigurationLine {
  readonly command: string
}

/** An install line in a file that modprobe does not read, because one of the same name comes before it. */
export interface MaskedLine extends InstallLine {
  readonly by: string
}

/** What modprobe's configuration says of one module. */
export interface ModuleConfiguration {
  /** In modprobe's order: the first is the one that counts. */
  readonly install: readonly InstallLine[]
  readonly blacklist: readonly ConfigurationLine[]
  /** Other modules that modprobe takes in its place. */
  readonly aliases: readonly (ConfigurationLine & { readonly module: string })[]
  readonly masked: readonly MaskedLine[]
  /** Our own file for it: `other` is one that holds something else than a fix writes. */
  readonly own: { readonly path: string; readonly state: 'none' | 'ours' | 'other' }
}

/** A module in the kernel. */
export type ModulePresence =
  | { readonly kind: 'loaded'; readonly references: number | undefined; readonly holders: readonly string[] }
  | { readonly kind: 'built-in' }
  | { readonly kind: 'not-loaded' }

/** What the tree of the running kernel's modules has under a name. */
export type ModulePlace = 'loadable' | 'built-in' | 'absent'

/** Everything that is known of a module. */
export interface ModuleStatus {
  readonly presence: Reading<ModulePresence>
  readonly place: Reading<ModulePlace>
  readonly configuration: Reading<ModuleConfiguration>
  /** Whether the kernel neither loads nor unloads anything before the next start. */
  readonly isLocked: Reading<boolean>
  /** Whether the running kernel was started with the argument `module_blacklist` and refuses the module for it. */
  readonly isRefused: Reading<boolean>
}

/** By what the running kernel decides whether it takes a module without a signature that it trusts. */
export interface SignatureCheck {
  /** `module.sig_enforce`; `null` where the kernel has no such parameter. */
  readonly isEnforced: Reading<boolean | null>
  /** `none`, `integrity` or `confidentiality`; `null` where the kernel cannot be locked down. */
  readonly lockdown: Reading<string | null>
  /** Whether the kernel takes no module at all before the next start. */
  readonly isLocked: Reading<boolean>
}

/** The kernel modules of a target, read-only. */
export interface KernelModules {
  signatures(): Reading<SignatureCheck>
  /** A module by its name, in which `-` and `_` are the same. Nothing is ever loaded to find out. */
  status(name: string): Reading<ModuleStatus>
}

/** What can be done to a module: `block` and `unblock` are for later, the others for now. */
export type ModuleStep = 'block' | 'unblock' | 'load' | 'unload'

/** What a fix may do to kernel modules. */
export interface KernelModuleControl {
  /**
   * Takes the steps one after another and ends at the first that fails. `block` writes our own file of modprobe.d for the
   * module, `unblock` removes it, `load` lets modprobe load the module with what it needs, and `unload` takes away that
   * module alone, which the kernel refuses while it is used.
   */
  change(name: string, steps: readonly ModuleStep[], signal: AbortSignal): Promise<ApplyOutcome>
}
