import { SYSCTL } from './subject.ts'
import { known, type Observation, present, type Reading, unknown } from '../../model/observation.ts'
import type { Target } from '../../host/target.ts'
import { sysctlPath } from './sysctl-conf.ts'
import type { InterfaceValue, SysctlState, SysctlDesired } from './decide.ts'
import { type PerInterface, perInterface } from './interfaces.ts'
import { canonical } from '../../model/fields.ts'
import type { KernelParameters } from './parameters.ts'

type Machine = Pick<Target, 'open'>

/** Looks at the parameter, at what it is on every interface, and at the files that set it when the system starts. */
export function observeSysctl({ open }: Machine, { name }: Pick<SysctlDesired, 'name'>): Observation<SysctlState> {
  const parameters = open(SYSCTL)
  const path = sysctlPath(name)
  const seen = parameters.read(path)
  if (seen.kind === 'absent') return seen
  const scope = perInterface(path)
  if (seen.kind === 'unknown') {
    // What a system that does not run has stored is known without its kernel.
    if (seen.needs === undefined) return seen
    return present({ value: seen, all: seen, interfaces: seen, stored: parameters.stored() })
  }
  const value = known(canonical(seen.state))
  const interfaces = scope === undefined ? known([]) : readInterfaces(parameters, scope)
  const all = scope === undefined ? value : readAll(parameters, scope)
  return present({ value, all, interfaces, stored: parameters.stored() })
}

function readAll(parameters: KernelParameters, { family, parameter }: PerInterface): Reading<string> {
  return readParameter(parameters, `net/${family}/conf/all/${parameter}`)
}

/** Interfaces come and go: one that is gone while it is looked at has nothing that could be wrong. */
function readInterfaces(
  parameters: KernelParameters,
  { family, parameter }: PerInterface,
): Reading<readonly InterfaceValue[]> {
  const names = parameters.interfaces(family)
  if (names.kind === 'unknown') return names
  const values: InterfaceValue[] = []
  for (const name of names.value) {
    // What it carries comes from this machine.
    if (name === 'lo') continue
    const own = parameters.read(`net/${family}/conf/${name}/${parameter}`)
    if (own.kind === 'unknown') return own
    const forwarding = parameters.read(`net/${family}/conf/${name}/forwarding`)
    if (forwarding.kind === 'unknown') return forwarding
    if (own.kind === 'absent' || forwarding.kind === 'absent') continue
    values.push({ name, value: canonical(own.state), forwarding: canonical(forwarding.state) !== '0' })
  }
  return known(values)
}

function readParameter(parameters: KernelParameters, path: string): Reading<string> {
  const seen = parameters.read(path)
  if (seen.kind === 'present') return known(canonical(seen.state))
  return seen.kind === 'unknown' ? seen : unknown('not-observable', `/proc/sys/${path} does not exist`)
}
