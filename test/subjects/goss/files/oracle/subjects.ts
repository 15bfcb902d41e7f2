import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import fc from 'fast-check'
import { onTestFinished } from 'vitest'
import type { GossContent, GossType } from '../../../../../src/subjects/goss/files/resource.ts'
import { EXAMPLE_ZONE, serveNames } from '../../../../support/name-server.ts'
import { temporaryDirectory } from '../../../../support/temporary.ts'
import { serve } from '../../../../support/web-server.ts'

/** Something that resources are about: its id, and what says how to look at it. */
export interface Subject {
  readonly type: GossType
  readonly id: string
  readonly given?: Readonly<Record<string, GossContent>>
}

const ids = (type: GossType, all: readonly string[]): readonly Subject[] => all.map((id) => ({ type, id }))

/** Things of this machine, and some that the test has made. */
export async function subjectsHere(): Promise<readonly Subject[]> {
  return [
    ...ids('file', files()),
    ...ids('user', namesIn('/etc/passwd')),
    ...ids('group', namesIn('/etc/group')),
    ...ids('package', packages()),
    ...ids('service', ['ssh', 'cron', 'systemd-journald', 'getty@tty1', 'no-such-service', 'apt-daily.timer']),
    ...ids('mount', [...mountPoints(), '/no/such/mount']),
    ...ids('kernel-param', PARAMETERS),
    ...ids('interface', ['lo', 'no-such0']),
    ...ids('process', [readFileSync('/proc/self/comm', 'utf8').trim(), 'no-such', 'kthreadd']),
    ...commands(),
    ...(await network()),
  ]
}

function files(): readonly string[] {
  const directory = temporaryDirectory()
  const at = (name: string): string => join(directory, name)
  writeFileSync(at('text'), 'Port 22\nPermitRootLogin no\n# a comment\n\nUmlaut ä/opt/it\n')
  writeFileSync(at('json'), '{"a": {"b": [1, 2, "three"]}, "c": true}\n')
  writeFileSync(at('empty'), '')
  writeFileSync(at('no-end'), 'one\r\ntwo')
  mkdirSync(at('directory'))
  symlinkSync('text', at('link'))
  symlinkSync('nowhere', at('dangling'))
  execFileSync('mkfifo', [at('pipe')])
  chmodSync(at('text'), 0o4640)
  chmodSync(at('json'), 0o604)
  chmodSync(at('directory'), 0o1777)
  const own = ['text', 'json', 'empty', 'no-end', 'directory', 'link', 'dangling', 'pipe', 'absent', 'text/absent']
  return [...own.map(at), '/etc/passwd', '/etc/hostname', '/dev/null', '/proc/version', '/tmp', '~root']
}

function namesIn(file: string): readonly string[] {
  const names = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(':')[0] ?? '')
  return [...names.filter((name) => name !== '').slice(0, 8), 'no-such-name']
}

function packages(): readonly string[] {
  return ['bash', 'coreutils', 'libc6', 'base-files', 'tar', 'no-such-package']
}

function mountPoints(): readonly string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  return [...new Set(lines.flatMap((line) => line.split(' ')[4] ?? []))].slice(0, 5)
}

const PARAMETERS = [
  'kernel.ostype',
  'kernel.pid_max',
  'net.ipv4.ip_forward',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_congestion_control',
  'vm.swappiness',
  'no.such.parameter',
]

function commands(): readonly Subject[] {
  const lines = [
    'echo one; echo two',
    'echo trouble >&2; exit 3',
    'printf 42',
    'no-such-program-at-all',
    'true',
    'kill -9 $$',
    `printf '{"a": [1, 2], "b": {"c": "x"}}'`,
    'echo 1.2.3',
  ]
  return ids('command', lines)
}

async function network(): Promise<readonly Subject[]> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { origin } = await serve((request, response) => {
    response.sendDate = false
    response.setHeader('x-test', ['one', 'two'])
    if (request.url === '/away') response.writeHead(302, { location: '/' }).end()
    else if (request.url === '/none') response.writeHead(404).end('nothing here\n')
    else response.end(`${request.method ?? ''}\n{"ok": true}\n`)
  })
  const names = { server: await serveNames(EXAMPLE_ZONE), timeout: 5_000 }
  const zone = ['host.test', 'A:host.test', 'AAAA:host.test', 'MX:host.test', 'NS:host.test', 'TXT:host.test']
  const others = [
    'CAA:host.test',
    'CNAME:alias.test',
    'SRV:_ldap._tcp.test',
    'PTR:192.0.2.7',
    'nowhere.test',
    'broken.test',
  ]
  return [
    ...ids('port', [`tcp:${port}`, `tcp6:${port}`, `${port}`, `udp:${port}`, 'tcp:1']),
    ...ids('addr', [`tcp://127.0.0.1:${port}`, `127.0.0.1:${port}`, 'tcp://127.0.0.1:1', `udp://127.0.0.1:${port}`]),
    { type: 'addr', id: `127.0.0.1:${port}`, given: { 'local-address': '127.0.0.2' } },
    ...[...zone, ...others].map((id): Subject => ({ type: 'dns', id, given: names })),
    ...ids('http', [`${origin}/`, `${origin}/away`, `${origin}/none`, 'http://127.0.0.1:1/']),
    { type: 'http', id: `${origin}/away`, given: { 'no-follow-redirects': true } },
    { type: 'http', id: `${origin}/`, given: { method: 'POST', 'request-body': 'x', username: 'u', password: 'p' } },
  ]
}

/** Contents for `matching`: the same on every machine. */
export const CONTENTS: fc.Arbitrary<GossContent> = fc.oneof(
  fc.boolean(),
  fc.integer({ min: 0, max: 5_000 }),
  fc.constantFrom<GossContent>(
    '1.2.3',
    '10.0.0',
    '42',
    'text',
    'Some Words',
    'ä ö',
    '',
    'one\ntwo\n',
    '{"a": {"b": 1}}',
  ),
  fc.constantFrom<GossContent>(['a', 'b', 'c'], ['1.0.0', '2.1.0'], [1, 2, 3], [], ['foo', 'bar'], ['10', '20']),
  fc.constantFrom<GossContent>({ a: 1, b: 'x' }, { key: ['list'] }, { foo: 'bar', baz: 'qux' }),
)
