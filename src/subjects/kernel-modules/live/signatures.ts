import { known, type Reading, unknown } from '../../../model/observation.ts'
import type { SystemProbe } from '../../../host/probe.ts'

/**
 * Reads `module.sig_enforce`. A kernel without it still has parameters of other modules. @see kernel/module/signing.c
 */
export function readEnforced(probe: SystemProbe, root: string): Reading<boolean | null> {
  const path = `${root}/sys/module/module/parameters/sig_enforce`
  const text = probe.readText(path)
  if (text.kind === 'unknown') return text
  if (text.value !== null) {
    const isEnforced = { Y: true, N: false }[text.value.trim()]
    return isEnforced === undefined ? unknown('invalid', `${path} is neither Y nor N`) : known(isEnforced)
  }
  const modules = probe.list(`${root}/sys/module`)
  if (modules.kind === 'unknown') return modules
  if (modules.value !== null && modules.value.length > 0) return known(null)
  return unknown('not-observable', `${root}/sys/module is not accessible`)
}

/** Reads the lockdown mode, in brackets in the file. @see kernel_lockdown(7), security/lockdown/lockdown.c */
export function readLockdown(probe: SystemProbe, root: string): Reading<string | null> {
  const directory = `${root}/sys/kernel/security`
  const text = probe.readText(`${directory}/lockdown`)
  if (text.kind === 'unknown') return text
  if (text.value !== null) {
    const level = /\[(\w+)\]/.exec(text.value)?.[1]
    return level === undefined ? unknown('invalid', `${directory}/lockdown marks no level`) : known(level)
  }
  const active = probe.readText(`${directory}/lsm`)
  if (active.kind === 'unknown') return active
  if (active.value !== null && !active.value.trim().split(',').includes('lockdown')) return known(null)
  return unknown('not-observable', `${directory} does not show the lockdown state: mount securityfs`)
}
