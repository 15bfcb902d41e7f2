import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareDebianVersions } from '../../../src/model/versions/debian.ts'
import { needsPrograms } from '../../support/programs.ts'
import { debianVersion } from './arbitrary-version.ts'
import { cases } from '../../support/soak.ts'

// From deb-version(7), the Debian policy (5.6.12), and where CCM's comparison differs from dpkg's.
test.each([
  ['1.0', '1.0', 0],
  ['1.0', '1.00', 0],
  ['1.0', '1.0-0', 0],
  ['0:1.0', '1.0', 0],
  ['1.09', '1.9', 0],
  ['1:0.1', '9.9', 1],
  ['1.0~rc1', '1.0', -1],
  ['1.0~~', '1.0~', -1],
  ['1.0~~a', '1.0~', -1],
  ['1.0', '1.0a', -1],
  ['1.0a', '1.0+', -1],
  ['1.0-1ubuntu1', '1.0-1+deb12u1', -1],
  ['1.10', '1.9', 1],
  ['1.0-2', '1.0-10', -1],
  ['1.0-a-1', '1.0-1', 1],
  ['1.99999999999999999999', '1.100000000000000000000', -1],
])('%s against %s', (left, right, expected) => {
  expect(Math.sign(compareDebianVersions(left, right))).toBe(expected)
  expect(Math.sign(compareDebianVersions(right, left))).toBe(-expected + 0)
})

test('is an order', () => {
  fc.assert(
    fc.property(debianVersion, debianVersion, debianVersion, (a, b, c) => {
      expect(compareDebianVersions(a, a)).toBe(0)
      expect(Math.sign(compareDebianVersions(a, b)) + Math.sign(compareDebianVersions(b, a))).toBe(0)
      if (compareDebianVersions(a, b) <= 0 && compareDebianVersions(b, c) <= 0) {
        expect(compareDebianVersions(a, c)).toBeLessThanOrEqual(0)
      }
    }),
  )
})

test.skipIf(needsPrograms('dpkg'))('agrees with dpkg over generated pairs', () => {
  const pairs = fc.sample(fc.tuple(debianVersion, debianVersion), cases({ usual: 400, soak: 20_000 }))
  // One shell asks for all pairs; the versions arrive as arguments, so that none of them is ever part of a script.
  const script = `while [ $# -gt 0 ]; do
    if dpkg --compare-versions "$1" lt "$2"; then echo -1; elif dpkg --compare-versions "$1" gt "$2"; then echo 1; else echo 0; fi
    shift 2
  done`
  const { stdout, stderr } = spawnSync('sh', ['-c', script, 'sh', ...pairs.flat()], { encoding: 'utf8' })
  expect(stderr).toBe('')
  const answers = stdout.trim().split('\n').map(Number)
  expect(answers).toHaveLength(pairs.length)
  const wrong = pairs.filter(([a, b], index) => Math.sign(compareDebianVersions(a, b)) !== answers[index])
  expect(wrong).toEqual([])
})
