import { expect, test } from 'vitest'
import { runInProcess } from '../../support/command-line.ts'

async function lineOf(shell: string, command: string, option: string): Promise<string> {
  const { code, stdout } = await runInProcess('completion', shell)
  expect(code).toBe(0)
  const own = stdout.slice(stdout.search(new RegExp(String.raw`^\s+${command}\)`, 'm')))
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
