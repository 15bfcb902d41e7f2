import type { Place, Variable, Variables } from './variable.ts'

/** What inventories say, as Ansible keeps it. @see ansible/inventory/data.py */
export interface Graph {
  readonly groups: Map<string, Group>
  readonly hosts: Map<string, Host>
}

interface Group {
  readonly vars: Map<string, Variable>
  readonly children: Set<string>
  readonly parents: Set<string>
  readonly hosts: Set<string>
  /** Among groups of the same depth the higher wins. */
  priority: number
}

/** A host of an inventory. */
interface Host {
  readonly vars: Map<string, Variable>
  readonly place: Place
}

/** A graph with the two groups that are always there. */
export function emptyGraph(): Graph {
  const graph: Graph = { groups: new Map(), hosts: new Map() }
  addGroup(graph, 'all')
  addGroup(graph, 'ungrouped')
  addChild(graph, 'all', 'ungrouped')
  return graph
}

/** The group of a name, made where it is missing. */
export function addGroup({ groups }: Graph, name: string): Group {
  const known = groups.get(name)
  if (known !== undefined) return known
  const group: Group = { vars: new Map(), children: new Set(), parents: new Set(), hosts: new Set(), priority: 1 }
  groups.set(name, group)
  return group
}

/** Puts a group below another; gives what is wrong with that. */
export function addChild(graph: Graph, parent: string, child: string): string | undefined {
  // What Ansible makes of that nobody means: hosts lose variables of groups that they are in.
  if (parent === 'ungrouped' || (child === 'ungrouped' && parent !== 'all')) return UNGROUPED
  if (parent === child || ancestorsOf(graph, parent).has(child)) return `"${child}" would be a group of itself`
  addGroup(graph, parent).children.add(child)
  addGroup(graph, child).parents.add(parent)
  return undefined
}

const UNGROUPED = '"ungrouped" has the hosts that are in no other group: it has no children, and is none'

/** The host of a name, made where it is missing, in a group. A port counts where the host is named first. */
export function addHost(graph: Graph, name: string, more: HostIn): void {
  const { group, place, port } = more
  if (!graph.hosts.has(name)) {
    const host: Host = { vars: new Map(), place }
    if (port !== undefined) host.vars.set('ansible_port', { value: BigInt(port), place })
    graph.hosts.set(name, host)
  }
  addGroup(graph, group).hosts.add(name)
}

interface HostIn {
  readonly group: string
  readonly place: Place
  readonly port: string | undefined
}

/** Sets a variable of a group, or of a host where no group is called so; gives what is wrong with it. */
export function setVariable(
  { groups, hosts }: Graph,
  entity: string,
  [key, variable]: [string, Variable],
): string | undefined {
  const group = groups.get(entity)
  if (group === undefined || key !== 'ansible_group_priority') {
    const { vars } = group ?? hosts.get(entity) ?? {}
    vars?.set(key, variable)
    return undefined
  }
  const { value, unusable } = variable
  if (unusable !== undefined || !/^[+-]?\d+$/.test(String(value))) return 'ansible_group_priority must be a number'
  group.priority = Number(value)
  return undefined
}

/** Puts what belongs nowhere where it belongs. To be called once all is read; gives what is wrong. */
export function settle(graph: Graph): string | undefined {
  const { groups, hosts } = graph
  for (const [name, { parents }] of groups) {
    const loop = name === 'all' || parents.size > 0 ? undefined : addChild(graph, 'all', name)
    if (loop !== undefined) return loop
  }
  const ungrouped = addGroup(graph, 'ungrouped').hosts
  for (const name of hosts.keys()) {
    const isGrouped = [...groups].some(
      ([group, each]) => group !== 'all' && group !== 'ungrouped' && each.hosts.has(name),
    )
    if (isGrouped) ungrouped.delete(name)
    else ungrouped.add(name)
  }
  return undefined
}

function ancestorsOf({ groups }: Graph, name: string): ReadonlySet<string> {
  return closure(name, (each) => groups.get(each)?.parents ?? [])
}

function closure(start: string, next: (name: string) => Iterable<string>): ReadonlySet<string> {
  const found = new Set(next(start))
  for (const name of found) for (const each of next(name)) found.add(each)
  return found
}

/** The hosts of a group and of all groups below it, in the order of the inventory. */
export function hostsOf({ groups, hosts }: Graph, name: string): ReadonlySet<string> {
  if (name === 'all') return new Set(hosts.keys())
  const below = [name, ...closure(name, (each) => groups.get(each)?.children ?? [])]
  const found = new Set(below.flatMap((each) => [...(groups.get(each)?.hosts ?? [])]))
  return new Set([...hosts.keys()].filter((host) => found.has(host)))
}

/** Where a host gets its variables from besides the inventory itself. */
export interface VariablesBeside {
  readonly ofGroup: (name: string) => Variables
  readonly ofHost: (name: string) => Variables
}

/**
 * What Ansible would use for a host, later ones winning: variables of groups, then those that lie beside the inventory for groups, then
 * the same of the host; of groups `all` first, then by depth, priority and name.
 * @see ansible/vars/manager.py, VARIABLE_PRECEDENCE
 */
export function variablesOfHosts(graph: Graph, beside: VariablesBeside): (host: string) => Variables {
  const { groups, hosts } = graph
  const depths = new Map<string, number>()
  const depthOf = (name: string): number => {
    const known = depths.get(name)
    if (known !== undefined) return known
    const depth = Math.max(-1, ...[...(groups.get(name)?.parents ?? [])].map(depthOf)) + 1
    depths.set(name, depth)
    return depth
  }
  const priorityOf = (name: string): number => groups.get(name)?.priority ?? 1
  const order = [...groups.keys()]
    .filter((name) => name !== 'all')
    .toSorted(
      (one, other) => depthOf(one) - depthOf(other) || priorityOf(one) - priorityOf(other) || (one < other ? -1 : 1),
    )
  return (host) => {
    const direct = [...groups].flatMap(([name, group]) => (group.hosts.has(host) ? [name] : []))
    const around = new Set(direct.flatMap((name) => [name, ...ancestorsOf(graph, name)]))
    const own = order.filter((name) => around.has(name))
    return new Map([
      ...['all', ...own].flatMap((name) => [...(groups.get(name)?.vars ?? [])]),
      ...['all', ...own].flatMap((name) => [...beside.ofGroup(name)]),
      ...(hosts.get(host)?.vars ?? []),
      ...beside.ofHost(host),
    ])
  }
}
