import { expect, test } from 'vitest'
import { decodeProperties } from '../../../src/resource-type/decode.ts'
import { packageType } from '../../../src/subjects/packages/index.ts'

function problems(name: unknown, ensure: unknown): readonly string[] {
  const decoded = decodeProperties(packageType, { name, ensure })
  return decoded.ok ? [] : decoded.violations.map(({ message }) => message)
}

// The tables of CCM's validation (model/resource_package_test.go), as far as it is not stricter here.
test.each([
  'nginx',
  'g++',
  'libstdc++6',
  'python3.11',
  'libc6:i386',
  'glibc.i686',
  'a',
  '7zip',
  'perl-base',
  'Foo_bar',
  'x~y',
])('a package may be called %s', (name) => {
  expect(problems(name, 'present')).toEqual([])
})

test.each([
  ['nginx; rm -rf /', 'package name contains dangerous characters: "nginx; rm -rf /"'],
  ['a&b', 'package name contains dangerous characters: "a&b"'],
  ['$(id)', 'package name contains dangerous characters: "$(id)"'],
  ['a`b`', 'package name contains dangerous characters: "a`b`"'],
  ['lib*', 'package name contains dangerous characters: "lib*"'],
  ['a\nb', 'package name contains dangerous characters: "a\\nb"'],
  ['a b', 'package name contains invalid characters: "a b" (allowed: alphanumeric, ._+:~-)'],
  ['a/b', 'package name contains invalid characters: "a/b" (allowed: alphanumeric, ._+:~-)'],
  ['a=1', 'package name contains invalid characters: "a=1" (allowed: alphanumeric, ._+:~-)'],
  ['@core', 'package name contains invalid characters: "@core" (allowed: alphanumeric, ._+:~-)'],
  ['é', 'package name contains invalid characters: "é" (allowed: alphanumeric, ._+:~-)'],
  ['a\0', 'package name contains invalid characters: "a\\u0000" (allowed: alphanumeric, ._+:~-)'],
  ['-y', 'package name must begin with a letter or digit: "-y"'],
  ['--root=x', 'package name contains invalid characters: "--root=x" (allowed: alphanumeric, ._+:~-)'],
  ['~nbash', 'package name must begin with a letter or digit: "~nbash"'],
  ['a:b:c', 'package name "a:b:c" must have at most one colon, followed by an architecture'],
  ['a:', 'package name "a:" must have at most one colon, followed by an architecture'],
])('no package may be called %j', (name, problem) => {
  expect(problems(name, 'present')).toEqual([problem])
})

test.each([
  'present',
  'absent',
  'latest',
  '1.2.3',
  '1:2.0-3+deb12u1~bpo1',
  '5.14.0-427.el9',
  '1.0^20240101git',
  'r42',
  '5',
])('ensure may be %s', (ensure) => {
  expect(problems('x', ensure)).toEqual([])
})

test.each([
  ['1.0; id', 'package version/ensure contains dangerous characters: "1.0; id"'],
  ['1.*', 'package version/ensure contains dangerous characters: "1.*"'],
  ['1.0 2', 'package version/ensure contains invalid characters: "1.0 2" (allowed: alphanumeric, ._+:~^-)'],
  ['1.0/testing', 'package version/ensure contains invalid characters: "1.0/testing" (allowed: alphanumeric, ._+:~^-)'],
  ['-1.0', 'package version must begin with a letter or digit: "-1.0"'],
  [
    'presnt',
    'ensure "presnt" is neither present, absent or latest nor a version (a version contains a digit), did you mean "present"?',
  ],
  ['installed', 'ensure "installed" is neither present, absent or latest nor a version (a version contains a digit)'],
])('ensure may not be %j', (ensure, problem) => {
  expect(problems('x', ensure)).toEqual([problem])
})

test.each([
  [{ at_least: '1:1.2' }, []],
  [{ at_least: '1.2', fix: '1.1' }, ['ensure has a value under "fix" that it does not accept']],
  [{ at_most: 'latest' }, [expect.stringContaining('ensure.at_most "latest" is not a version')]],
  [{ not: '1.0; id' }, [expect.stringContaining('ensure.not "1.0; id" is not a version')]],
  [{ one_of: ['-1.0'] }, [expect.stringContaining('ensure.one_of "-1.0" is not a version')]],
  [{ includes: ['1'] }, [expect.stringContaining('unknown word "includes" in ensure')]],
])('versions may be accepted as %j says: %j', (ensure, expected) => {
  expect(problems('x', ensure)).toEqual(expected)
})

test('name and ensure are needed', () => {
  expect(problems(undefined, undefined)).toHaveLength(2)
  expect(problems('', 'present')).not.toEqual([])
  expect(problems('x', '')).not.toEqual([])
})
