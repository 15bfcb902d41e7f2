import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareRpmVersions, compareToWantedRpmVersion } from '../../../src/model/versions/rpm.ts'
import { rpmVersion } from './arbitrary-version.ts'
import { cases } from '../../support/soak.ts'

// rpm.vercmp compares whole versions since rpm 4.16.
const probe = spawnSync('rpm', ['--eval', '%{lua:print(rpm.vercmp("1:1-1","1-1"))}'], { encoding: 'utf8' })
const needsRpm = probe.status === 0 && probe.stdout.trim() === '1' ? undefined : 'needs rpm 4.16 or later'

// From rpm-version(7) and rpm's own tests (tests/rpmvercmp.at).
test.each([
  ['1.0', '1.0', 0],
  ['2.0.1', '2.0.1a', -1],
  ['5.5p1', '5.5p10', -1],
  ['10xyz', '10.1xyz', -1],
  ['xyz10', 'xyz10.1', -1],
  ['xyz.4', '8', -1],
  ['5.5p2', '5.6p1', -1],
  ['6.0.rc1', '6.0', 1],
  ['10b2', '10a1', 1],
  ['1.0a', '1.0aa', -1],
  ['10.0001', '10.1', 0],
  ['20101121', '20101122', -1],
  ['2_0', '2.0', 0],
  ['a+', 'a_', 0],
  ['1.0~rc1', '1.0', -1],
  ['1.0~rc1~git123', '1.0~rc1', -1],
  ['1.0^', '1.0', 1],
  ['1.0^git1', '1.0.1', -1],
  ['1.0^git1~pre', '1.0^git1', -1],
  ['1:0.1', '9', 1],
  ['0:1', '1', 0],
  ['1.0-2.el9', '1.0-10.el9', -1],
  ['1.0', '1.0-1', -1],
])('%s against %s', (left, right, expected) => {
  expect(Math.sign(compareRpmVersions(left, right))).toBe(expected)
  expect(Math.sign(compareRpmVersions(right, left))).toBe(-expected + 0)
})

test('is an order', () => {
  fc.assert(
    fc.property(rpmVersion, rpmVersion, rpmVersion, (a, b, c) => {
      expect(compareRpmVersions(a, a)).toBe(0)
      expect(Math.sign(compareRpmVersions(a, b)) + Math.sign(compareRpmVersions(b, a))).toBe(0)
      if (compareRpmVersions(a, b) <= 0 && compareRpmVersions(b, c) <= 0) {
        expect(compareRpmVersions(a, c)).toBeLessThanOrEqual(0)
      }
    }),
  )
})

test.each([
  ['0:1.2-3.el9', '1.2', 0],
  ['0:1.2-3.el9', '1.2-3.el9', 0],
  ['0:1.2-3.el9', '1.2-4.el9', -1],
  ['2:1.2-3.el9', '1.2-3.el9', 0],
  ['2:1.2-3.el9', '1:1.2', 1],
  ['2:1.2-3.el9', '0:1.2-3.el9', 1],
  ['0:1.2-3.el9', '0:1.2', 0],
  ['0:1.3-1', '1.2-9', 1],
])('installed %s against wanted %s', (installed, wanted, expected) => {
  expect(Math.sign(compareToWantedRpmVersion(installed, wanted))).toBe(expected)
})

test.skipIf(needsRpm)('agrees with rpm over generated pairs', () => {
  const pairs = fc.sample(fc.tuple(rpmVersion, rpmVersion), cases({ usual: 1_000, soak: 20_000 }))
  const answers: number[] = []
  for (let start = 0; start < pairs.length; start += 500) {
    const calls = pairs.slice(start, start + 500).map(([a, b]) => `print(rpm.vercmp("${a}","${b}"))`)
    const { stdout, stderr } = spawnSync('rpm', ['--eval', `%{lua:${calls.join('\n')}}`], { encoding: 'utf8' })
    expect(stderr).toBe('')
    // `print` writes no line ends there.
    answers.push(...(stdout.match(/-1|0|1/g) ?? []).map(Number))
  }
  expect(answers).toHaveLength(pairs.length)
  const wrong = pairs.filter(([a, b], index) => Math.sign(compareRpmVersions(a, b)) !== answers[index])
  expect(wrong).toEqual([])
})
