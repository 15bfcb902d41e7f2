import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { managedNameProblem } from '../../../src/subjects/packages/package-name.ts'

// Debian Policy 5.6.1: at least two characters of a-z, 0-9, + - and ., the first a letter or digit.
test.each(['bash', 'g++', 'libc6:i386', '0ad', 'libstdc++6', 'lib32.z-1', 'libc6:any', 'aa:linux-any'])(
  'Debian has %s',
  (name) => {
    expect(managedNameProblem('apt', name)).toBeUndefined()
  },
)

test.each(['Bash', 'a', 'libC6', 'a_b', 'a~b', 'glibc.i686:', '+a', 'libc6:I386'])('Debian has no %s', (name) => {
  expect(managedNameProblem('apt', name)).toContain(name)
})

test('a name in the wrong case has a suggestion', () => {
  expect(managedNameProblem('apt', 'Bash')).toContain('did you mean "bash"?')
})

test.each(['bash', 'NetworkManager', 'glibc.i686', 'java-1.8.0-openjdk', 'a', 'libstdc++:x86_64', 'python3_x'])(
  'rpm has %s',
  (name) => {
    expect(managedNameProblem('dnf', name)).toBeUndefined()
  },
)

test.each(['a~b', '-a', '.a'])('rpm has no %s', (name) => {
  expect(managedNameProblem('dnf', name)).toContain(name)
})

const packages = spawnSync('dpkg-query', ['-W', '-f', '${Package}:${Architecture}\n'], { encoding: 'utf8' })

test.skipIf(packages.status === 0 ? undefined : 'needs dpkg')(
  'every package of this machine has a name that Debian allows',
  () => {
    const names = packages.stdout.trimEnd().split('\n')
    expect(names.filter((name) => managedNameProblem('apt', name) !== undefined)).toEqual([])
  },
)
