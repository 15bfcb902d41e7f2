import { known, type Reading, unknown } from '../../../../model/observation.ts'
import type { ActiveState, UnitEnablement, UnitFileState } from '../../../services/services.ts'
import { unitKind, unitName } from '../../../../host/systemd/unit-name.ts'
import type { Measured } from '../resource.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'
import { SERVICES } from '../../../services/subject.ts'

/** The states for which `systemctl is-enabled` succeeds. @see systemctl(1) */
const ENABLED: ReadonlySet<UnitFileState> = new Set([
  'enabled',
  'enabled-runtime',
  'alias',
  'static',
  'indirect',
  'generated',
])

/** The states for which `systemctl is-active` succeeds. */
const ACTIVE: ReadonlySet<ActiveState> = new Set(['active', 'reloading', 'refreshing'])

/** Measures a systemd unit. A missing unit is neither enabled nor running. */
export async function measureService({
  request: { id },
  target,
  signal,
}: MeasureContext): Promise<Reading<Attributes>> {
  const problem = nameProblem(id)
  if (problem !== undefined) return unknown('invalid', `${id} ${problem}`)
  const seen = await target.open(SERVICES).status(unitName(id), signal)
  if (seen.kind === 'unknown') return seen
  const no = (): Measured => known(false)
  // Targets start units, not runlevels.
  const runlevels = (): Measured => known([])
  if (seen.kind === 'absent') return known({ enabled: no, running: no, runlevels })
  const { enablement, runtime } = seen.state
  return known({
    enabled: () => (enablement.kind === 'unknown' ? enablement : isEnabled(enablement.value)),
    running: () => (runtime.kind === 'unknown' ? runtime : known(ACTIVE.has(runtime.value.activeState))),
    runlevels,
  })
}

/** Why a name is not the name of one unit, as the end of a sentence. */
function nameProblem(id: string): string | undefined {
  if (/[*?[\]]/.test(id)) return 'is a pattern: name each unit'
  const kind = id.includes('/') ? undefined : unitKind(unitName(id))
  if (kind === undefined) return 'is not a valid unit name'
  return kind === 'template' ? 'is a template: name an instance, such as getty@tty1' : undefined
}

/** The first boot of an image may apply presets. */
function isEnabled({ state, unsettled }: UnitEnablement): Measured {
  return unsettled ?? known(ENABLED.has(state))
}
