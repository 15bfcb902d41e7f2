import { expect, test } from 'vitest'
import { decodeProperties } from '../../../../src/resource-type/decode.ts'
import { exec } from '../../../../src/subjects/commands/exec/index.ts'

function problems(properties: Readonly<Record<string, unknown>>): readonly string[] {
  const decoded = decodeProperties(exec, { name: '/bin/echo hello', ...properties })
  return decoded.ok ? [] : decoded.violations.map(({ message }) => message)
}

// The validation tables of CCM's model/resource_exec_test.go.
test.each<[Readonly<Record<string, unknown>>, string | undefined]>([
  [{}, undefined],
  [{ name: '/usr/bin/ls -la /tmp' }, undefined],
  [{ name: "/usr/bin/find /var -name '*.log'" }, undefined],
  [{ name: "/bin/sh -c 'echo hello | cat'" }, undefined],
  [{ name: 'PATH=/usr/bin /bin/echo test' }, undefined],
  [{ name: '/bin/echo "it\'s working"' }, undefined],
  [{ name: '' }, 'name is required'],
  [{ name: ' ' }, 'invalid command'],
  [{ name: "/bin/echo 'unterminated" }, 'Unterminated single-quoted string'],
  [{ name: '/bin/echo "unterminated' }, 'Unterminated double-quoted string'],
  [{ name: '/bin/echo \\' }, 'Unterminated backslash-escape'],
  [{ ensure: 'present' }, undefined],
  [{ ensure: 'absent' }, undefined],
  [{ ensure: 'latest' }, 'invalid ensure value "latest": must be one of "present" or "absent"'],
  [{ timeout: '30s' }, undefined],
  [{ timeout: '1h30m' }, undefined],
  [{ timeout: 'invalid' }, 'invalid timeout duration "invalid"'],
  [{ path: '' }, undefined],
  [{ path: '/usr/local/bin:/usr/bin:/bin' }, undefined],
  [{ path: '/usr/local/my bin:/usr/bin' }, undefined],
  [{ path: 'usr/bin' }, 'invalid path: "usr/bin" is not an absolute path'],
  [{ path: '/usr/bin:local/bin' }, 'invalid path: "local/bin" is not an absolute path'],
  [{ path: ':/usr/bin' }, 'invalid path: empty directory in path'],
  [{ path: '/usr/bin:' }, 'invalid path: empty directory in path'],
  [{ path: '/usr/bin::/bin' }, 'invalid path: empty directory in path'],
  [{ path: ':' }, 'invalid path: empty directory in path'],
  [{ environment: [] }, undefined],
  [{ environment: ['FOO=bar', 'BAZ=qux'] }, undefined],
  [{ environment: ['FOO=bar=baz', 'FOO=hello world', '_x9=='] }, undefined],
  [{ environment: ['FOO'] }, `invalid environment variable "FOO": missing '='`],
  [{ environment: ['=value'] }, 'invalid environment variable "=": empty key'],
  [{ environment: ['FOO=bar', 'FOO='] }, 'invalid environment variable "FOO=": empty value'],
  [{ environment: ['A-B=value'] }, 'invalid environment variable "A-B=": the name must consist of letters'],
  [{ environment: ['A=\0'] }, 'invalid environment variable "A=": the value contains a NUL character'],
  [{ environment: 'FOO=bar' }, 'environment must be a list'],
  [{ returns: [0, 2] }, undefined],
  [{ returns: ['zero'] }, 'returns[0] must be a whole number'],
  [{ onlyif: ' ' }, 'empty guard command'],
  [{ unless: '\t' }, 'empty guard command'],
  [{ onlyif: '', unless: '', creates: '', cwd: '' }, undefined],
  [{ cwd: '/a\0' }, 'cwd contains a NUL character'],
  [{ creates: '/a\0' }, 'creates contains a NUL character'],
  [{ refreshonly: 'yes' }, 'refreshonly must be true or false'],
])('%j', (properties, problem) => {
  expect(problems(properties)).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)])
})

test.each([
  [{}, true],
  [{ creates: '' }, true],
  [{ refreshonly: false }, true],
  [{ subscribe: ['file#/a'] }, true],
  [{ creates: '/c' }, false],
  [{ onlyif: 'true' }, false],
  [{ unless: '{{ x }}' }, false],
  [{ refreshonly: true }, false],
  [{ refreshonly: '{{ x }}' }, false],
])('without a guard there is a hint: %j', (properties, isHinted) => {
  expect(exec.hint?.({ name: 'x', ...properties }, { hasControls: false }) !== undefined).toBe(isHinted)
})

test.each([
  ['ls /etc | wc -l', '|'],
  ['echo x > /tmp/f', '>'],
  ['echo x 2>/dev/null', '2>/dev/null'],
  ['true && false', '&&'],
  ['rm /tmp/*', '/tmp/*'],
  ['sleep 1 &', '&'],
  ['a ; b', ';'],
  ['echo "a | b" \'*\' \\*', undefined],
  ['curl http://h/?a=1&b=2', undefined],
  ['awk {print} a|b', undefined],
  ['echo {{ Data.x }} | wc', undefined],
])('words of a shell are told without one: %s', (name, word) => {
  const told = (more: object): string | undefined =>
    exec.hint?.({ name, creates: '/c', ...more }, { hasControls: false })
  expect(told({})).toBe(
    word === undefined
      ? undefined
      : `the provider posix takes "${word}" literally: set "provider: shell" to use a shell, or quote it`,
  )
  expect(told({ provider: 'shell' })).toBeUndefined()
  expect(told({ command: '/bin/true' })).toBeUndefined()
})

test('only an absolute path is known to be there afterwards', () => {
  const context = { workingDirectory: '/', signal: new AbortController().signal, showDiff: true }
  const provides = (creates?: string): readonly string[] =>
    exec.prepare({ name: 'x', creates }, 'posix', context).provides
  expect([provides('/opt/x'), provides('x'), provides()]).toEqual([['/opt/x'], [], []])
})
