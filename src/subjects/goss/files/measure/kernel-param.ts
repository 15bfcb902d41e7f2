import { known, type Reading, unknown } from '../../../../model/observation.ts'
import { sysctlPath } from '../../../sysctl/sysctl-conf.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'
import { SYSCTL } from '../../../sysctl/subject.ts'

/** Measures the current value of a kernel parameter; the separators of its fields are kept. */
export function measureKernelParameter({ request: { id }, target }: MeasureContext): Reading<Attributes> {
  return known({
    value() {
      const seen = target.open(SYSCTL).read(sysctlPath(id))
      if (seen.kind === 'unknown') return seen
      if (seen.kind === 'present') return known(seen.state.trim())
      return unknown('not-observable', `the kernel has no parameter ${id}`)
    },
  })
}
