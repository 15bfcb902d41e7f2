import { SEVERITIES, type Severity } from '../model/verdict.ts'
import { isOpen, type Standing } from '../report/words/requirements.ts'
import { activeOf, type FleetHost } from './census.ts'
import type { FleetFinding } from './findings.ts'
import type { RequirementIndex, PolicyState } from './rollup.ts'

/** A control, or a resource without controls, across all active hosts. */
export interface FleetControl {
  readonly policy: string
  readonly name: string
  readonly kind: 'control' | 'resource'
  readonly title?: string
  readonly severity: Severity
  /** Number of hosts on which it is met. */
  readonly met: number
  /** Names of the other hosts by state; hosts that do not report are unknown, regardless of their last report. */
  readonly hosts: Readonly<Partial<Record<FleetFinding['standing'], readonly string[]>>>
  /** Start of the oldest open finding on any host; absent without one. */
  readonly openSinceMs?: number
}

/** Requirements across hosts, worst first: by severity of drift, then by number of hosts. */
export function controlsOf(hosts: readonly FleetHost[]): readonly FleetControl[] {
  const controls = new Map<string, Counted>()
  for (const { id, asked, heard, unheard } of groupsOf(activeOf(hosts))) {
    for (const [name, about] of asked) {
      const control = controls.get(keyOf(id, name)) ?? { policy: id, name, ...about, met: 0, hosts: {} }
      controls.set(keyOf(id, name), control)
      control.met += heard.length
      if (unheard.length > 0) control.hosts.undecided = [...(control.hosts.undecided ?? []), ...unheard]
    }
    for (const [host, unmet] of heard) count(controls, id, [host, unmet])
  }
  return [...controls.values()].toSorted(compareControls)
}

/** Hosts with the same requirements of a policy, so that they are counted together. */
interface Group {
  readonly id: string
  readonly asked: RequirementIndex
  readonly heard: (readonly [host: string, unmet: PolicyState['unmet']])[]
  readonly unheard: string[]
}

function groupsOf(hosts: readonly FleetHost[]): readonly Group[] {
  const groups = new Map<string, Map<RequirementIndex, Group>>()
  for (const { name, trouble, policies } of hosts) {
    for (const { id, asked, unmet } of policies) {
      const ofPolicy = groups.get(id) ?? new Map<RequirementIndex, Group>()
      groups.set(id, ofPolicy)
      const group: Group = ofPolicy.get(asked) ?? { id, asked, heard: [], unheard: [] }
      ofPolicy.set(asked, group)
      if (trouble === undefined) group.heard.push([name, unmet])
      else group.unheard.push(name)
    }
  }
  return [...groups.values()].flatMap((ofPolicy) => [...ofPolicy.values()])
}

type Counted = Omit<FleetControl, 'met' | 'hosts' | 'openSinceMs'> & {
  met: number
  hosts: Partial<Record<FleetFinding['standing'], string[]>>
  openSinceMs?: number
}

function count(controls: ReadonlyMap<string, Counted>, id: string, [host, unmet]: Group['heard'][number]): void {
  for (const [name, { standing, sinceMs }] of unmet) {
    const control = controls.get(keyOf(id, name))
    if (control === undefined) continue
    control.met--
    ;(control.hosts[standing] ??= []).push(host)
    if (isOpen({ standing })) control.openSinceMs = Math.min(control.openSinceMs ?? sinceMs, sinceMs)
  }
}

function keyOf(id: string, name: string): string {
  return `${id}\n${name}`
}

/** Number of hosts with this state of a control. */
export function hostCount({ met, hosts }: FleetControl, standing: Standing): number {
  return standing === 'met' ? met : (hosts[standing]?.length ?? 0)
}

function compareControls(left: FleetControl, right: FleetControl): number {
  const isNowhere = (control: FleetControl, standing: Standing): number => Number(hostCount(control, standing) === 0)
  return (
    isNowhere(left, 'drifted') - isNowhere(right, 'drifted') ||
    isNowhere(left, 'undecided') - isNowhere(right, 'undecided') ||
    SEVERITIES.indexOf(right.severity) - SEVERITIES.indexOf(left.severity) ||
    hostCount(right, 'drifted') - hostCount(left, 'drifted') ||
    (left.name < right.name ? -1 : 1)
  )
}
