import type { Problem, Result } from '../../../model/problem.ts'
import type { Layer } from '../../../policy/data/merge.ts'
import { TemplateError } from '../../../templates/errors.ts'
import { fromPlain } from '../../../templates/govalue/index.ts'
import type { Inventory, InventoryTarget, PassedOver } from '../inventory.ts'
import { type AnsibleHost, askHost } from './asked.ts'
import { roleOf } from './variable-names.ts'
import { ansibleWay } from './way.ts'

/** What `ansible-inventory --list` prints of an inventory and what it warns of, or why it is missing. */
export type Listed = { readonly text: string; readonly warnings: readonly string[] } | { readonly reason: string }

/** What the reader of an inventory has to know. */
export interface AboutInventory {
  /** Says what is wrong with the text of a target, as the end of a sentence. */
  readonly complain: (spec: string) => string | undefined
  /** Has Ansible list the inventory at a path. */
  readonly list: (path: string) => Promise<Listed>
  /** Whether driftgate runs as root. */
  readonly isRoot: boolean
}

type AboutHosts = Pick<AboutInventory, 'complain' | 'isRoot'>

/** The key that variables of Ansible have in data, so that none of them means what a policy calls the same. */
const DATA_KEY = 'inventory'

interface Group {
  readonly hosts?: readonly string[]
  readonly children?: readonly string[]
}

/**
 * Reads what `ansible-inventory --list` prints: groups by name, and below `_meta.hostvars` the variables of each host, those of its groups
 * among them. A host that cannot be reached as it says is refused by itself.
 */
export function readAnsible(file: string, text: string, about: AboutHosts): Result<Inventory> {
  const { _meta: meta, ...groups } = JSON.parse(text) as Readonly<Record<string, Group>> & {
    readonly _meta?: { readonly hostvars?: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
  }
  const byName = new Map(Object.entries(groups))
  const variables = new Map(Object.entries(meta?.hostvars ?? {}))
  const hosts = [...hostsOf(byName, 'all')]
  if (hosts.length === 0) {
    const message = `${file}: the inventory has no host: there is nothing to look at`
    return { ok: false, problems: [{ message, severity: 'error' }] }
  }
  const targets = hosts.map((host) =>
    targetOf({ file, host, variables: new Map(Object.entries(variables.get(host) ?? {})) }, about),
  )
  const members = [...byName.keys()].map((name) => [name, { targets: hostsOf(byName, name) }] as const)
  return { ok: true, value: { targets, groups: new Map(members) }, warnings: [] }
}

/** The hosts of a group and of all groups below it. */
function hostsOf(groups: ReadonlyMap<string, Group>, name: string): ReadonlySet<string> {
  const names = new Set([name])
  for (const each of names) for (const child of groups.get(each)?.children ?? []) names.add(child)
  return new Set([...names].flatMap((each) => groups.get(each)?.hosts ?? []))
}

interface HostToRead extends Pick<AnsibleHost, 'host' | 'variables'> {
  readonly file: string
}

function targetOf({ file, host, variables }: HostToRead, { complain, isRoot }: AboutHosts): InventoryTarget {
  const refused: Problem[] = []
  const refuse = (why: string): void => {
    refused.push({ message: `${file}: host ${host}: ${why}`, severity: 'error' })
  }
  const { spec, way } = ansibleWay(askHost({ host, variables, isRoot }, refuse)) ?? { spec: 'local', way: {} }
  const complaint = refused.length === 0 ? complain(spec) : undefined
  if (complaint !== undefined) refuse(`"${spec}" is no target: it ${complaint}`)
  const passedOver: PassedOver[] = []
  const values: [string, unknown][] = []
  for (const [name, value] of variables) {
    const role = roleOf(name, value)
    if (role === 'data') values.push([name, value])
    else if (role !== 'connection') passedOver.push({ name, why: role })
  }
  const data = layersOf(values, `${file}: host ${host}`, refuse)
  return { name: host, spec, way, labels: {}, data, position: { file, line: 1, column: 1 }, refused, passedOver }
}

function layersOf(
  values: readonly [string, unknown][],
  origin: string,
  refuse: (why: string) => void,
): readonly Layer[] {
  if (values.length === 0) return []
  try {
    return [{ origin, data: new Map([[DATA_KEY, fromPlain(Object.fromEntries(values))]]), merge: 'deep' }]
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    refuse(`its variables: ${error.message}`)
    return []
  }
}
