import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'

const POLICIES = new URL('../../policies/', import.meta.url).pathname

const ESCAPE = '\u001b'

test('a shipped policy: where the values come from, what the machine says, and the same in JSON', async () => {
  const cwd = temporaryDirectory()
  const baseline = join(POLICIES, 'examples/file-permissions.yaml')
  const flags = ['--fact', 'host.info.platformFamily=debian']
  const text = await driftgate(['explain', baseline, 'file#/etc/shadow', ...flags], { cwd })
  expect(text).toMatchObject({ code: 0, stderr: '' })
  expect(text.stdout).toMatch(/^file#\/etc\/shadow {2}\S*file-permissions\.yaml:\d+:11$/m)
  expect(text.stdout).toMatch(/^ {2}group +\{one_of: \[shadow, root\]\} +\S+ in the defaults of line \d+$/m)
  expect(text.stdout).toMatch(
    /data\.shadow\.group +shadow +overrides\.family:debian \(\S+:\d+:\d+\); over data \(\S+:\d+:\d+\)$/m,
  )
  expect(text.stdout).toMatch(/^ {2}critical {2}os-02 {2}shadow, gshadow and their backups are readable/m)
  expect(text.stdout).not.toContain(ESCAPE)
  const json = await driftgate(['explain', baseline, '/etc/shadow', '--json', ...flags], { cwd })
  const { schema, resource, properties, controls } = JSON.parse(json.stdout)
  expect({ schema, id: resource.id, control: controls[0].id }).toEqual({
    schema: 'driftgate.explanation/v1',
    id: 'file#/etc/shadow',
    control: 'os-02',
  })
  expect(properties.map(({ name }: { name: string }) => name)).toEqual([
    'name',
    'ensure',
    'owner',
    'group',
    'mode',
    'if_absent',
    'force',
  ])
})

test.each([
  ['dev-sec-linux.yaml', 'package#telnetd'],
  ['linux.yaml', 'service#systemd-journald'],
  ['dev-sec-linux.yaml', 'sysctl#net.ipv4.ip_forward'],
  ['ssh.yaml', 'file#/etc/ssh/sshd_config'],
  ['quickstart.yaml', 'file#/etc/passwd'],
])('%s %s is explained with the verdict of a scan', async (policy, id) => {
  const { stdout: report } = await driftgate(
    ['scan', join(POLICIES, policy), '--only', id, '--report', 'json', '--no-commands'],
    { cwd: temporaryDirectory() },
  )
  const [result] = JSON.parse(report).policies[0].resources
  const { code, stdout } = await driftgate(['explain', join(POLICIES, policy), id, '--no-commands'], {
    cwd: temporaryDirectory(),
  })
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^on this machine\\n  ${result.verdict}  ${result.severity}$`, 'm'))
})

const POLICY = `data: { text: "a\\nb" }
ccm:
  resources:
    - exec: { name: guard, command: /bin/false, unless: "/usr/bin/touch ran" }
    - file: { name: "/nowhere/\u{202e}x", ensure: absent }
    - file: { name: /nowhere/long, ensure: present, owner: root, group: root, mode: "0644", content: "{{ Data.text }}\\u001b[31m" }
    - apply: { name: sub/child.yaml }
`

function withPolicy(): string {
  const cwd = temporaryDirectory()
  mkdirSync(join(cwd, 'sub'))
  writeFileSync(join(cwd, 'p.yaml'), POLICY)
  writeFileSync(join(cwd, 'sub/child.yaml'), 'ccm: { resources: [{ file: { name: /nowhere/c, ensure: absent } }] }\n')
  return cwd
}

test('nothing of a policy reaches the terminal as a command, colours come only where they are asked for', async () => {
  const cwd = withPolicy()
  const plain = await driftgate(['explain', 'p.yaml', '/nowhere/long'], { cwd })
  expect(plain.stdout).toContain(String.raw`b\x1b[31m`)
  expect(plain.stdout).not.toContain(ESCAPE)
  const coloured = await driftgate(['explain', 'p.yaml', '/nowhere/long'], { cwd, env: { FORCE_COLOR: '1' } })
  expect(coloured.stdout).toContain(`${ESCAPE}[1mproperties${ESCAPE}[22m`)
  expect(coloured.stdout.replaceAll(new RegExp(`${ESCAPE}\\[\\d+m`, 'g'), '')).toBe(plain.stdout)
})

test('a child manifest is reached by its path', async () => {
  const { code, stdout } = await driftgate(['explain', 'p.yaml', 'apply#sub/child.yaml > file#/nowhere/c'], {
    cwd: withPolicy(),
  })
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^file#\/nowhere\/c {2}sub\/child\.yaml:1:\d+\n.*\n {2}reached through apply#sub\/child\.yaml$/m,
  )
})

test.each([
  [['explain'], 'missing policy'],
  [['explain', 'p.yaml'], 'missing resource'],
  [['explain', 'p.yaml', 'a', 'b'], 'unexpected argument "b"'],
  [['explain', 'none.yaml', 'a'], 'no such file'],
  [['explain', 'p.yaml', 'exec#gaurd'], 'no resource "exec#gaurd" in p.yaml, did you mean "exec#guard"?'],
  [['explain', 'p.yaml', 'guard', '--set', 'x'], 'is not an assignment'],
])('%j is exit 1', async (args, message) => {
  const { code, stdout, stderr } = await driftgate(args, { cwd: withPolicy() })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(message)
})

test('help names both operands, and completion knows the command', async () => {
  const cwd = temporaryDirectory()
  const { stdout } = await driftgate(['explain', '--help'], { cwd })
  expect(stdout).toMatch(/^driftgate explain <policy> <resource> \[options\]$/m)
  expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(110)
  expect((await driftgate(['completion', 'bash'], { cwd })).stdout).toContain(
    "'explain') if [[ $word == -* ]]; then words='--json",
  )
})

test('a policy comes from standard input, too', async () => {
  const stdin = { text: 'ccm: { resources: [{ file: { name: /nowhere/x, ensure: absent } }] }\n' }
  const { code, stdout } = await driftgate(['explain', '-', '/nowhere/x'], { cwd: temporaryDirectory(), stdin })
  expect(code).toBe(0)
  expect(stdout).toContain('compliant')
})

test('a config beside the policy gives its inputs', async () => {
  const cwd = withPolicy()
  writeFileSync(join(cwd, 'driftgate.config.yaml'), 'set: [text=configured]\n')
  const { stdout } = await driftgate(['explain', 'p.yaml', '/nowhere/long'], { cwd })
  expect(stdout).toMatch(/data\.text +configured +--set text; over data \(p\.yaml:1:\d+\)/)
})
