import { describe, expect, test } from 'vitest'
import { parseRemote } from '../../src/remote/spec.ts'
import { START_SCRIPT } from '../../src/remote/start-script.ts'
import { sshCarrier } from '../../src/remote/carriers/ssh.ts'

describe('ssh: names', () => {
  test.each([
    ['ssh:web01', { host: 'web01', user: undefined, port: undefined }],
    ['ssh:ann@web01:2222', { host: 'web01', user: 'ann', port: '2222' }],
    ['ssh:ann@corp@web01', { host: 'web01', user: 'ann@corp', port: undefined }],
    ['ssh:[::1]:22', { host: '::1', user: undefined, port: '22' }],
    ['ssh:fe80::1%eth0', { host: 'fe80::1%eth0', user: undefined, port: undefined }],
  ])('%s', (text, place) => expect(parseRemote(text)).toEqual({ kind: 'ssh', ...place }))

  test.each([
    'ssh:',
    'ssh:-oProxyCommand=id',
    'ssh:-l@web01',
    'ssh:ann@-web01',
    'ssh:web01:0',
    'ssh:web01:65536',
    'ssh:web 01',
    'ssh:a;id@web01',
    'ssh:$(id)@web01',
    'ssh:web01\nid',
    'ssh:[web01]',
    'root:/mnt',
  ])('%j is rejected', (text) => expect(parseRemote(text)).toBeUndefined())
})

describe('names of containers, pods and machines', () => {
  test.each([
    ['container:web_1.a', { kind: 'container', name: 'web_1.a' }],
    ['pod:shop/web-0', { kind: 'pod', namespace: 'shop', name: 'web-0', container: undefined }],
    ['pod:shop/web.a/nginx', { kind: 'pod', namespace: 'shop', name: 'web.a', container: 'nginx' }],
    ['machine:web.example', { kind: 'machine', name: 'web.example' }],
  ])('%s', (text, place) => expect(parseRemote(text)).toEqual(place))

  test.each([
    'container:',
    'container:-it',
    'container:--privileged',
    'container:web 01',
    'container:web\n',
    'pod:web-0',
    'pod:shop/',
    'pod:shop/-web',
    'pod:--server=http:/web',
    'pod:shop/web/nginx/more',
    'pod:shop/web/--tty',
    'pod:shop/web/',
    'machine:',
    'machine:-x',
    'machine:ann@web',
    'machine:web/..',
  ])('%j is rejected', (text) => expect(parseRemote(text)).toBeUndefined())
})

test('the start means the same to every login shell', () => {
  expect(START_SCRIPT).not.toMatch(/['!\\\n]/)
})

test('no word of a command becomes another one on the way', () => {
  const [, ...args] = sshCarrier({ kind: 'ssh', host: 'web01', user: 'ann', port: '22' }).commandLine([
    'sh',
    '-c',
    "a 'b'",
    '-x',
  ])
  expect(args.slice(-7)).toEqual(['-l', 'ann', '-p', '22', '--', 'web01', String.raw`sh -c 'a '\''b'\''' -x`])
})
