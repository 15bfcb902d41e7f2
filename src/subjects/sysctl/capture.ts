import { formatValue } from '../../model/format-value.ts'
import { unknown } from '../../model/observation.ts'
import type { Captured, ResourceCapture } from '../../resource-type/capture.ts'
import { sysctlPath, winnerOf } from './sysctl-conf.ts'
import { decideSysctl, type SysctlState } from './decide.ts'

/** What it has now; that no file sets it is accepted where none does. */
export const sysctlCapture: ResourceCapture<SysctlState, undefined> = {
  look: { value: '0', if_absent: 'compliant' },
  describe(seen, { name }): Captured {
    if (seen.kind === 'absent') return { kind: 'absent' }
    const { value: now, stored } = seen.state
    if (now.kind === 'unknown') return now
    if (stored.kind === 'unknown') return stored
    const { value } = now
    const isStored = winnerOf(stored.value, sysctlPath(name)).kind !== 'none'
    const wanted = { name, value, if_absent: 'drift', if_unstored: isStored ? 'drift' : 'compliant' } as const
    const { drift, unknown: unread } = decideSysctl(wanted, seen)
    const [hidden] = unread
    if (hidden !== undefined) return unknown(hidden.reason, hidden.detail)
    const later = drift.find(({ property }) => property === 'stored')
    if (later !== undefined) {
      const where = later.path === undefined ? '' : ` on ${later.path}`
      const then = `${formatValue(later.observed)}${where} after the next boot (${later.note ?? ''})`
      return unknown('not-observable', `${name} is ${value} now, and ${then}: one resource cannot state both`)
    }
    // What an interface has beside it is accepted, too: the kernel joins both.
    const others = drift.flatMap(({ property, observed }) => (property === 'interface' ? [formatValue(observed)] : []))
    const values = [...new Set([value, ...others.toSorted()])]
    const properties = {
      value: values.length === 1 ? value : { one_of: values },
      ...(isStored ? {} : { if_unstored: 'compliant' }),
    }
    return { kind: 'present', properties }
  },
}
