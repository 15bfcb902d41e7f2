import { defined } from '../../../model/defined.ts'
import type { Connection } from '../inventory.ts'
import { becomeOf } from './become.ts'
import type { AnsibleHost } from './asked.ts'

/** Connection of an Ansible host: the target text, and settings beyond it. */
export interface AnsibleConnection {
  readonly spec: string
  readonly way: Connection
}

/** Ansible connection plugins by short name, which collection names map to. */
const CONNECTIONS: Readonly<Record<string, (asked: AnsibleHost) => AnsibleConnection>> = {
  smart: sshWay,
  ssh: sshWay,
  paramiko: sshWay,
  paramiko_ssh: sshWay,
  local: localWay,
  chroot: chrootWay,
  docker: (asked) => containerWay(asked, 'docker'),
  docker_api: (asked) => containerWay(asked, 'docker'),
  podman: (asked) => containerWay(asked, 'podman'),
  kubectl: podWay,
}

const COLLECTION = /^(?:ansible\.builtin|community\.(?:general|docker)|containers\.podman|kubernetes\.core)\./

/** Undefined if driftgate cannot connect as Ansible would; `asked` receives the reason. */
export function ansibleWay(asked: AnsibleHost): AnsibleConnection | undefined {
  const connection = asked.text('ansible_connection') ?? 'smart'
  const name = connection.replace(COLLECTION, '')
  const way = Object.hasOwn(CONNECTIONS, name) ? CONNECTIONS[name] : undefined
  if (way !== undefined) return way(asked)
  asked.refuse(
    'ansible_connection',
    `is ${connection}, and driftgate supports ssh, local, docker, podman, kubectl and chroot: select other hosts with --on`,
  )
  return undefined
}

/** Settings that driftgate only takes from the ssh configuration. */
const SSH_ARGUMENTS = [
  'ansible_ssh_common_args',
  'ansible_ssh_extra_args',
  'ansible_ssh_args',
  'ansible_ssh_executable',
  'ansible_ssh_pkcs11_provider',
]

const KEYS: readonly [string, ...string[]] = ['ansible_private_key_file', 'ansible_ssh_private_key_file']

function sshWay(asked: AnsibleHost): AnsibleConnection {
  for (const name of SSH_ARGUMENTS) {
    if (asked.text(name) !== undefined) asked.refuse(name, 'is not passed to ssh: set it in ~/.ssh/config')
  }
  const host = asked.last(['ansible_host', 'ansible_ssh_host']) ?? asked.host
  const port = asked.last(['ansible_port', 'ansible_ssh_port'])
  const user = asked.last(['ansible_user', 'ansible_ssh_user'])
  const identity = asked.last(KEYS)
  if (identity !== undefined && /["\p{Cc}]/u.test(identity))
    asked.refuse(asked.given(KEYS), 'is not a path that ssh supports')
  const place = host.includes(':') ? `[${host}]` : host
  const spec = `ssh:${user === undefined ? '' : `${user}@`}${place}${port === undefined ? '' : `:${port}`}`
  const become = becomeOf(asked)
  return { spec, way: defined({ identity, become }) }
}

function localWay(asked: AnsibleHost): AnsibleConnection {
  if (becomeOf(asked) !== undefined && !asked.isRoot) {
    asked.refuse('ansible_become', 'is for this host: start driftgate itself with these privileges')
  }
  return { spec: 'local', way: {} }
}

function chrootWay(asked: AnsibleHost): AnsibleConnection {
  const path = asked.text('ansible_host') ?? asked.host
  if (!path.startsWith('/')) asked.refuse('ansible_host', 'of a chroot must be the directory of its root')
  return { spec: `root:${path}`, way: {} }
}

/** Users of a container engine are root in the container, so the scan runs as root. */
function containerWay(asked: AnsibleHost, engine: 'docker' | 'podman'): AnsibleConnection {
  for (const name of [`ansible_${engine}_extra_args`, 'ansible_docker_api_version', 'ansible_podman_executable']) {
    if (asked.text(name) !== undefined) asked.refuse(name, `is not passed to ${engine}`)
  }
  const users: readonly [string, ...string[]] = ['ansible_user', `ansible_${engine}_user`]
  if ((asked.last(users) ?? 'root') !== 'root') {
    asked.refuse(asked.given(users), 'is not root, and driftgate scans a container as root')
  }
  if (becomeOf(asked)?.includes('-u') === true) {
    asked.refuse('ansible_become_user', 'is not root, and driftgate scans a container as root')
  }
  const container = asked.last(['ansible_host', `ansible_${engine}_host`]) ?? asked.host
  return { spec: `container:${container}`, way: { engine } }
}

const OF_KUBECTL = /^ansible_kubectl_(?!pod$|namespace$|container$|password$|token$)/

function podWay(asked: AnsibleHost): AnsibleConnection {
  for (const name of asked.variables.keys()) {
    if (OF_KUBECTL.test(name) && asked.text(name) !== undefined) {
      asked.refuse(name, 'is not passed to kubectl: set its current context')
    }
  }
  const [namespace, name, container] = ['namespace', 'pod', 'container'].map((what) =>
    asked.text(`ansible_kubectl_${what}`),
  )
  if (namespace === undefined || name === undefined) {
    asked.refuse(
      `ansible_kubectl_${namespace === undefined ? 'namespace' : 'pod'}`,
      'is missing: driftgate needs the pod and its namespace',
    )
  }
  const spec = `pod:${namespace}/${name}${container === undefined ? '' : `/${container}`}`
  return { spec, way: defined({ become: becomeOf(asked) }) }
}
