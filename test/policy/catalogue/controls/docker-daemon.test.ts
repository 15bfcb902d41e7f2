import { expect, test } from 'vitest'
import { runInProcess } from '../../../support/command-line.ts'
import { put } from '../../../support/contract.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'
import { DEBIAN, type Files, needsRoot, type Row, verdictOf, WANTS } from './host.ts'

function dockerOf(json: string, more: Files = {}): Files {
  return { ...DEBIAN, 'usr/bin/dockerd': 'x', 'etc/docker/daemon.json': json, ...more }
}

function serviceOf(lines: string): Files {
  const unit = `[Service]\nExecStart=/usr/bin/dockerd -H fd://\n${lines}\n`
  return dockerOf('{}', { 'usr/lib/systemd/system/docker.service': unit })
}

const USER_UNITS = 'home/bob/.config/systemd/user'

/** A daemon that bob runs without root. @see https://docs.docker.com/engine/security/rootless/ */
function rootlessOf(json: string, more: Files = {}): Files {
  return dockerOf('{}', {
    'home/bob/.config/docker/daemon.json': json,
    [`${USER_UNITS}/docker.service`]: '[Service]\nExecStart=/usr/bin/dockerd-rootless.sh --icc=false\n',
    [`${USER_UNITS}/default.target.wants/docker.service`]: '',
    ...more,
  })
}

test.skipIf(needsRoot).each<Row>([
  // The daemon: "User namespaces: root cannot be remapped with itself; user namespaces are OFF".
  ...['root', 'root:root', '0', '0:0'].map((mapped): Row => [
    '@docker-host docker-userns',
    `root mapped to ${mapped}`,
    { files: dockerOf(`{ "userns-remap": "${mapped}" }`) },
    'drifted',
  ]),
  [
    '@docker-host docker-icc',
    'accounts with homes in /dev and /run',
    {
      files: dockerOf('{ "icc": true }', {
        'etc/passwd': `${DEBIAN['etc/passwd']}sys:x:3:3::/dev:/usr/sbin/nologin\nircd:x:39:39::/run/ircd:/usr/sbin/nologin\n`,
      }),
    },
    'drifted',
  ],
  ['@docker-host docker-userns', 'rootless', { files: rootlessOf('{}') }, 'compliant'],
  ['@docker-host docker-icc', 'rootless, by an option of its unit', { files: rootlessOf('{}') }, 'compliant'],
  [
    '@docker-host docker-tcp',
    'rootless, on a port',
    { files: rootlessOf('{ "hosts": ["tcp://0.0.0.0:2375"] }') },
    'drifted',
  ],
  ['@docker-host docker-config', 'rootless, a file of its user', { files: rootlessOf('{}') }, 'compliant'],
  ['@docker-host docker-service', 'rootless', { files: rootlessOf('{}', { 'usr/bin/systemctl': 'x' }) }, 'compliant'],
  [
    '@docker-host docker-service',
    'a daemon of the system that is not enabled',
    {
      files: {
        ...serviceOf('[Install]\nWantedBy=multi-user.target'),
        'usr/bin/systemctl': 'x',
        [`${WANTS}/.keep`]: '',
      },
    },
    'drifted',
  ],
  [
    '@docker-host docker-icc',
    'rootless, beside the daemon of the system',
    {
      files: rootlessOf('{}', {
        'usr/lib/systemd/system/docker.service': '[Service]\nExecStart=/usr/bin/dockerd\n',
        [`${WANTS}/docker.service`]: '',
      }),
    },
    'error',
  ],
  [
    '@docker-host docker-log-level',
    'debug beside another level',
    { files: dockerOf('{ "log-level": "error", "debug": true }') },
    'compliant',
  ],
  ['@docker-host docker-iptables', 'IPv6 alone', { files: dockerOf('{ "ip6tables": false }') }, 'drifted'],
  // @see https://docs.docker.com/reference/cli/dockerd/#environment-variables
  [
    '@docker-host docker-storage',
    'a driver of the environment',
    { files: serviceOf('Environment=DOCKER_DRIVER=aufs') },
    'drifted',
  ],
  [
    '@docker-host docker-tcp',
    'certificates by the environment',
    {
      files: {
        ...serviceOf('Environment=DOCKER_TLS_VERIFY=1'),
        'etc/docker/daemon.json': '{ "hosts": ["tcp://:2376"] }',
      },
    },
    'compliant',
  ],
  // With it dockerd 20.10 starts no container: runc has no limit of this name.
  [
    '@docker-host docker-ulimits',
    'a limit without its name',
    { files: dockerOf('{ "default-ulimits": { "nofile": { "Hard": 1000, "Soft": 1000 } } }') },
    'drifted',
  ],
  [
    '@docker-host docker-ulimits',
    'a hard limit alone',
    { files: dockerOf('{ "default-ulimits": { "nofile": { "Name": "nofile", "Hard": 1000 } } }') },
    'drifted',
  ],
  [
    '@docker-host docker-ulimits',
    'processes alone',
    { files: dockerOf('{ "default-ulimits": { "nproc": { "Name": "nproc", "Hard": 1000, "Soft": 1000 } } }') },
    'compliant',
  ],
  ...(
    [
      ['server-key.pem', 0o600, 'compliant'],
      ['host.txt', 0o644, 'drifted'],
    ] as const
  ).map(([name, mode, verdict]): Row => [
    '@docker-host docker-certificates',
    `a private key in ${name} with ${mode.toString(8)}`,
    {
      files: dockerOf('{}', { [`etc/docker/${name}`]: '-----BEGIN PRIVATE KEY-----\n' }),
      modes: { [`etc/docker/${name}`]: mode },
    },
    verdict,
  ]),
])('%s, %s', async (control, _title, host, verdict) => {
  expect(await verdictOf(control, host)).toBe(verdict)
})

test('a condition that only a running system answers leaves a resource out of a stored one', async () => {
  const root = temporaryDirectory()
  put(root, dockerOf('{}'))
  const scan = ['scan', '@docker-host', '--only', 'docker-tcp', '--target', `root:${root}`, '--report', 'json']
  const { stdout } = await runInProcess(...scan, '--offline-as', 'not-applicable')
  const { policies } = JSON.parse(stdout) as { policies: [{ resources: readonly { type: string; verdict: string }[] }] }
  const [port] = policies[0].resources.filter(({ type }) => type === 'port')
  expect(port?.verdict).toBe('not-applicable')
})
