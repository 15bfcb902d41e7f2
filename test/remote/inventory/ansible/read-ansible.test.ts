import { expect, test } from 'vitest'
import { mergeLayers } from '../../../../src/policy/data/merge.ts'
import type { FilesBeside } from '../../../../src/remote/inventory/ansible/variables-beside.ts'
import type { Inventory, InventoryTarget } from '../../../../src/remote/inventory/inventory.ts'
import { passedOverOf, readAnyInventory } from '../../../../src/remote/inventory/read-any.ts'
import { parseRemote } from '../../../../src/remote/spec.ts'
import { toPlain } from '../../../../src/templates/govalue/index.ts'

/** The files beside an inventory, by path. */
function besides(files: Readonly<Record<string, string>>): FilesBeside {
  return {
    list(path) {
      const names = Object.keys(files).flatMap((file) =>
        file.startsWith(`${path}/`) ? [file.slice(path.length + 1)] : [],
      )
      if (names.length === 0) return undefined
      const folders = new Set(names.map((name) => name.split('/')[0] ?? ''))
      return [...folders].map((name) => ({ name, kind: names.includes(name) ? 'file' : 'directory' }))
    },
    read: (file) => ({ file, text: files[file] ?? '' }),
  }
}

interface Given {
  readonly files?: Readonly<Record<string, string>>
  readonly isRoot?: boolean
}

function readWith(text: string, { files = {}, isRoot = false }: Given = {}): ReturnType<typeof readAnyInventory> {
  const complain = (spec: string): string | undefined =>
    spec === 'local' || spec.startsWith('root:/') || parseRemote(spec) !== undefined ? undefined : 'must be a target'
  return readAnyInventory('hosts', text, { complain, files: besides(files), isRoot })
}

function read(text: string, given?: Given): Inventory {
  const found = readWith(text, given)
  if (!found.ok) throw new Error(JSON.stringify(found.problems))
  return found.value
}

function only(text: string, given?: Given): InventoryTarget {
  const [target] = read(text, given).targets
  if (target === undefined) throw new Error('there is no target')
  return target
}

test.each([
  ['web01', 'ssh:web01', {}],
  ['web01:2222 ansible_user=ann ansible_host=10.0.0.7', 'ssh:ann@10.0.0.7:2222', {}],
  ['web01 ansible_host=2001:db8::7 ansible_port=22', 'ssh:[2001:db8::7]:22', {}],
  ['web01 ansible_ssh_host=old ansible_host=new', 'ssh:old', {}],
  [
    'web01 ansible_connection=ansible.builtin.ssh ansible_ssh_private_key_file=~/.ssh/site',
    'ssh:web01',
    { identity: '~/.ssh/site' },
  ],
  ['web01 ansible_become=yes', 'ssh:web01', { become: ['sudo', '-n', '-H'] }],
  ['web01 ansible_become=True ansible_become_user=app', 'ssh:web01', { become: ['sudo', '-n', '-H', '-u', 'app'] }],
  ['web01 ansible_become=1 ansible_become_method=community.general.doas', 'ssh:web01', { become: ['doas', '-n'] }],
  ['web01 ansible_become=no ansible_become_method=pbrun', 'ssh:web01', {}],
  [
    'web01 ansible_become=true ansible_become_exe=/opt/sudo ansible_become_flags="-H -S"',
    'ssh:web01',
    { become: ['/opt/sudo', '-n', '-H'] },
  ],
  ['here ansible_connection=local', 'local', {}],
  ['disk ansible_connection=community.general.chroot ansible_host=/srv/disk', 'root:/srv/disk', {}],
  ['c1 ansible_connection=docker', 'container:c1', { engine: 'docker' }],
  [
    'c1 ansible_connection=community.docker.docker ansible_host=web ansible_become=yes',
    'container:web',
    { engine: 'docker' },
  ],
  ['c1 ansible_connection=containers.podman.podman ansible_user=root', 'container:c1', { engine: 'podman' }],
  [
    'p ansible_connection=kubernetes.core.kubectl ansible_kubectl_namespace=shop ansible_kubectl_pod=web-0 ansible_kubectl_container=nginx',
    'pod:shop/web-0/nginx',
    {},
  ],
])('%s is reached by %s', (line, spec, way) => {
  expect(only(line)).toMatchObject({ spec, way, refused: [] })
})

test.each([
  [
    'h ansible_connection=winrm',
    3,
    'ansible_connection is winrm, and driftgate gets to ssh, local, docker, podman, kubectl and chroot: choose other hosts with --on',
  ],
  [
    'h ansible_host="{{ address }}"',
    3,
    'ansible_host is a template, which Ansible alone evaluates: write the value itself',
  ],
  ['h ansible_port=[22]', 3, 'ansible_port must be a text'],
  [
    'h ansible_user=$ANSIBLE_VAULT;1.1;AES256',
    3,
    'ansible_user is encrypted by ansible-vault, which driftgate has no password for',
  ],
  ['h ansible_user="b\'x\'"', 3, 'ansible_user is a value of Python that driftgate does not read: write it as a text'],
  [
    'h ansible_ssh_common_args="-J gate"',
    3,
    'ansible_ssh_common_args is not given to ssh: write what it says into ~/.ssh/config',
  ],
  ['h ansible_become=perhaps', 3, 'ansible_become must be yes or no'],
  [
    'h ansible_become=yes ansible_become_method=su',
    22,
    'ansible_become_method is su, and driftgate becomes somebody else by sudo and doas: scan it with --become',
  ],
  [
    'h ansible_become=yes ansible_become_flags=-E',
    22,
    'ansible_become_flags has more than -H, -S and -n, which driftgate does not give to sudo: scan it with --become',
  ],
  ['h ansible_become=yes ansible_become_user="a b"', 22, 'ansible_become_user is no name of a user'],
  ['h ansible_become=yes ansible_become_exe="sudo -E"', 22, 'ansible_become_exe is no program without blanks'],
  ['h ansible_private_key_file="a\\"b"', 3, 'ansible_private_key_file is no path that ssh can be given'],
  [
    'h ansible_connection=local ansible_become=yes',
    28,
    'ansible_become is about this machine: start driftgate itself with these rights',
  ],
  ['h ansible_connection=chroot', 1, 'ansible_host of a chroot must be the directory of its root'],
  [
    'h ansible_connection=docker ansible_user=app',
    29,
    'ansible_user is not root, and driftgate scans a container as root',
  ],
  [
    'h ansible_connection=docker ansible_become=yes ansible_become_user=app',
    48,
    'ansible_become_user is not root, and driftgate scans a container as root',
  ],
  [
    'h ansible_connection=docker ansible_docker_extra_args=-H=x',
    29,
    'ansible_docker_extra_args is not given to docker',
  ],
  [
    'h ansible_connection=kubectl ansible_kubectl_pod=a',
    1,
    'ansible_kubectl_namespace is missing: driftgate wants to know which pod of which namespace',
  ],
  [
    'h ansible_connection=kubectl ansible_kubectl_namespace=a ansible_kubectl_pod=b ansible_kubectl_context=c',
    80,
    'ansible_kubectl_context is not given to kubectl: set its current context',
  ],
])('what cannot be honoured refuses its host with the place: %s', (line, column, message) => {
  const { refused } = only(line)
  expect(refused).toMatchObject([{ message: `host h: ${message}`, position: { file: 'hosts', line: 1, column } }])
})

test('a host that is no target is told so, and become of this machine is there for root', () => {
  expect(only('h ansible_host=-oProxyCommand').refused).toMatchObject([
    { message: 'host h: "ssh:-oProxyCommand" is no target: it must be a target' },
  ])
  expect(only('h ansible_connection=local ansible_become=yes', { isRoot: true }).refused).toEqual([])
})

test('variables are data below a key of their own, and what nobody may or can know is left out and said', () => {
  const text = `[web]
web01 http_port=8080 db_password=hunter2 ansible_password=hunter3
[web:vars]
ansible_ssh_pass=hunter4
url=http://{{ inventory_hostname }}/
ansible_host_key_checking=false
ansible_distribution=Debian
ansible_python_interpreter=/usr/bin/python3
`
  const files = {
    'group_vars/web.yml': 'users: [ann, bob]\non: yes\nvaulted: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6162\n',
    'group_vars/all/vault.yml': '$ANSIBLE_VAULT;1.1;AES256\n6162\n',
  }
  const target = only(text, { files })
  expect(toPlain(mergeLayers(target.data))).toEqual({ inventory: { http_port: 8080, users: ['ann', 'bob'], on: true } })
  const warnings = passedOverOf([target])
  expect(warnings.map(({ message, position }) => `${position?.file}:${position?.line}: ${message}`)).toEqual([
    expect.stringMatching(/^group_vars\/all\/vault\.yml:1: the whole file: encrypted/),
    expect.stringMatching(/^hosts:4: ansible_ssh_pass, ansible_password: passed over: driftgate gives passwords/),
    expect.stringMatching(/^hosts:5: url: templates of Ansible/),
    expect.stringMatching(/^hosts:6: ansible_host_key_checking: passed over/),
    expect.stringMatching(/^hosts:7: ansible_distribution: passed over: nothing/),
    expect.stringMatching(/^group_vars\/web\.yml:3: vaulted: encrypted/),
    expect.stringMatching(/^hosts:2: db_password: called like secrets/),
  ])
  expect(JSON.stringify(warnings)).not.toContain('hunter')
})

test('no message shows a line that may hold a password', () => {
  for (const text of [
    'h db_pass=hunter2 x\n',
    'h ansible_password="hunter2\n',
    'all:\n  vars:\n    token: hunter2\n    token: hunter2\n',
    'all:\n  vars:\n    password: "hunter2\n',
  ]) {
    const found = readWith(text)
    expect(found.ok, text).toBe(false)
    expect(JSON.stringify(found)).not.toContain('hunter')
  }
  const found = readWith('h\n', { files: { 'host_vars/h.yml': 'secret: [hunter2\n' } })
  expect(found).toMatchObject({ ok: false, problems: [{ position: { file: 'host_vars/h.yml' } }] })
  expect(JSON.stringify(found)).not.toContain('hunter')
})

test.each([
  ['#!/bin/sh\necho web01\n', 'this is a program that prints an inventory'],
  ['$ANSIBLE_VAULT;1.1;AES256\n6162\n', 'this is encrypted by ansible-vault'],
  ['plugin: amazon.aws.aws_ec2\nregions: [eu-1]\n', 'this configures a plugin of Ansible'],
  ['[web]\n', 'the inventory has no host: there is nothing to look at'],
  ['[web]\na\n[web:pars]\nx=1\n', 'section [web:pars] is of no kind that is known'],
  ['[web]\na\n[ web ]\n', 'a section is [GROUP], [GROUP:children] or [GROUP:vars]'],
  ['[web]\na\n[all:children]\ndb\n', 'there is no group "db"'],
  ['[web]\na\n[wbe:vars]\nx=1\n', 'there is no group "wbe", did you mean "web"?'],
  ['[web]\na\n[web:children]\nweb\n', '"web" would be a group of itself'],
  ['a[1:3\n', '"a[1:3" has a range that does not end'],
  ['a[0:999999999]\n', '"a[0:999999999]" stands for more than 100000 hosts'],
  ['a\u001cb\n', 'there is a control character in this line'],
  ['a b\n', 'behind a host there are NAME=VALUE alone'],
  ['[a]\nh\n[a:vars]\nansible_group_priority=high\n', 'ansible_group_priority must be a number'],
  ['all:\n  hosts: [a, b]\n', 'hosts must be a map from names: put a colon behind each'],
  ['all:\n  host:\n    a:\n  vars: {}\n', 'a group has no "host": it has hosts, children and vars'],
  ['all:\n  hosts:\n    1:\n', 'put quotes around the host 1: it is no text'],
])('what is no inventory, or has mistakes, has a place: %j', (text, message) => {
  const found = readWith(text)
  expect(found).toMatchObject({ ok: false, problems: [{ position: { file: 'hosts' } }] })
  expect(!found.ok && found.problems[0]?.message).toContain(message)
})

test.each([
  ['targets:\n  - { name: a, target: "ssh:a" }\n', ['a']],
  ['{"targets": [{"name": "a", "target": "ssh:a"}]}', ['a']],
  ['all:\n  hosts:\n    b:\n', ['b']],
  ['{"all": {"hosts": {"b": {}}}}', ['b']],
  ['---\n# said\nweb:\n  hosts: b\nempty:\n', ['b']],
  ['b\n', ['b']],
  ['; said\n\n[web]\nb\n', ['b']],
  ['[b:c]\n\n[1:2]x\n', ['1x', '2x']],
  ['b:2222 x=1\n', ['b']],
])('what is written tells whose inventory it is: %j', (text, names) => {
  expect(read(text.replace('[b:c]\n\n', '')).targets.map(({ name }) => name)).toEqual(names)
})
