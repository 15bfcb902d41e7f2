import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { mergeLayers } from '../../../../src/policy/data/merge.ts'
import type { Inventory, InventoryTarget } from '../../../../src/remote/inventory/inventory.ts'
import { passedOverOf, readAnyInventory } from '../../../../src/remote/inventory/read-any.ts'
import type { Listed } from '../../../../src/remote/inventory/ansible/read-ansible.ts'
import { parseRemote } from '../../../../src/remote/spec.ts'
import { toPlain } from '../../../../src/templates/govalue/index.ts'

interface Given {
  readonly listed?: Listed
  readonly isRoot?: boolean
}

const NOTHING: Listed = { reason: 'nobody is asked' }

function readWith(
  text: string | undefined,
  { listed = NOTHING, isRoot = false }: Given,
): ReturnType<typeof readAnyInventory> {
  const complain = (spec: string): string | undefined =>
    spec === 'local' || spec.startsWith('root:/') || parseRemote(spec) !== undefined ? undefined : 'must be a target'
  return readAnyInventory('hosts', text, { complain, list: () => Promise.resolve(listed), isRoot })
}

/** The hosts with these variables, as `ansible-inventory --list` prints them. */
async function read(
  hosts: string,
  more: Omit<Given, 'listed'> & { readonly groups?: object } = {},
): Promise<Inventory> {
  const hostvars = parse(hosts) as object
  const { groups = { all: { hosts: Object.keys(hostvars) } }, ...given } = more
  const text = JSON.stringify({ _meta: { hostvars }, ...groups })
  const found = await readWith('web01\n', { ...given, listed: { text, warnings: [] } })
  if (!found.ok) throw new Error(JSON.stringify(found.problems))
  return found.value
}

async function only(hosts: string, given?: Omit<Given, 'listed'>): Promise<InventoryTarget> {
  const [target] = (await read(hosts, given)).targets
  if (target === undefined) throw new Error('there is no target')
  return target
}

test.each([
  [`{ web01: {} }`, 'ssh:web01', {}],
  [`{ web01: { ansible_port: 2222, ansible_user: 'ann', ansible_host: '10.0.0.7' } }`, 'ssh:ann@10.0.0.7:2222', {}],
  [`{ web01: { ansible_host: '2001:db8::7', ansible_port: 22 } }`, 'ssh:[2001:db8::7]:22', {}],
  [`{ web01: { ansible_ssh_host: 'old', ansible_host: 'new' } }`, 'ssh:old', {}],
  [
    `{ web01: { ansible_connection: 'ansible.builtin.ssh', ansible_ssh_private_key_file: '~/.ssh/site' } }`,
    'ssh:web01',
    { identity: '~/.ssh/site' },
  ],
  [`{ web01: { ansible_become: 'yes' } }`, 'ssh:web01', { become: ['sudo', '-n', '-H'] }],
  [
    `{ web01: { ansible_become: true, ansible_become_user: 'app' } }`,
    'ssh:web01',
    { become: ['sudo', '-n', '-H', '-u', 'app'] },
  ],
  [
    `{ web01: { ansible_become: 1, ansible_become_method: 'community.general.doas' } }`,
    'ssh:web01',
    { become: ['doas', '-n'] },
  ],
  [`{ web01: { ansible_become: 'no', ansible_become_method: 'pbrun' } }`, 'ssh:web01', {}],
  [
    `{ web01: { ansible_become: 'true', ansible_become_exe: '/opt/sudo', ansible_become_flags: '-H -S' } }`,
    'ssh:web01',
    { become: ['/opt/sudo', '-n', '-H'] },
  ],
  [`{ here: { ansible_connection: 'local' } }`, 'local', {}],
  [`{ disk: { ansible_connection: 'community.general.chroot', ansible_host: '/srv/disk' } }`, 'root:/srv/disk', {}],
  [`{ c1: { ansible_connection: 'docker' } }`, 'container:c1', { engine: 'docker' }],
  [
    `{ c1: { ansible_connection: 'community.docker.docker', ansible_host: 'web', ansible_become: 'yes' } }`,
    'container:web',
    { engine: 'docker' },
  ],
  [
    `{ c1: { ansible_connection: 'containers.podman.podman', ansible_user: 'root' } }`,
    'container:c1',
    { engine: 'podman' },
  ],
  [
    `{ p: { ansible_connection: 'kubernetes.core.kubectl', ansible_kubectl_namespace: 'shop', ansible_kubectl_pod: 'web-0', ansible_kubectl_container: 'nginx' } }`,
    'pod:shop/web-0/nginx',
    {},
  ],
])('%s is reached by %s', async (hosts, spec, way) => {
  expect(await only(hosts)).toMatchObject({ spec, way, refused: [] })
})

test.each([
  [
    `{ h: { ansible_connection: 'winrm' } }`,
    'ansible_connection is winrm, and driftgate supports ssh, local, docker, podman, kubectl and chroot: select other hosts with --on',
  ],
  [
    `{ h: { ansible_host: '{{ address }}' } }`,
    'ansible_host is a template, which only Ansible evaluates: write the value itself',
  ],
  [`{ h: { ansible_port: [22] } }`, 'ansible_port must be a string'],
  [
    `{ h: { ansible_user: '$ANSIBLE_VAULT;1.1;AES256' } }`,
    'ansible_user is encrypted by ansible-vault, and driftgate has no password for it',
  ],
  [
    `{ h: { ansible_ssh_common_args: '-J gate' } }`,
    'ansible_ssh_common_args is not passed to ssh: set it in ~/.ssh/config',
  ],
  [`{ h: { ansible_become: 'perhaps' } }`, 'ansible_become must be yes or no'],
  [
    `{ h: { ansible_become: 'yes', ansible_become_method: 'su' } }`,
    'ansible_become_method is su, and driftgate supports sudo and doas only: use --become',
  ],
  [
    `{ h: { ansible_become: 'yes', ansible_become_flags: '-E' } }`,
    'ansible_become_flags has more than -H, -S and -n, which driftgate does not give to sudo: scan it with --become',
  ],
  [`{ h: { ansible_become: 'yes', ansible_become_user: 'a b' } }`, 'ansible_become_user is not a user name'],
  [
    `{ h: { ansible_become: 'yes', ansible_become_exe: 'sudo -E' } }`,
    'ansible_become_exe is not a program name without spaces',
  ],
  [`{ h: { ansible_private_key_file: 'a"b' } }`, 'ansible_private_key_file is not a path that ssh supports'],
  [
    `{ h: { ansible_connection: 'local', ansible_become: 'yes' } }`,
    'ansible_become is for this host: start driftgate itself with these privileges',
  ],
  [`{ h: { ansible_connection: 'chroot' } }`, 'ansible_host of a chroot must be the directory of its root'],
  [
    `{ h: { ansible_connection: 'docker', ansible_user: 'app' } }`,
    'ansible_user is not root, and driftgate scans a container as root',
  ],
  [
    `{ h: { ansible_connection: 'docker', ansible_become: 'yes', ansible_become_user: 'app' } }`,
    'ansible_become_user is not root, and driftgate scans a container as root',
  ],
  [
    `{ h: { ansible_connection: 'docker', ansible_docker_extra_args: '-H=x' } }`,
    'ansible_docker_extra_args is not passed to docker',
  ],
  [
    `{ h: { ansible_connection: 'kubectl', ansible_kubectl_pod: 'a' } }`,
    'ansible_kubectl_namespace is missing: driftgate needs the pod and its namespace',
  ],
  [
    `{ h: { ansible_connection: 'kubectl', ansible_kubectl_namespace: 'a', ansible_kubectl_pod: 'b', ansible_kubectl_context: 'c' } }`,
    'ansible_kubectl_context is not passed to kubectl: set its current context',
  ],
])('an unsupported setting refuses its host: %s', async (hosts, message) => {
  expect((await only(hosts)).refused).toEqual([{ message: `hosts: host h: ${message}`, severity: 'error' }])
})

test('a host that is no target is told so, and become of this machine is there for root', async () => {
  expect((await only('{ h: { ansible_host: -oProxyCommand } }')).refused).toMatchObject([
    { message: 'hosts: host h: "ssh:-oProxyCommand" is not a target: it must be a target' },
  ])
  const become = '{ h: { ansible_connection: local, ansible_become: true } }'
  expect((await only(become, { isRoot: true })).refused).toEqual([])
})

test('groups have the hosts of the groups below them, in the order in which they are listed', async () => {
  const groups = {
    all: { children: ['ungrouped', 'site'] },
    site: { children: ['web', 'db'] },
    web: { hosts: ['w2', 'w1'] },
    db: { hosts: ['d', 'w1'] },
  }
  const found = await read('{ w1: { x: 1 } }', { groups })
  expect(found.targets.map(({ name }) => name)).toEqual(['w2', 'w1', 'd'])
  expect([...found.groups].map(([name, { targets }]) => [name, [...targets]])).toEqual([
    ['all', ['w2', 'w1', 'd']],
    ['site', ['w2', 'w1', 'd']],
    ['web', ['w2', 'w1']],
    ['db', ['d', 'w1']],
  ])
})

test('variables are data below one key, and secret or unusable ones are left out with a warning', async () => {
  const target = await only(`web01:
  http_port: 8080
  users: [ann, bob]
  on: true
  db_password: hunter2
  ansible_password: hunter3
  ansible_ssh_pass: hunter4
  url: http://{{ inventory_hostname }}/
  ansible_host_key_checking: false
  ansible_distribution: Debian
  ansible_python_interpreter: /usr/bin/python3
  vaulted: { __ansible_vault: "$ANSIBLE_VAULT;1.1;AES256" }
`)
  expect(toPlain(mergeLayers(target.data))).toEqual({ inventory: { http_port: 8080, users: ['ann', 'bob'], on: true } })
  const warnings = passedOverOf('hosts', [target])
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^hosts: db_password: named like secrets/),
    expect.stringMatching(/^hosts: ansible_password, ansible_ssh_pass: ignored: driftgate passes no passwords/),
    expect.stringMatching(/^hosts: url: Ansible templates/),
    expect.stringMatching(/^hosts: ansible_host_key_checking: ignored/),
    expect.stringMatching(/^hosts: ansible_distribution: ignored: not a variable/),
    expect.stringMatching(/^hosts: vaulted: encrypted/),
  ])
  expect(JSON.stringify(warnings)).not.toContain('hunter')
})

test('an inventory without a host, or without an answer, is an error', async () => {
  const listed = (reply: Listed): ReturnType<typeof readWith> => readWith('[web]\n', { listed: reply })
  const empty = await listed({ text: '{"_meta": {"hostvars": {}}, "all": {"children": ["ungrouped"]}}', warnings: [] })
  expect(empty).toMatchObject({ ok: false, problems: [{ message: expect.stringContaining('no host') }] })
  expect(await listed({ reason: 'is not there' })).toMatchObject({
    ok: false,
    problems: [{ message: 'hosts: is not there' }],
  })
})

test.each([
  ['targets:\n  - { name: a, target: "ssh:a" }\n', true],
  ['{"targets": [{"name": "a", "target": "ssh:a"}]}', true],
  ['targets: [\n', true],
  ['# nothing\n', true],
  ['all:\n  hosts:\n    b:\n', false],
  ['b:2222 x=1\n', false],
  ['[b]\n', false],
  ['#!/bin/sh\n# targets:\n', false],
  ['plugin: amazon.aws.aws_ec2\n', false],
  [undefined, false],
])('the text tells an inventory of driftgate from others: %j', async (text, isOwn) => {
  const found = await readWith(text, {})
  expect(!found.ok && found.problems[0]?.message === 'hosts: nobody is asked').toBe(!isOwn)
})
