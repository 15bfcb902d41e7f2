import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'

const run = (...args: readonly string[]): ReturnType<typeof driftgate> => driftgate(args, { cwd: temporaryDirectory() })

test.each([
  [['scn'], 'did you mean "scan"?'],
  [['scan'], 'missing policies'],
  [['--fix'], 'it belongs after "scan"'],
  [['--vresion'], 'did you mean "--version"?'],
  [['scan', 'p.yaml', '--fail-no', 'high'], 'did you mean "--fail-on"?'],
  [['scan', 'p.yaml', '-x'], 'unknown option -x'],
  [['scan', 'p.yaml', '--fail-on', 'hgih'], 'did you mean "high"?'],
  [['scan', 'p.yaml', '--fail-on'], '--fail-on needs a value'],
  [['scan', 'p.yaml', '--fail-on', 'low', '--fail-on', 'high'], 'more than once'],
  [['scan', 'p.yaml', '--only'], '--only needs a value'],
  [['scan', 'p.yaml', '--only', 'a,,b'], 'empty selector'],
  [['scan', 'p.yaml', '--fix=yes'], '--fix accepts only true or false'],
  [['scan', 'p.yaml', '--report', 'jsn'], 'did you mean "json"?'],
  [['scan', 'p.yaml', '--report', 'json='], 'missing file name'],
  [['scan', 'p.yaml', '--report', 'json', '--report', 'junit'], 'only one report'],
  [['scan', 'p.yaml', '--report', 'json=a', '--report', 'junit=./a'], 'two reports'],
  [['scan', 'p.yaml', '--quiet', '--verbose'], 'are mutually exclusive'],
  [['types', 'file'], 'takes no argument'],
  [['completion', 'bahs'], 'did you mean "bash"?'],
  [['completion', 'bash', 'zsh'], 'unexpected argument "zsh"'],
  [['compare', '-', '-'], 'only one report can come from standard input'],
  [['history', '--since', 'soon'], 'must be a duration such as 7d, or a date such as 2026-11-20'],
  [['history', '--since', '2026-02-30'], 'must be a duration such as 7d, or a date such as 2026-11-20'],
  [['history', '--limit', '0'], 'must be a whole number, at least 1'],
  [['fleet', 'status', '--from', '.', '--interval', '0s'], 'must be a duration such as 1h or 1d'],
  [['fleet', 'evidence', '--since', 'monday'], 'must be a date'],
  [['fleet', 'init', 'fleet'], 'missing --server HOST: the address that hosts connect to'],
  [['fleet', 'init', 'fleet', '--server', 'a b'], 'must be names or IPv4 addresses'],
  [['fleet', 'init', 'fleet', '--server', 'a', '--listen', 'a'], 'must be an address and a port'],
  [['fleet', 'init', 'fleet', '--server', 'a', '--size', 'much'], 'must be a size such as 20GiB'],
  [['fleet', 'init', 'fleet', '--server', 'a', '--store', 'store'], 'must be an absolute path without quotes'],
  [
    ['fleet', 'init', 'fleet', '--server', 'a', '--tls-cert', '/c'],
    '--tls-cert, --tls-key and --tls-ca require each other',
  ],
  [['fleet', 'enrol', 'we b', '--fleet', 'fleet'], 'is not a valid host name'],
  [['fleet', 'enrol', 'web', '--fleet', 'fleet', '--ring', 'a.b'], 'must be '],
  [['fleet', 'enrol', 'web', '--fleet', 'fleet', '--valid', 'long'], 'must be a duration such as 1h or 1d'],
  [['fleet', 'join', 'nonsense', '--agent', 'agent'], 'this is not an invitation'],
  [['fleet', 'accept', 'nonsense', '--fleet', 'fleet'], 'this is not an answer'],
  [['scan', 'p.yaml', '--become', 'sudo'], '--become'],
  [['scan', 'p.yaml', '--target', 'ssh:web', '--become', ' '], 'must be a command and its options'],
  [['scan', '-', '--target', 'ssh:web', '--target', 'local'], 'standard input'],
  [['scan', 'p.yaml', '--target', 'ssh:web', '--target', 'local', '--baseline', 'b.json'], '--baseline'],
])('wrong usage %j is exit 1 with the way out on standard error', async (args, message) => {
  const { code, stdout, stderr } = await run(...args)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(message)
  expect(stderr).toContain('--help" for usage')
  expect(stderr).not.toMatch(/^\s+at /m)
})

test('without a command the overview goes to standard error', async () => {
  const { code, stdout, stderr } = await run()
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('driftgate scan')
})

test.each([[['--help']], [['-h']], [['help']]])('%j lists every command', async (args) => {
  const { code, stdout, stderr } = await run(...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const command of ['scan', 'validate', 'types', 'completion']) expect(stdout).toContain(`driftgate ${command}`)
})

test.each(['scan', 'validate', 'types', 'completion'])('%s has help with examples', async (command) => {
  const { code, stdout } = await run(command, '--help')
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^Examples:\\n.*driftgate ${command}`, 'm'))
  expect(await run('help', command)).toMatchObject({ code: 0, stdout })
})

test.each(['--version', '-V'])('%s is the version of the package', async (flag) => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(await run(flag)).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
})
