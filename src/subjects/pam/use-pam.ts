import { known, type Reading, unknown } from '../../model/observation.ts'
import { assignmentsIn, effectiveOf } from '../../settings/effective.ts'
import { recordFiles } from '../../settings/files.ts'
import type { ConfigFiles } from '../../settings/surface.ts'
import { sshd } from '../sshd/index.ts'
import type { FileProbe } from '../../settings/look.ts'

const KEY = { section: '', key: 'UsePAM' }

/** Why sshd does not use PAM; undefined if it does, or if it is not installed. @see sshd_config(5) */
export function readWhyNoPam(machine: FileProbe): Reading<string | undefined> {
  return whyNoPam(recordFiles(machine).files)
}

/** Same as `readWhyNoPam`, for given files. */
export function whyNoPam(files: ConfigFiles): Reading<string | undefined> {
  const installed = sshd.installed(files)
  if (installed.kind === 'unknown') return installed
  if (!installed.value) return known(undefined)
  const assignments = assignmentsIn(files, sshd)
  if (assignments.kind === 'unknown') return assignments
  const effective = effectiveOf(sshd, assignments.value, KEY)
  if (effective.kind === 'unknown') return effective
  const [winner] = effective.value[0].winners
  const value = winner?.value ?? sshd.rulesOf(KEY, files).default
  if (value === undefined)
    return unknown('not-observable', 'UsePAM is not set, and the default of this sshd is unknown')
  if (value.toLowerCase() === 'yes') return known(undefined)
  const origin = winner === undefined ? 'the default' : `set by ${winner.file}:${winner.line}`
  return known(`sshd does not use PAM: UsePAM is ${value}, ${origin}`)
}
