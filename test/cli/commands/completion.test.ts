import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { runInProcess } from '../../support/command-line.ts'
import { needsPrograms } from '../../support/programs.ts'

async function lineOf(shell: string, command: string, option: string): Promise<string> {
  const { code, stdout } = await runInProcess('completion', shell)
  expect(code).toBe(0)
  const own = stdout.slice(stdout.search(new RegExp(String.raw`^\s+'${command}'\)`, 'm')))
  return own.split('\n').find((line) => line.includes(option)) ?? ''
}

test('bash offers the other name of an option', async () => {
  expect(await lineOf('bash', 'scan', '--data')).toMatch(/ --data --hiera .* --verbose -v /)
})

// @see zshcompsys(1), _arguments: an option that is given once rules out its other name; `*` is one that is repeatable.
test.each([
  ['--hiera', "'*--hiera=["],
  ['-v[', "'(--verbose)-v["],
  ['--verbose[', "'(-v)--verbose["],
])('zsh has %s as %s', async (option, spec) => {
  expect(await lineOf('zsh', 'scan', option)).toContain(spec)
})

test.skipIf(needsPrograms('bash')).each([
  [['fleet', 'en'], 'enrol'],
  [['fleet', 'sil'], 'silent'],
  [['fleet', 'enrol', '--val'], '--valid'],
  [['fleet', 'silent', '--val'], ''],
  [['fleet', '--ros'], '--roster'],
])('bash completes %j', async (words, expected) => {
  const { stdout } = await runInProcess('completion', 'bash')
  const line = ['driftgate', ...words].map((word) => `'${word}'`).join(' ')
  const script = `${stdout}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _driftgate; echo "\${COMPREPLY[@]}"`
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim()).toBe(expected)
})

test.skipIf(needsPrograms('fish')).each([
  ['driftgate fleet en', 'enrol'],
  ['driftgate fleet enrol --val', '--valid'],
  ['driftgate fleet silent --val', ''],
  ['driftgate init --fr', ''],
])('fish completes "%s"', async (line, expected) => {
  const { stdout } = await runInProcess('completion', 'fish')
  const found = execFileSync('fish', ['--no-config', '-c', `${stdout}\ncomplete -C '${line}'`], { encoding: 'utf8' })
  expect(
    found
      .split('\n')
      .map((each) => each.split('\t')[0])
      .filter((each) => each !== ''),
  ).toEqual(expected === '' ? [] : [expected])
})
