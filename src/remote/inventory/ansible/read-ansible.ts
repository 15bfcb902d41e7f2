import type { Problem, Result } from '../../../model/problem.ts'
import type { Layer } from '../../../policy/data/merge.ts'
import { TemplateError } from '../../../templates/errors.ts'
import { fromPlain } from '../../../templates/govalue/index.ts'
import type { Inventory, InventoryTarget, PassedOver } from '../inventory.ts'
import { type AnsibleHost, askHost } from './asked.ts'
import { ansibleWay } from './way.ts'
import { isYes } from './become.ts'
import { findUnusable, NAMES_A_SECRET } from './variables.ts'

/** Variables for the connection, and for Ansible's own operation on the host. */
const OF_THE_CONNECTION =
  /^ansible_(?:connection|host|port|user|private_key_file|group_priority|(?:become|sudo|doas|su)(?:_(?:method|user|exe|flags|allow_same_user))?|ssh_(?:host|port|user|private_key_file|common_args|extra_args|args|executable|pkcs11_provider|pipelining|retries|timeout|transfer_method|use_tty)|(?:docker|podman|kubectl)_\w+|(?:scp|sftp)_\w+|[a-z0-9]+_interpreter|interpreter_\w+|pipelining|timeout|remote_tmp|async_dir|shell_(?:type|executable)|control_path(?:_dir)?|sshpass_prompt|(?:winrm|psrp|httpapi|network|netconf|libssh|paramiko)_\w+)$/

const A_PASSWORD = /^ansible_(?:\w+_)?(?:pass|password|passphrase|token)$/
const HOST_KEYS = /^ansible_(?:ssh_)?host_key_checking$/

/** Output and warnings of `ansible-inventory --list`, or the reason of its failure. */
export type Listed = { readonly text: string; readonly warnings: readonly string[] } | { readonly reason: string }

/** Context for reading an inventory. */
export interface AboutInventory {
  /** Describes why a target text is invalid, as the end of a sentence. */
  readonly complain: (spec: string) => string | undefined
  /** Runs `ansible-inventory` for the inventory at a path. */
  readonly list: (path: string) => Promise<Listed>
  /** True if driftgate runs as root. */
  readonly isRoot: boolean
}

type AboutHosts = Pick<AboutInventory, 'complain' | 'isRoot'>

/** Data key of Ansible variables, which separates them from the policy's own data. */
const DATA_KEY = 'inventory'

interface Group {
  readonly hosts?: readonly string[]
  readonly children?: readonly string[]
}

/**
 * Reads the output of `ansible-inventory --list`: groups by name, and in `_meta.hostvars` the variables of each host,
 * merged with those of its groups. A host with an unusable connection is refused individually.
 */
export function readAnsible(file: string, text: string, about: AboutHosts): Result<Inventory> {
  const { _meta: meta, ...groups } = JSON.parse(text) as Readonly<Record<string, Group>> & {
    readonly _meta?: { readonly hostvars?: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
  }
  const byName = new Map(Object.entries(groups))
  const variables = new Map(Object.entries(meta?.hostvars ?? {}))
  const hosts = [...hostsOf(byName, 'all')]
  if (hosts.length === 0) {
    const message = `${file}: the inventory has no hosts to scan`
    return { ok: false, problems: [{ message, severity: 'error' }] }
  }
  const targets = hosts.map((host) =>
    targetOf({ file, host, variables: new Map(Object.entries(variables.get(host) ?? {})) }, about),
  )
  const members = [...byName.keys()].map((name) => [name, { targets: hostsOf(byName, name) }] as const)
  return { ok: true, value: { targets, groups: new Map(members) }, warnings: [] }
}

/** Hosts of a group and its subgroups. */
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
  if (complaint !== undefined) refuse(`"${spec}" is not a target: it ${complaint}`)
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

/** Use of a variable: policy data, connection setting, or the reason why it is ignored. */
function roleOf(name: string, value: unknown): 'data' | 'connection' | PassedOver['why'] {
  if (A_PASSWORD.test(name)) return 'password'
  if (HOST_KEYS.test(name)) return isYes(String(value)) === true ? 'connection' : 'host-key'
  if (OF_THE_CONNECTION.test(name)) return 'connection'
  if (name.startsWith('ansible_')) return 'unknown'
  return findUnusable(value) ?? (NAMES_A_SECRET.test(name) ? 'secret' : 'data')
}
