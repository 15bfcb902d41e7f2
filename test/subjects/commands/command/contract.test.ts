import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResourceResult } from '../../../../src/model/run.ts'
import { command } from '../../../../src/subjects/commands/command/index.ts'
import { auditResource, type ContractScene, contractTests } from '../../../../src/testing/index.ts'
import { put } from '../../../support/contract.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

function scene(
  title: string,
  state: ContractScene['state'],
  properties: Readonly<Record<string, unknown>>,
): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      put(directory, { 'list.txt': 'a\nb b\n' })
      return { cwd: directory, ...properties }
    },
  }
}

const scenes: readonly ContractScene[] = [
  scene('a command that ends with 0', 'compliant', { command: 'true' }),
  scene('a command that does not', 'unfixable', { command: 'false' }),
  scene('an end that is wanted', 'compliant', { command: 'false', exit_code: 1 }),
  scene('lines of an output', 'compliant', { command: 'cat list.txt', stdout: { includes: ['b b'], excludes: ['b'] } }),
  scene('a whole output', 'compliant', { command: 'cat list.txt', stdout: 'a\nb b\n', stderr: '' }),
  scene('another output', 'unfixable', { command: 'cat list.txt', stdout: { matches: 'a' } }),
]

for (const { name, run } of contractTests(command, { scenes })) test(name, run)

async function told(properties: Readonly<Record<string, unknown>>, provider = 'posix'): Promise<ResourceResult> {
  const workingDirectory = temporaryDirectory()
  put(workingDirectory, { 'sub/here': 'x', 'no-program': '#!/nowhere\n' })
  return auditResource(command, { name: 'title', ...properties }, { workingDirectory, provider })
}

test.each<[string, string, string]>([
  ['posix', 'no-such-program-here', 'command'],
  ['shell', 'no-such-program-here', 'command'],
  ['posix', '/etc/passwd', 'command'],
  ['shell', 'kill -9 $$', 'command'],
  ['shell', 'if', 'command'],
  ['posix', 'sh -c "exit 127"', 'command'],
])('%s: %s has no answer', async (provider, line, reason) => {
  expect(await told({ command: line, exit_code: { at_least: 0 } }, provider)).toMatchObject({
    verdict: 'error',
    reason,
  })
})

test.each(['"never closed', ' '])('the words of %j are no command', async (line) => {
  expect(await told({ command: line })).toMatchObject({ verdict: 'error', reason: 'invalid' })
})

test('a command that takes too long is killed, and that is no answer', async () => {
  expect(await told({ command: 'sleep 60', timeout: '20ms' })).toMatchObject({ verdict: 'error', reason: 'timeout' })
})

test('an output that is too long to be read as a whole is not compared', async () => {
  const line = 'head -c 9000000 /dev/zero | tr "\\0" x | fold -w 79'
  const result = await told({ command: line, stdout: { excludes: ['y'] }, timeout: '0s' }, 'shell')
  expect(result).toMatchObject({ verdict: 'error', unknown: [{ property: 'stdout' }] })
  expect(await told({ command: line, timeout: '0s' }, 'shell')).toMatchObject({ verdict: 'compliant' })
})

test('it runs in the directory and environment of the policy, without the environment of the scan', async () => {
  process.env['DRIFTGATE_SEEN'] = 'by nobody'
  const said = {
    command: 'pwd; env | grep -v -e ^_= -e ^PWD= -e ^OLDPWD= -e ^SHLVL= | sort',
    cwd: 'sub',
    environment: ['A=b'],
    path: '/usr/bin:/bin',
  }
  const { drift } = await told({ ...said, stdout: '' }, 'shell')
  delete process.env['DRIFTGATE_SEEN']
  const observed = drift[0]?.observed
  const [directory, ...variables] = typeof observed === 'string' ? observed.split('\n') : []
  expect(directory?.endsWith(join('/', 'sub'))).toBe(true)
  expect(variables).toEqual(['A=b', 'LANG=C', 'LC_ALL=C', 'PATH=/usr/bin:/bin'])
})
