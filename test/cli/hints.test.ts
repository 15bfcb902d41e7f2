import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { start, temporaryDirectory } from '../support/driftgate.ts'
import { needsPrograms } from '../support/programs.ts'

describe('a policy that is nearly right is told what to write', () => {
  test.each([
    [
      "a shell's variable",
      'ccm: {resources: [exec: [x: {provider: shell, command: "echo ${HOME}", creates: /tmp/x}]]}',
      /unknown name HOME; write \$\$\{HOME\} for a shell variable/,
    ],
    [
      'a text with a colon',
      'ccm:\n  resources:\n    - exec:\n        - x:\n            unless: grep a: b\n',
      /^p\.yaml:5:21 .*; quote a string that contains ": "$/m,
    ],
    [
      'names in place of a list',
      'ccm: {resources: [package: {nginx: {ensure: present}, vim: {ensure: absent}}]}',
      /^p\.yaml:1:\d+ the resources of a type must be a list: write "- nginx:" with its properties below$/m,
    ],
    [
      'an unclosed quote',
      'ccm:\n  resources:\n    - package:\n        - nginx: {ensure: "present}\n        - vim: {ensure: absent}\n',
      /^p\.yaml:4:27 missing closing "$/m,
    ],
  ])('%s', async (_, policy, message) => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'p.yaml'), policy)
    const { code, stderr } = await driftgate(['validate', 'p.yaml'], { cwd })
    expect(stderr).toMatch(message)
    // One slip is one message, and the count.
    expect(stderr).toMatch(/\n1 error\n$/)
    expect(stderr.match(/^p\.yaml:/gm)).toHaveLength(1)
    expect(code).toBe(1)
  })

  test('a policy with a key "file" or a misspelt property is not mistaken for Goss', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'p.yaml'), 'file: {}\nccm: {resources: [package: {name: nginx, enshure: present}]}\n')
    const { stderr } = await driftgate(['validate', 'p.yaml'], { cwd })
    expect(stderr).toMatch(/unknown key "file"/)
    expect(stderr).toMatch(/unknown property "enshure".*did you mean "ensure"/)
  })
})

test('validate ends with a count', async () => {
  const cwd = temporaryDirectory()
  const policy = 'ccm: {resources: [file: [/gone: {ensure: absent}]]}\n'
  writeFileSync(join(cwd, 'a.yaml'), policy)
  writeFileSync(join(cwd, 'b.yaml'), 'ccm: {resources: [exec: [x: {}]]}\n')
  expect((await driftgate(['validate', 'a.yaml'], { cwd })).stdout).toMatch(/\n1 policy valid\n$/)
  expect((await driftgate(['validate', '.'], { cwd })).stdout).toMatch(/\n2 policies valid, 1 warning\n$/)
  writeFileSync(join(cwd, 'c.yaml'), 'ccm: {resources: [file: [/x: {ensure: perhaps}, /y: {ensure: maybe}]]}\n')
  const { code, stderr } = await driftgate(['validate', '.'], { cwd })
  expect(code).toBe(1)
  expect(stderr).toMatch(/\n2 errors\n$/)
})

describe('options', () => {
  test.each(['--dry-run', '--check', '--noop'])('%s is answered', async (option) => {
    const { code, stderr } = await driftgate(['scan', 'p.yaml', option], { cwd: temporaryDirectory() })
    expect(code).toBe(1)
    expect(stderr).toContain(`no option ${option}: a scan never changes anything, only --fix does`)
  })

  test('-q and -v are --quiet and --verbose', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'p.yaml'), 'ccm: {resources: [file: [/gone: {ensure: absent}]]}\n')
    const scan = async (option: string): Promise<string> =>
      (await driftgate(['scan', 'p.yaml', option], { cwd })).stdout
    expect(await scan('-q')).toBe(await scan('--quiet'))
    expect(await scan('-v')).toContain('compliant  medium  file#/gone')
    const { code, stderr } = await driftgate(['scan', 'p.yaml', '-q', '-v'], { cwd })
    expect([code, stderr]).toEqual([1, expect.stringContaining('are mutually exclusive')])
  })

  test('prose in a help is wrapped once', async () => {
    const { stdout } = await driftgate(['validate', '--help'], { cwd: temporaryDirectory() })
    const [, prose = ''] = /\n(Every problem [^]*?)(?:\n\n|$)/.exec(stdout) ?? []
    const lines = prose.trim().split('\n')
    // Every line but the last is as long as the next word lets it be.
    for (const [index, line] of lines.slice(0, -1).entries()) {
      const [word = ''] = (lines[index + 1] ?? '').split(' ')
      expect(line.length + 1 + word.length, line).toBeGreaterThan(100)
    }
  })
})

test.skipIf(needsPrograms('fish'))('fish completes commands, options and values', async () => {
  const cwd = temporaryDirectory()
  const script = (await driftgate(['completion', 'fish'], { cwd })).stdout
  writeFileSync(join(cwd, 'driftgate.fish'), script)
  const complete = async (line: string): Promise<readonly string[]> => {
    const words = `source driftgate.fish; complete -C ${JSON.stringify(line)}`
    const { stdout } = await start('fish', ['--no-config', '-c', words], { cwd }).outcome
    return stdout.split('\n').map((each) => each.split('\t')[0] ?? '')
  }
  expect(await complete('driftgate va')).toContain('validate')
  expect(await complete('driftgate scan --fail-on ')).toEqual(expect.arrayContaining(['high', 'critical']))
  expect(await complete('driftgate scan --no-')).toEqual(expect.arrayContaining(['--no-diff', '--no-commands']))
  expect(await complete('driftgate scan -')).toContain('-q')
})
