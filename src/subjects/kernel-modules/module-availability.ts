import { trimBlanksOfC } from '../../settings/blanks.ts'
import { cannotBeMetHere, pendingReboot, shadowedBy } from '../../model/notes.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { ConfigurationLine, ModuleConfiguration, ModulePlace } from './kernel-modules.ts'
import { effectOfInstall } from '../shared/install-command.ts'

/** Whether modprobe can load a module, and the configuration that decides it. */
export type Availability =
  /** There is no such module, or it is built in. */
  | { readonly kind: 'absent' | 'built-in' }
  /** The running kernel refuses to load it. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'loadable'; readonly configuration: ModuleConfiguration }
  | { readonly kind: 'blocked'; readonly configuration: ModuleConfiguration; readonly by: ConfigurationLine }
  /** modprobe runs or loads something else instead. */
  | {
      readonly kind: 'replaced'
      readonly configuration: ModuleConfiguration
      readonly by: ConfigurationLine
      readonly how: string
    }

/** Combines module tree and configuration. */
export function availabilityOf(
  place: Reading<ModulePlace>,
  configuration: Reading<ModuleConfiguration>,
): Reading<Availability> {
  if (place.kind === 'unknown') return place
  if (place.value !== 'loadable') return known({ kind: place.value })
  if (configuration.kind === 'unknown') return configuration
  const { install, aliases } = configuration.value
  const said = { configuration: configuration.value }
  const [first] = install
  if (first !== undefined) {
    return known(
      effectOfInstall(first.command) === 'loads-nothing'
        ? { kind: 'blocked', by: first, ...said }
        : { kind: 'replaced', by: first, how: `runs ${JSON.stringify(trimBlanksOfC(first.command))}`, ...said },
    )
  }
  const [alias] = aliases
  return known(
    alias === undefined
      ? { kind: 'loadable', ...said }
      : { kind: 'replaced', by: alias, how: `makes modprobe load ${alias.module}`, ...said },
  )
}

/** Availability if the module is required: modprobe cannot load a module that the running kernel refuses. */
export function unlessRefused(found: Reading<Availability>, isRefused: Reading<boolean>): Reading<Availability> {
  if (found.kind === 'unknown' || found.value.kind === 'absent' || found.value.kind === 'built-in') return found
  if (isRefused.kind === 'unknown') return isRefused
  return isRefused.value ? known({ kind: 'refused' }) : found
}

/** Whether the module counts as available. A replaced module is unknown if it is required, and available if it is forbidden. */
export function isAvailable(found: Availability, wanted: boolean): Reading<boolean> {
  if (found.kind !== 'replaced') return known(found.kind === 'built-in' || found.kind === 'loadable')
  if (!wanted) return known(true)
  return unknown('not-observable', `${lineOf(found.by)} ${found.how}: it is unknown whether that loads the module`)
}

export function whyAvailable(name: string, found: Availability): string | undefined {
  if (found.kind === 'built-in') return BUILT_IN
  if (found.kind !== 'loadable' && found.kind !== 'replaced') return undefined
  const { install, masked, blacklist } = found.configuration
  const idle = install.find(({ command }) => effectOfInstall(command) === 'loads-nothing')
  const [first] = install
  const [hidden] = masked
  const [listed] = blacklist
  const parts = [
    found.kind === 'replaced' ? `${lineOf(found.by)} ${found.how}, which may load it` : undefined,
    idle === undefined || first === undefined ? undefined : `${lineOf(idle)} is ${shadowedBy(first)}`,
    hidden === undefined ? undefined : `${lineOf(hidden)} is shadowed by ${hidden.by}, a file of the same name`,
    listed === undefined ? undefined : `${lineOf(listed)} blacklists it, which stops aliases, but not modprobe ${name}`,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join('; ')
}

/** Why a required module is not available. */
export function whyUnavailable(found: Availability): string | undefined {
  if (found.kind === 'absent') return 'the running kernel has no such module'
  if (found.kind === 'refused') return pendingReboot('the boot argument module_blacklist makes the kernel refuse it')
  return found.kind === 'blocked' ? `${lineOf(found.by)} keeps modprobe from loading it` : undefined
}

export const BUILT_IN = cannotBeMetHere('it is built into the kernel')

export function lineOf({ file, line }: ConfigurationLine): string {
  return `${file}:${line}`
}
