import type { Observation } from '../../core/observation.ts'
import type { Target } from '../../target/target.ts'
import { unitName } from '../../target/unit-name.ts'
import type { Provider, ResourceContext } from '../../resource-type/define.ts'
import { type ServiceProperties, serviceNameProblem } from './properties.ts'
import type { ServiceAction, ServiceContext, ServiceState } from './state.ts'

/** Services as units of systemd. */
export const systemd: Provider<ServiceProperties, ServiceState, ServiceContext, ServiceAction> = {
  name: 'systemd',
  platforms: ['linux'],
  observe: observeService,
  apply: (remediator, _, { unit, steps }, { signal }) => remediator.services.change(unit, steps, signal),
}

/** Asks for the unit; systemd reads nothing again for it. */
export function observeService(
  target: Pick<Target, 'services'>,
  { name }: ServiceProperties,
  { signal }: Pick<ResourceContext, 'signal'>,
): Promise<Observation<ServiceState, ServiceContext>> {
  return target.services.status(unitName(name), signal)
}

/** Lets the first question be put for all services of a run. Names that are no names yet are asked for when they are. */
export function announceServices({ services }: Pick<Target, 'services'>, names: readonly string[]): void {
  services.announce(names.filter((name) => serviceNameProblem(name) === undefined).map(unitName))
}
