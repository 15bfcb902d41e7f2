import { known, type Reading } from '../../core/observation.ts'
import type { ActiveState, UnitFileState } from '../../target/services.ts'
import { unitName } from '../../target/unit-name.ts'
import type { Measured } from '../resource.ts'
import type { Attributes, Look } from './measure-type.ts'

/** The states for which `systemctl is-enabled` succeeds. @see systemctl(1) */
const ENABLED: ReadonlySet<UnitFileState> = new Set([
  'enabled',
  'enabled-runtime',
  'alias',
  'static',
  'indirect',
  'generated',
])

/** Those for which `systemctl is-active` does. */
const ACTIVE: ReadonlySet<ActiveState> = new Set(['active', 'reloading', 'refreshing'])

/** Measures a unit of systemd. One that does not exist is neither enabled nor running. */
export async function measureService({ request: { id }, target, signal }: Look): Promise<Reading<Attributes>> {
  const seen = await target.services.status(unitName(id), signal)
  if (seen.kind === 'unknown') return seen
  const no = (): Measured => known(false)
  // Units are started by targets, not in runlevels.
  const runlevels = (): Measured => known([])
  if (seen.kind === 'absent') return known({ enabled: no, running: no, runlevels })
  const { enablement, runtime } = seen.state
  return known({
    enabled: () => (enablement.kind === 'unknown' ? enablement : known(ENABLED.has(enablement.value.state))),
    running: () => (runtime.kind === 'unknown' ? runtime : known(ACTIVE.has(runtime.value.activeState))),
    runlevels,
  })
}
