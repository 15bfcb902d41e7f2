import { chmodSync, chownSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { put } from '../../../support/contract.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { DEBIAN, type Files, needsRoot, type Row, verdictOf, WANTS } from './host.ts'

const DOCKER: Files = { ...DEBIAN, 'usr/bin/dockerd': 'x', 'etc/docker/daemon.json': '{ "icc": false }\n' }

const DOCKER_UNIT = 'usr/lib/systemd/system/docker.service'

const DOCKER_ENVIRONMENT = 'EnvironmentFile=-/etc/default/docker'

/** A daemon that its service starts with these options. */
function dockerWith(options: string, more: Files = {}): Files {
  const start = `ExecStart=/usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock ${options}`
  return { ...DOCKER, [DOCKER_UNIT]: `[Service]\n${DOCKER_ENVIRONMENT}\n${start}\n`, ...more }
}

function dockerGroup(members: string): Files {
  return { ...DOCKER, 'etc/group': `root:x:0:\nbob:x:1001:\ndocker:x:990:${members}\n` }
}

const BOB = ['docker_administrators=[bob]']

test.skipIf(needsRoot).each<Row>([
  ['@docker-host docker-group', 'an unapproved member', { files: dockerGroup('bob') }, 'drifted'],
  ['@docker-host docker-group', 'an approved member', { files: dockerGroup('bob'), set: BOB }, 'compliant'],
  ['@docker-host docker-group', 'someone approved who is no member', { files: dockerGroup(''), set: BOB }, 'compliant'],
  [
    '@docker-host docker-group',
    'an approved one whose primary group it is',
    { files: { ...dockerGroup(''), 'etc/passwd': 'root:x:0:0::/root:/bin/sh\nbob:x:1001:990::/:/bin/sh\n' }, set: BOB },
    'compliant',
  ],
  [
    '@docker-host docker-group',
    'a member of another group with its number',
    { files: { ...DOCKER, 'etc/group': 'root:x:0:\nbob:x:1001:\ndocker:x:990:\nstaff:x:990:bob\n' } },
    'drifted',
  ],
  ['@docker-host docker-tcp', 'as packages install it', { files: dockerWith('') }, 'compliant'],
  ['@docker-host docker-tcp', 'a port on the command line', { files: dockerWith('-H tcp://0.0.0.0:2375') }, 'drifted'],
  ['@docker-host docker-tcp', 'a port without a scheme', { files: dockerWith('-DH=0.0.0.0:2375') }, 'drifted'],
  [
    '@docker-host docker-tcp',
    'a port with certificates',
    { files: dockerWith('--host tcp://0.0.0.0:2376 --tlsverify') },
    'compliant',
  ],
  [
    '@docker-host docker-tcp',
    'a port from the environment',
    { files: dockerWith('$DOCKER_OPTS', { 'etc/default/docker': 'DOCKER_OPTS="-H tcp://0.0.0.0:2375"\n' }) },
    'drifted',
  ],
  [
    '@docker-host docker-tcp',
    'a port in a drop-in',
    {
      files: dockerWith('', {
        'etc/systemd/system/docker.service.d/port.conf':
          '[Service]\nExecStart=\nExecStart=/usr/bin/dockerd -H tcp://:2375\n',
      }),
    },
    'drifted',
  ],
  [
    '@docker-host docker-tcp',
    'a port of its socket',
    {
      files: dockerWith('', {
        'usr/lib/systemd/system/docker.socket': '[Socket]\nListenStream=/run/docker.sock\n',
        'etc/systemd/system/docker.socket.d/port.conf': '[Socket]\nListenStream=0.0.0.0:2375\n',
      }),
    },
    'drifted',
  ],
  ...(
    [
      ['/run/docker.sock\nSocketMode=0660\nSocketGroup=docker', 'compliant'],
      ['/run/docker.sock\nSocketMode=0666', 'drifted'],
      ['/run/docker.sock', 'drifted'],
      ['/run/docker.sock\nSocketMode=0660\nSocketGroup=users', 'drifted'],
      ['@docker\nSocketMode=0660', 'drifted'],
      ['/run/docker.sock\nSocketMode=0660\nSocketUser=bob', 'drifted'],
    ] as const
  ).map(([stream, verdict]): Row => [
    '@docker-host docker-socket',
    stream,
    { files: dockerWith('', { 'usr/lib/systemd/system/docker.socket': `[Socket]\nListenStream=${stream}\n` }) },
    verdict,
  ]),
  ...(
    [
      ['docker-tcp', 'ListenStream=2375\nService=docker.service', '', 'drifted'],
      ['docker-tcp', 'ListenStream=2375\nService=other.service', '', 'compliant'],
      ['docker-tcp', 'ListenStream=2375', 'Sockets=api.socket', 'drifted'],
      ['docker-socket', 'ListenStream=/run/api.sock\nSocketMode=0666\nService=docker.service', '', 'drifted'],
      ['docker-socket', 'ListenStream=2376\nService=docker.service', '', 'compliant'],
    ] as const
  ).map(([control, socket, service, verdict]): Row => [
    `@docker-host ${control}`,
    `another socket, ${socket} ${service}`,
    {
      files: dockerWith('', {
        'usr/lib/systemd/system/docker.socket': '[Socket]\nListenStream=/run/docker.sock\nSocketMode=0660\n',
        'etc/systemd/system/api.socket': `[Socket]\n${socket}\n`,
        'etc/systemd/system/docker.service.d/api.conf': `[Service]\n${service}\n`,
        'etc/systemd/system/sockets.target.wants/.keep': '',
      }),
      links: { 'etc/systemd/system/sockets.target.wants/api.socket': '/etc/systemd/system/api.socket' },
    },
    verdict,
  ]),
  [
    '@docker-host docker-registries',
    'one on the command line',
    { files: dockerWith('--insecure-registry a:5000') },
    'drifted',
  ],
  [
    '@docker-host docker-iptables',
    'switched off on the command line',
    { files: dockerWith('--iptables=0') },
    'drifted',
  ],
  [
    '@docker-host docker-icc',
    'switched off on the command line alone',
    { files: dockerWith('--icc=false', { 'etc/docker/daemon.json': '{}' }) },
    'compliant',
  ],
  [
    '@docker-host docker-ulimits',
    'on the command line',
    { files: dockerWith('--default-ulimit nofile=1024:4096') },
    'compliant',
  ],
  [
    '@docker-host docker-log-level',
    'in another file',
    { files: dockerWith('--config-file=/srv/docker.json', { 'srv/docker.json': '{ "log-level": "fatal" }' }) },
    'drifted',
  ],
  [
    '@docker-host docker-tcp',
    'a port of an environment file with blanks and a continued line',
    { files: dockerWith('$DOCKER_OPTS', { 'etc/default/docker': 'DOCKER_OPTS = -D \\\n -H tcp://:2375\n' }) },
    'drifted',
  ],
  [
    '@docker-host docker-tcp',
    'a port of an environment file that a pattern names',
    {
      files: dockerWith('$MORE', {
        'etc/systemd/system/docker.service.d/a.conf': '[Service]\nEnvironmentFile=/etc/docker.d/*.env\n',
        'etc/docker.d/a.env': 'MORE=-H tcp://:2375\n',
      }),
    },
    'drifted',
  ],
  ...['/bin/sh -c "exec dockerd -H tcp://:2375"', '/usr/local/bin/start-docker'].map((command): Row => [
    '@docker-host docker-tcp',
    `a daemon that ${command} starts`,
    { files: dockerWith('', { 'etc/systemd/system/docker.service': `[Service]\nExecStart=${command}\n` }) },
    'error',
  ]),
  // Of a switch, the next word is no value.
  ['@docker-host docker-tcp', 'a port after a switch', { files: dockerWith('--init -H tcp://:2375') }, 'drifted'],
  [
    '@docker-host docker-config',
    'another file that others change',
    {
      files: dockerWith('--config-file=/srv/docker.json', { 'srv/docker.json': '{}' }),
      modes: { 'srv/docker.json': 0o666 },
    },
    'drifted',
  ],
  [
    '@docker-host docker-config',
    'another file that root changes',
    {
      files: dockerWith('--config-file=/srv/docker.json', { 'srv/docker.json': '{}' }),
      modes: { 'srv/docker.json': 0o644 },
    },
    'compliant',
  ],
  [
    '@docker-host docker-unit',
    'a unit in a home',
    {
      files: dockerWith('', {
        'home/bob/unit': '[Service]\nExecStart=/usr/bin/dockerd\n',
        'etc/systemd/system/a.service': '',
      }),
      links: { 'etc/systemd/system/docker.service': '/home/bob/unit' },
      owned: ['home/bob/unit'],
    },
    'drifted',
  ],
  [
    '@docker-host docker-unit',
    'a unit that root changes',
    {
      files: dockerWith('', {
        'srv/unit': '[Service]\nExecStart=/usr/bin/dockerd\n',
        'etc/systemd/system/a.service': '',
      }),
      links: { 'etc/systemd/system/docker.service': '/srv/unit' },
    },
    'compliant',
  ],
  [
    '@docker-host docker-default',
    'another environment file that others change',
    {
      files: dockerWith('$OPTIONS', {
        'etc/systemd/system/docker.service.d/a.conf': '[Service]\nEnvironmentFile=-/etc/sysconfig/docker\n',
        'etc/sysconfig/docker': 'OPTIONS=\n',
      }),
      modes: { 'etc/sysconfig/docker': 0o666 },
    },
    'drifted',
  ],
  [
    '@docker-host docker-certificates',
    'an authority that others change',
    {
      files: dockerWith('--tlsverify --tlscacert=/etc/docker/ca.pem', { 'etc/docker/ca.pem': '' }),
      modes: { 'etc/docker/ca.pem': 0o666 },
    },
    'drifted',
  ],
  [
    '@docker-host docker-certificates',
    'a key of the command line',
    { files: dockerWith('--tlsverify --tlskey=/srv/k.pem', { 'srv/k.pem': '' }), modes: { 'srv/k.pem': 0o644 } },
    'drifted',
  ],
  [
    '@docker-host docker-certificates',
    'the key of a daemon without options for it',
    { files: dockerWith('--tls', { 'root/.docker/key.pem': '' }), modes: { 'root/.docker/key.pem': 0o644 } },
    'drifted',
  ],
  [
    '@docker-host docker-certificates',
    'a key in the directory of the environment',
    {
      files: dockerWith('--tlsverify', {
        'etc/default/docker': 'DOCKER_CERT_PATH=/srv/certs\n',
        'srv/certs/key.pem': '',
      }),
      modes: { 'srv/certs/key.pem': 0o644 },
    },
    'drifted',
  ],
  [
    '@docker-host docker-data',
    'a directory elsewhere',
    { files: dockerWith('-g /srv/docker', { 'srv/docker/a': '' }), modes: { 'srv/docker': 0o777 } },
    'drifted',
  ],
  [
    '@docker-host docker-tcp',
    'a second daemon',
    {
      files: dockerWith('', {
        'etc/systemd/system/docker-site.service': '[Service]\nExecStart=/usr/bin/dockerd -H tcp://:2375\n',
        [`${WANTS}/docker-site.service`]: '',
      }),
    },
    'error',
  ],
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})

// The root of a user namespace enters it by its group. @see https://docs.docker.com/engine/security/userns-remap/
test.skipIf(needsRoot)('@docker-host docker-data: a data directory of the group of a remapped root stays', async () => {
  const root = temporaryDirectory()
  const data = join(root, 'var/lib/docker')
  put(root, { 'var/lib/docker/100000.100000/a': '' })
  chmodSync(data, 0o710)
  chownSync(data, 0, 100_000)
  const files = { ...DOCKER, 'etc/docker/daemon.json': '{ "userns-remap": "default" }' }
  expect(await verdictOf('@docker-host docker-data', { files }, root, true)).toBe('compliant')
  expect(statSync(data).gid).toBe(100_000)
})
